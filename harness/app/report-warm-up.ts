import { resolve } from 'node:path';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import type { RunRecord } from '../model/run.ts';
import { farmVersion } from '../project.ts';
import { print, printJson, type Io } from '../cli/io.ts';
import type { JsonOption } from '../cli/options.ts';
import { writeWhole } from './records.ts';

interface Options extends JsonOption {
  readonly out?: string;
  /** `true` without a name: the least steady trial of all. */
  readonly warmUp?: string | boolean;
}

/** How a trial's speed went and what it counts with: every iteration of it, in order. */
export async function writeWarmUp(record: RunRecord, options: Options, io: Io): Promise<ExitCode> {
  const { explainWarmUp } = await import('../analysis/warm-up.ts');
  const choice = typeof options.warmUp === 'string' ? { caseName: options.warmUp } : {};
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  const facts = explainWarmUp(record, { choice, ...writing });
  if (facts === null) {
    throw new FarmError('bad-argument', {
      what: `Run ${String(record.run.id)} has no completed trial${choice.caseName === undefined ? '' : ` of "${choice.caseName}"`}.`,
      next: `farm report ${String(record.run.id)} lists its cases.`,
    });
  }
  const { drawWarmUp } = await import('../../reports/wording/warm-up-text.ts');
  if (!options.json) print(io, drawWarmUp(facts));
  if (options.out === undefined) return exitCodes.fine;
  const { renderWarmUp } = await import('../../reports/warm-up.ts');
  const html = await renderWarmUp(facts);
  const path = resolve(options.out);
  await writeWhole(path, html);
  if (options.json) printJson(io, { path, bytes: Buffer.byteLength(html) });
  else print(io, path);
  return exitCodes.fine;
}

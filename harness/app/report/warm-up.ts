import { resolve } from 'node:path';
import { explainWarmUp } from '../../analysis/warm-up.ts';
import { FarmError } from '../../errors.ts';
import type { RunRecord } from '../../model/run.ts';
import { farmVersion } from '../../project.ts';
import { writeWhole } from '../records.ts';
import { chooseRuns, type RunChoice } from './choose-runs.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

type WarmUpFacts = NonNullable<ReturnType<typeof explainWarmUp>>;

/**
 * Explains how a trial's speed went and what it counts with: every iteration of the least steady
 * trial of a run, or of one of its cases.
 * @throws FarmError those of `chooseRuns`; `bad-argument` for several runs, or without a completed trial.
 */
export async function explainRunWarmUp(
  named: readonly (number | 'latest')[],
  { caseName, ...choice }: RunChoice & { readonly caseName?: string | undefined },
): Promise<WarmUpFacts> {
  const record = onlyOne(await chooseRuns(named, choice));
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  const facts = explainWarmUp(record, {
    choice: caseName === undefined ? {} : { caseName },
    ...writing,
  });
  if (facts !== null) return facts;
  throw new FarmError('bad-argument', {
    what: `Run ${String(record.run.id)} has no completed trial${caseName === undefined ? '' : ` of "${caseName}"`}.`,
    next: `${npxCrossfarm} report ${String(record.run.id)} lists its cases.`,
  });
}

/** Draws it as one HTML file. @throws FarmError `cannot-write`. */
export async function writeWarmUp(
  facts: WarmUpFacts,
  out: string,
): Promise<{ readonly path: string; readonly bytes: number }> {
  const { renderWarmUp } = await import('../../../reports/warm-up.ts');
  const html = await renderWarmUp(facts);
  const path = resolve(out);
  await writeWhole(path, html);
  return { path, bytes: Buffer.byteLength(html) };
}

function onlyOne(records: readonly RunRecord[]): RunRecord {
  const [record, ...others] = records;
  if (record !== undefined && others.length === 0) return record;
  throw new FarmError('bad-argument', {
    what: `--warm-up looks at one trial, and ${String(records.length)} runs are named.`,
    next: `Name one of them: ${npxCrossfarm} report 3 --warm-up`,
  });
}

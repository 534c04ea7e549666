import { resolve } from 'node:path';
import { targetIdIn } from '../analysis/run-labels.ts';
import { namesIn, type Part, partOf } from '../analysis/run-part.ts';
import type { Baseline } from '../analysis/run-verdicts.ts';
import { type Io, print, printJson } from '../cli/io.ts';
import { type JsonOption, parseRun } from '../cli/options.ts';
import { type ExitCode, exitCodes, FarmError, unknownName } from '../errors.ts';
import type { RunRecord } from '../model/run.ts';
import { farmVersion } from '../project.ts';
import { readRecord, writeWhole } from './records.ts';

/** What of which runs a report is to show. */
export interface Choice {
  readonly database: string;
  readonly device?: readonly string[];
  readonly bench?: readonly string[];
}

/**
 * The runs that are named, in that order and narrowed to what is wanted of them; the latest one when
 * none is named.
 * @throws FarmError `unknown-run`, `unknown-device`, `unknown-benchmark`, `bad-argument` for a run
 *   that is named twice, or of which nothing is left.
 */
export async function chooseRuns(
  named: readonly string[],
  { database, device = [], bench = [] }: Choice,
): Promise<readonly RunRecord[]> {
  const which = named.length === 0 ? ['latest'] : named;
  const records = await Promise.all(which.map(parseRun).map((one) => readRecord(one, database)));
  refuseTwins(records);
  const part = { devices: device, benchmarks: bench };
  refuseUnknown(records, part);
  const chosen = records.map((record) => partOf(record, part));
  refuseNothing(chosen, records);
  return chosen;
}

function refuseTwins(records: readonly RunRecord[]): void {
  const seen = new Set<number>();
  for (const { run } of records) {
    if (seen.has(run.id)) {
      throw new FarmError('bad-argument', {
        what: `Run ${String(run.id)} is named twice.`,
        next: 'Name each run once ("latest" is the one with the highest number): farm report 3 5',
      });
    }
    seen.add(run.id);
  }
}

function refuseUnknown(records: readonly RunRecord[], wanted: Part): void {
  const known = namesIn(records);
  const device = wanted.devices.find((name) => !known.devices.includes(name));
  if (device !== undefined) {
    throw unknownName('unknown-device', { kind: 'device', seen: device, known: known.devices });
  }
  const benchmark = wanted.benchmarks.find((name) => !known.benchmarks.includes(name));
  if (benchmark !== undefined) {
    throw unknownName('unknown-benchmark', {
      kind: 'benchmark',
      seen: benchmark,
      known: known.benchmarks,
    });
  }
}

/** A run of which the filters leave nothing would stand in the report as if it had been empty. */
function refuseNothing(chosen: readonly RunRecord[], records: readonly RunRecord[]): void {
  const empty = chosen.find(
    ({ jobs }, index) => jobs.length === 0 && (records[index]?.jobs.length ?? 0) > 0,
  );
  if (empty === undefined) return;
  throw new FarmError('bad-argument', {
    what: `Run ${String(empty.run.id)} has nothing of what --device and --bench name.`,
    next: `Leave that run out, or name something of it: farm report ${String(empty.run.id)} lists its devices and cases.`,
  });
}

/**
 * What the others are set against: a run (its number), or a target (a device, or a device in a run).
 * @throws FarmError `bad-argument` for what is neither, or is not there, or is in several runs.
 */
export function chooseBaseline(text: string, records: readonly RunRecord[]): Baseline {
  const several = records.length > 1;
  const run = records.find((record) => String(record.run.id) === text)?.run.id;
  if (several && run !== undefined) return { kind: 'run', run };
  const targets = records.flatMap((record) =>
    record.presences
      .filter(({ status }) => status === 'found')
      .map(({ device }) => ({
        device: device.id,
        targetId: targetIdIn(record.run.id, device.id),
      })),
  );
  const meant = targets.filter(({ device, targetId }) => text === device || text === targetId);
  const [only, ...others] = meant;
  const known = [
    ...(several ? records.map((record) => String(record.run.id)) : []),
    ...new Set(targets.map(({ device, targetId }) => (several ? targetId : device))),
  ];
  if (only === undefined) {
    throw unknownName('bad-argument', { kind: 'baseline', seen: text, known });
  }
  if (others.length === 0) return { kind: 'target', targetId: only.targetId };
  throw new FarmError('bad-argument', {
    what: `"${text}" is in several of the runs, so it is not clear which is the baseline.`,
    next: `Say which: ${meant.map(({ targetId }) => targetId).join(', ')}; or name a run, and every device is set against itself there.`,
  });
}

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

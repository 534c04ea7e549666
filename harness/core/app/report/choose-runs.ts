import { namesIn, type Part, selectPart, targetIdIn } from '../../analysis/runs/labels.ts';
import type { Baseline } from '../../analysis/runs/across-runs.ts';
import { FarmError, unknownName } from '../../errors.ts';
import type { RunRecord } from '../../model/run.ts';
import { readRecord } from '../records.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

/** The part of stored runs that a report shows. */
export interface RunChoice {
  readonly database: string;
  readonly device?: readonly string[];
  readonly bench?: readonly string[];
}

/**
 * Reads the runs that are named, in that order and narrowed to what is wanted of them; the latest one
 * when none is named.
 * @throws FarmError `unknown-run`, `unknown-device`, `unknown-benchmark`, `bad-argument` for a run
 *   that is named twice, or of which nothing is left.
 */
export async function chooseRuns(
  named: readonly (number | 'latest')[],
  { database, device = [], bench = [] }: RunChoice,
): Promise<readonly RunRecord[]> {
  const which = named.length === 0 ? ['latest' as const] : named;
  const records = await Promise.all(which.map((one) => readRecord(one, database)));
  refuseTwins(records);
  const part = { devices: device, benchmarks: bench };
  refuseUnknown(records, part);
  const chosen = records.map((record) => selectPart(record, part));
  refuseNothing(chosen, records);
  return chosen;
}

function refuseTwins(records: readonly RunRecord[]): void {
  const seen = new Set<number>();
  for (const { run } of records) {
    if (seen.has(run.id)) {
      throw new FarmError('bad-argument', {
        what: `Run ${String(run.id)} is named twice.`,
        next: `Name each run once ("latest" is the one with the highest number): ${npxCrossfarm} report 3 5`,
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

/** A run of which the filters leave nothing would look empty in the report. */
function refuseNothing(chosen: readonly RunRecord[], records: readonly RunRecord[]): void {
  const empty = chosen.find(
    ({ jobs }, index) => jobs.length === 0 && (records[index]?.jobs.length ?? 0) > 0,
  );
  if (empty === undefined) return;
  throw new FarmError('bad-argument', {
    what: `Run ${String(empty.run.id)} has nothing of what --device and --bench name.`,
    next: `Leave that run out, or name something of it: ${npxCrossfarm} report ${String(empty.run.id)} lists its devices and cases.`,
  });
}

/**
 * Finds the baseline of the others: a run (its number), or a target (a device, or a device in a
 * run).
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

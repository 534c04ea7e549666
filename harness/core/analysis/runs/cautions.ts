import type { Verdicts } from '../../results/verdicts.ts';
import type { PairVerdict } from '../../results/verdicts.ts';
import type { Machine, RunRecord } from '../../model/run.ts';
import { listCautions } from '../findings.ts';
import { groupBy } from '../grouping.ts';
import { disturbedCounts } from '../troubled-trials.ts';
import { describeStart } from './differences.ts';
import { type LabelledRun, type LabelledTarget, versionsByBenchmark } from './labels.ts';
import type { Series } from '../series.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

interface ComparedRuns {
  readonly runs: readonly LabelledRun[];
  readonly series: readonly Series[];
  readonly verdicts: Verdicts;
}

/** Lists what a reader must know before relying on a number of several runs. */
export function cautionsAcross(
  records: readonly RunRecord[],
  all: ComparedRuns,
): readonly string[] {
  return [
    sideBySide(all.verdicts),
    controls(all),
    machines(records),
    starts(records),
    ...versions(records),
    casesOfSome(all),
    ...ownCautions(records),
  ].filter((sentence) => sentence !== null);
}

function sideBySide({ pairs }: Verdicts): string | null {
  if (!pairs.some(({ unpaired }) => unpaired !== undefined)) return null;
  return `The runs were measured one after the other, in no common order drawn at random: a difference between them can come from the machine as well as from a browser. A verdict here is about the runs; ${npxCrossfarm} compare measures two builds side by side, and ${npxCrossfarm} bisect finds where one changed.`;
}

/**
 * Builds that are the same in both runs are the control: an update of a browser did not cause their
 * differences.
 */
function controls({ runs, verdicts }: ComparedRuns): string | null {
  const targets = new Map(
    runs.flatMap((run) => run.targets.map((one) => [one.facts.id, one] as const)),
  );
  const pairs = verdicts.pairs.filter((pair) => isControl(pair, targets));
  if (pairs.length === 0) return null;
  const different = pairs.filter(
    ({ discovery, verdict }) => discovery && verdict !== 'equivalent',
  ).length;
  const all = `${String(pairs.length)} ${pairs.length === 1 ? 'comparison' : 'comparisons'} of a build with itself`;
  return different === 0
    ? `Among ${all} no difference was found, as it should be: where a build changed, nothing here says that the machine changed with it.`
    : `${String(different)} of ${all} show a difference: something else than a browser changed between the runs, and other differences of that size may come from it.`;
}

function isControl(
  { a, b, unpaired }: PairVerdict,
  targets: ReadonlyMap<string, LabelledTarget>,
): boolean {
  const [one, other] = [targets.get(a.targetId), targets.get(b.targetId)];
  if (unpaired === undefined || one === undefined || other === undefined) return false;
  const build = ({ facts, device }: LabelledTarget): string =>
    [facts.browser?.name, facts.browser?.version, describeStart(device)].join('\n');
  return one.device.id === other.device.id && build(one) === build(other);
}

function machines(records: readonly RunRecord[]): string | null {
  const places = groupBy(records, ({ run }) => machineName(run.machine));
  if (places.size < 2) return null;
  const each = [...places].map(([place, ours]) => `${runsNamed(ours)} on ${place}`);
  return `The runs come from different machines (${each.join('; ')}): a ratio between them is one of machines as much as of browsers.`;
}

function machineName({ hostname, cpuModel, logicalCores, system }: Machine): string {
  return `${hostname}: ${cpuModel}, ${String(logicalCores)} cores, ${system}`;
}

function starts(records: readonly RunRecord[]): string | null {
  const devices = records.flatMap(({ presences }) => presences.map(({ device }) => device));
  const changed = [...groupBy(devices, ({ id }) => id)].filter(
    ([, ours]) => new Set(ours.map(describeStart)).size > 1,
  );
  if (changed.length === 0) return null;
  return `Not started in the same way in all runs: ${listed(changed.map(([id]) => id))}. "Between the runs" says how.`;
}

function versions(records: readonly RunRecord[]): readonly string[] {
  return versionsByBenchmark(records)
    .filter((one) => one.versions.size > 1)
    .map(({ id, versions: seen }) => {
      const each = [...seen].map(
        ([version, runs]) => `version ${String(version)} in ${numbered(runs)}`,
      );
      return `The benchmark ${id} is ${listed(each)}: its results stand apart, and are not compared.`;
    });
}

/** Counts cases that only some runs have, which are not compared there. */
function casesOfSome({ runs, series }: ComparedRuns): string | null {
  const places = new Map(
    runs.flatMap(({ targets }) => targets.map(({ facts, run }) => [facts.id, run] as const)),
  );
  const byCase = groupBy(series, ({ caseName }) => caseName);
  const alone = [...byCase.values()].filter(
    (ours) => new Set(ours.map(({ deviceId }) => places.get(deviceId))).size < runs.length,
  ).length;
  if (alone === 0) return null;
  return `${String(alone)} of ${String(byCase.size)} cases were not measured in all of the runs.`;
}

/** The cautions of each run's own report; common ones once. */
function ownCautions(records: readonly RunRecord[]): readonly string[] {
  const said = records.flatMap((record) =>
    [...listCautions(record), ...disturbedCounts(record)].map((sentence) => ({ record, sentence })),
  );
  return [...groupBy(said, ({ sentence }) => sentence)].map(([sentence, ours]) =>
    ours.length === records.length
      ? `In all of the runs: ${sentence}`
      : `${capitalised(runsNamed(ours.map(({ record }) => record)))}: ${sentence}`,
  );
}

function runsNamed(records: readonly RunRecord[]): string {
  return numbered(records.map(({ run }) => run.id));
}

function numbered(runs: readonly number[]): string {
  return `${runs.length === 1 ? 'run' : 'runs'} ${listed(runs.map(String))}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `3, 4 and 5`. */
export function listed(words: readonly string[]): string {
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}

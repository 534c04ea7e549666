import type { Course, PairVerdict, Verdicts } from '../results/verdicts.ts';
import type { Plan } from '../model/plan.ts';
import type { RunRecord } from '../model/run.ts';
import type { Trial } from '../model/trial.ts';
import { smallestBlocks } from './stats/mixture-test.ts';
import { runningIntervals } from './stats/ratio-interval.ts';
import {
  type Comparison,
  type Decision,
  defaultAlpha,
  defaultMargin,
  ownLevel,
} from './stats/verdict.ts';
import {
  comparePair,
  hasRatio,
  indexPairs,
  runCircumstances,
  type Pair,
  type Side,
} from './decisions.ts';
import { type Case, caseName, type ParameterValue } from '../model/case.ts';
import { computeCarryOvers, msOf } from './carry-over.ts';
import { decideTable, type Rules, type TableEntry } from './sequential.ts';
import { countingDisturbed } from './series.ts';

/** The suite name that `farm compare` gives its runs: two sides, which may run different cases. */
export const comparisonSuite = 'compare';

/** The suite name of runs that compare versions of a page, in each browser. */
export const versionsSuite = 'versions';

/** Returns the run as it is judged: of versions of a page, disturbed trials count (`countingDisturbed`). */
export function asJudged(record: RunRecord): RunRecord {
  if (record.run.suite !== versionsSuite) return record;
  return { ...record, trials: countingDisturbed(record.trials) };
}

/**
 * Makes the verdicts of a run: every target against the baseline, by case and metric, as
 * `decideTable` gives them: the share of wrong ones in the table is at most α. A run of `farm
 * compare` has one pair, its first side against its second, and the course of its interval; one of
 * versions of a page has each version against the first, in each browser.
 *
 * Leaves out pairs without a common block, or with a value that has no ratio (0).
 *
 * @param baseline a device that was found, instead of the first one.
 */
export function makeVerdicts(record: RunRecord, baseline?: string): Verdicts {
  const levels = { margin: parseMargin(record.run.command), alpha: defaultAlpha };
  const rules = { ...levels, ...runCircumstances(record) };
  const asked = baseline !== undefined;
  const sides = record.run.suite === comparisonSuite && !asked ? comparedPair(record) : null;
  const trialsOf = indexPairs(record.trials);
  const all = pairsOf(record, { sides, baseline });
  const pairs = all.filter((pair) => hasRatio(trialsOf(pair), pair));
  const [first] = pairs;
  const compared = first === undefined ? null : comparisonOf(first, trialsOf(first), rules);
  const only = sides === null ? undefined : first;
  const described = decideTable(record.trials, pairs, rules).flatMap(describeEntry);
  return {
    ...baselineOf(record, { sides, baseline, first }),
    ...levels,
    smallestBlocks: smallestBlocks(ownLevel(compared ?? {}, levels.alpha), alikeRoundOf(compared)),
    ...blockDuration(record),
    pairs: described,
    ...(described.length === 0 && whyNone(all, trialsOf)),
    course:
      only === undefined || compared === null
        ? null
        : {
            ...courseOf(compared, levels.alpha),
            carryOver: computeCarryOvers(record.trials, only, record.presences),
          },
  };
}

/** Why none of the pairs has a verdict, although they have values; each reason once. */
function whyNone(
  pairs: readonly Pair[],
  trialsOf: (pair: Pair) => readonly Trial[],
): Pick<Verdicts, 'whyNone'> {
  const reasons = pairs.flatMap((pair) => {
    const made = comparePair(trialsOf(pair), pair);
    return made.kind === 'no-ratio' ? [made.because] : [];
  });
  return reasons.length === 0 ? {} : { whyNone: [...new Set(reasons)] };
}

/** Of a finished run: the time from its begin to its end, waits included, shared among its blocks. */
function blockDuration({ run, jobs }: RunRecord): Pick<Verdicts, 'blockMs'> {
  if (run.finishedAt === null || run.status !== 'finished') return {};
  const blocks = new Set(jobs.map(({ block }) => block)).size;
  const ms = msOf(run.finishedAt) - msOf(run.startedAt);
  return blocks > 0 && ms > 0 ? { blockMs: Math.round(ms / blocks) } : {};
}

interface ComparedPair {
  readonly sides: Pair | null;
  readonly baseline: string | undefined;
  readonly first: Pair | undefined;
}

function baselineOf(
  record: RunRecord,
  { sides, baseline, first }: ComparedPair,
): Pick<Verdicts, 'baselineTargetId' | 'baselineVersion'> {
  if (isOfVersions(record, baseline) && first !== undefined) {
    return { baselineTargetId: null, baselineVersion: readVersion(first.b) };
  }
  return { baselineTargetId: sides?.b.deviceId ?? baseline ?? firstFound(record) };
}

function isOfVersions({ run }: RunRecord, baseline: string | undefined): boolean {
  return run.suite === versionsSuite && baseline === undefined;
}

function pairsOf(
  record: RunRecord,
  { sides, baseline }: Omit<ComparedPair, 'first'>,
): readonly Pair[] {
  if (sides !== null) return [sides];
  return isOfVersions(record, baseline) ? versionPairs(record) : listComparisons(record, baseline);
}

/** The names of the versions of a page that a run compared, the first first; null for another run. */
export function versionNames({
  run,
  jobs,
}: Pick<RunRecord, 'run' | 'jobs'>): readonly string[] | null {
  if (run.suite !== versionsSuite) return null;
  const [version] = jobs[0]?.case.benchmark.parameters ?? [];
  return version?.kind === 'choice' ? version.values.map(String) : null;
}

/** Returns each metric of each version of a page beside the first version, in each browser that was found. */
export function versionPairs({
  presences,
  jobs,
}: Pick<Plan, 'presences' | 'jobs'>): readonly Pair[] {
  const cases = [...new Map(jobs.map((job) => [caseName(job.case), job.case])).values()];
  const [version] = cases[0]?.benchmark.parameters ?? [];
  if (version?.kind !== 'choice') return [];
  const caseOf = (value: ParameterValue): Case | undefined =>
    cases.find(({ parameters }) => parameters[version.name] === value);
  const [first, ...others] = version.values.map(caseOf).filter((one) => one !== undefined);
  if (first === undefined) return [];
  return presences
    .filter(({ status }) => status === 'found')
    .flatMap(({ device: { id: deviceId } }) =>
      others.flatMap((one) =>
        one.benchmark.metrics.map((metric) => ({
          a: { deviceId, case: one },
          b: { deviceId, case: first },
          metric,
        })),
      ),
    );
}

/** The name of a version of a page, as its user gave it. */
export function readVersion({ case: { parameters } }: Side): string {
  return String(parameters['version']);
}

/** Reads the margin of a run from its stored command. */
export function parseMargin(command: string): number {
  const [, number, percent] = /--margin[ =]([\d.]+(?:e-\d+)?)(%?)/.exec(command) ?? [];
  const share = Number(number) / (percent === '%' ? 100 : 1);
  return share >= 0 && share < 1 ? share : defaultMargin;
}

/** Returns the margin of all these runs; the default if they differ. */
export function commonMargin(commands: readonly string[]): number {
  const [margin, ...others] = new Set(commands.map(parseMargin));
  return margin === undefined || others.length > 0 ? defaultMargin : margin;
}

/** Returns the two sides of `farm compare`, in the order of the command. */
export function comparedPair({ presences, jobs }: Pick<Plan, 'presences' | 'jobs'>): Pair | null {
  const [a, b] = presences.map(({ device }): Side | null => {
    const job = jobs.find(({ deviceId }) => deviceId === device.id);
    return job === undefined ? null : { deviceId: device.id, case: job.case };
  });
  const metric = a?.case.benchmark.metrics[0];
  return a && b && metric ? { a, b, metric } : null;
}

function firstFound({ presences }: RunRecord): string | null {
  return presences.find((presence) => presence.status === 'found')?.device.id ?? null;
}

export function describeEntry({
  pair,
  decision: made,
  discovery,
}: TableEntry): readonly PairVerdict[] {
  return made.kind === 'decided-on' ? [{ ...describePair(pair, made.decision), discovery }] : [];
}

/** Describes the decision on a pair for reports, before that of the whole table is known. */
export function describePair(pair: Pair, decision: Decision): Omit<PairVerdict, 'discovery'> {
  const { verdict, ratio, low, high, blocks, significant, relevant, mean, because, moreBlocks } =
    decision;
  const side = (one: Side) => ({ targetId: one.deviceId, caseName: caseName(one.case) });
  return {
    a: side(pair.a),
    b: side(pair.b),
    metric: pair.metric.id,
    unit: pair.metric.unit,
    direction: pair.metric.direction,
    verdict,
    ratio,
    low,
    high,
    blocks,
    significant,
    relevant,
    ...(mean !== null && { mean }),
    because,
    moreBlocks,
  };
}

function comparisonOf(pair: Pair, trials: readonly Trial[], rules: Rules): Comparison | null {
  const made = comparePair(trials, pair, rules);
  return made.kind === 'comparison' ? made.comparison : null;
}

/** Blocks of the first round, whose order counts as evidence where the sides are alike; else 0. */
function alikeRoundOf(compared: Comparison | null): number {
  const { blocks = 0, values } = compared?.firstRound ?? {};
  return values === undefined ? 0 : blocks;
}

function courseOf(compared: Comparison, alpha: number): Omit<Course, 'carryOver'> {
  const { differences } = compared;
  return {
    ratios: differences.map(Math.exp),
    looks: runningIntervals(differences, ownLevel(compared, alpha), compared).flatMap(
      (look, index) =>
        look.kind === 'bounded'
          ? [{ blocks: index + 1, low: Math.exp(look.low), high: Math.exp(look.high) }]
          : [],
    ),
  };
}

/**
 * Returns the comparisons of a run's table: each case on each found device with the same case on
 * the first of them, or on the named one, by each metric of its benchmark.
 */
export function listComparisons(
  { presences, jobs }: Pick<Plan, 'presences' | 'jobs'>,
  named?: string,
): readonly Pair[] {
  const found = presences.filter((presence) => presence.status === 'found');
  const ids = found.map(({ device }) => device.id);
  const baseline = named ?? ids[0];
  if (baseline === undefined) return [];
  const others = ids.filter((id) => id !== baseline);
  const cases = new Map(jobs.map((job) => [caseName(job.case), job.case]));
  return [...cases.values()].flatMap((one) =>
    one.benchmark.metrics.flatMap((metric) =>
      others.map((deviceId) => ({
        a: { deviceId, case: one },
        b: { deviceId: baseline, case: one },
        metric,
      })),
    ),
  );
}

import { mean, sum } from 'simple-statistics';
import { timeKey } from '../model/plan.ts';
import type { RunRecord } from '../model/run.ts';
import type { Trial } from '../model/trial.ts';
import type { Course, Verdicts } from '../results/verdicts.ts';
import { computeCarryOvers, msOf } from './carry-over.ts';
import { decideTable, describeEntry, describeWithBlocks, type TableEntry } from './decide.ts';
import {
  comparePair,
  hasRatio,
  indexPairs,
  type Pair,
  type RunCircumstances,
  runCircumstances,
} from './pairs.ts';
import {
  comparedPair,
  comparisonSuite,
  listComparisons,
  parseErrorRate,
  parseMargin,
  readVersion,
  versionPairs,
  versionsSuite,
} from './run-pairs.ts';
import { groupBy } from './grouping.ts';
import { smallestBlocks } from './stats/mixture-test.ts';
import { runningIntervals } from './stats/ratio-interval.ts';
import { type Comparison, ownLevel } from './stats/verdict.ts';

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
  const { command } = record.run;
  const levels = { margin: parseMargin(command), alpha: parseErrorRate(command) };
  const rules = { ...levels, ...runCircumstances(record) };
  const asked = baseline !== undefined;
  const sides = record.run.suite === comparisonSuite && !asked ? comparedPair(record) : null;
  const trialsOf = indexPairs(record.trials);
  const all = pairsOf(record, { sides, baseline });
  const pairs = all.filter((pair) => hasRatio(trialsOf(pair), pair));
  const [first] = pairs;
  const compared = first === undefined ? null : comparisonOf(first, trialsOf(first), rules);
  const only = sides === null ? undefined : first;
  const entries = decideTable(record.trials, pairs, rules);
  const described = isOfVersions(record, baseline)
    ? entries.flatMap(describeWithBlocks)
    : entries.flatMap(describeEntry);
  return {
    ...baselineOf(record, { sides, baseline, first }),
    ...levels,
    smallestBlocks: smallestBlocks(ownLevel(compared ?? {}, levels.alpha), alikeRoundOf(compared)),
    ...blockDuration(record),
    ...openBlockDuration(record.trials, entries),
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

/** By the mean times of their trials. */
function openBlockDuration(
  trials: readonly Trial[],
  entries: readonly TableEntry[],
): Pick<Verdicts, 'openBlockMs'> {
  const open = entries.filter(
    ({ decision: made }) => made.kind === 'decided-on' && made.decision.verdict === 'undecided',
  );
  const keys = new Set(open.flatMap(({ pair: { a, b } }) => [timeKey(a), timeKey(b)]));
  const walls = groupBy(trials, ({ job }) => timeKey(job));
  const means = [...keys].map((key) => {
    const measured = (walls.get(key) ?? []).filter(({ wallMs }) => wallMs > 0);
    return measured.length === 0 ? 0 : mean(measured.map(({ wallMs }) => wallMs));
  });
  const ms = sum([0, ...means]);
  return ms > 0 ? { openBlockMs: Math.round(ms) } : {};
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

/** Lists what a run was made to compare: two sides, versions of a page, or devices with the first. */
export function listComparedPairs(record: RunRecord): readonly Pair[] {
  const sides = record.run.suite === comparisonSuite ? comparedPair(record) : null;
  return pairsOf(record, { sides, baseline: undefined });
}

function pairsOf(
  record: RunRecord,
  { sides, baseline }: Omit<ComparedPair, 'first'>,
): readonly Pair[] {
  if (sides !== null) return [sides];
  return isOfVersions(record, baseline) ? versionPairs(record) : listComparisons(record, baseline);
}

function firstFound({ presences }: RunRecord): string | null {
  return presences.find((presence) => presence.status === 'found')?.device.id ?? null;
}

function comparisonOf(
  pair: Pair,
  trials: readonly Trial[],
  rules: RunCircumstances,
): Comparison | null {
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

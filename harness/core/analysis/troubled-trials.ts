import type { QuarantinedTrials, Trouble } from '../results/index.ts';
import type { PairVerdict, Verdicts } from '../results/verdicts.ts';
import { caseName } from '../model/case.ts';
import type { RunRecord } from '../model/run.ts';
import { isQuarantined, type Trial } from '../model/trial.ts';
import { waitLeftOutText } from './busy-machine.ts';
import { groupBy } from './grouping.ts';
import { asIfNoneQuarantined, disturbedAmong, isCompleted, released } from './series.ts';
import { asJudged, versionsSuite } from './run-pairs.ts';
import { makeVerdicts } from './run-verdicts.ts';

interface Judgement {
  readonly verdicts: Verdicts;
  /** The device that others are compared with. */
  readonly baseline: string | undefined;
}

/**
 * Describes the trials that the machine disturbed: how many there are and why, and of those left out,
 * which verdicts would change if they counted. Empty without any.
 */
export function quarantineCautions(record: RunRecord, judgement: Judgement): readonly string[] {
  const judged = asJudged(record);
  const counts = disturbedCounts(record);
  return judged.trials.some(isQuarantined)
    ? [...counts, changedVerdicts(judged, judgement)]
    : counts;
}

/** Says how many trials the machine disturbed, why, and whether they count; empty if it disturbed none. */
export function disturbedCounts(record: RunRecord): readonly string[] {
  return [countedBesideOthers(record), quarantineCount(asJudged(record))].filter(
    (sentence) => sentence !== null,
  );
}

function countedBesideOthers({ run, trials }: RunRecord): string | null {
  const { counted } = disturbedAmong(trials);
  if (run.suite !== versionsSuite || counted === 0) return null;
  const set = trials.filter(isQuarantined);
  return `${String(counted)} of ${String(trials.length)} trials count although the machine was busy (for example, ${exampleOf(set)}): versions take turns in a random order, so load can hide a difference and makes none. ${valuesOf(trials)}`;
}

function valuesOf(trials: readonly Trial[]): string {
  const left = waitLeftOutText(trials);
  return left === null ? 'Their values are those of a busy machine.' : `${left.replace('t', 'T')}.`;
}

function exampleOf(set: readonly Trial[]): string {
  return set.filter(isCompleted).flatMap(({ outcome }) => outcome.quarantine)[0] ?? 'unknown';
}

function quarantineCount(record: RunRecord): string | null {
  const set = record.trials.filter(isQuarantined);
  if (set.length === 0) return null;
  const clean = record.trials.filter(
    (trial) => trial.job.repeats !== undefined && isCompleted(trial) && !isQuarantined(trial),
  );
  const count = `${String(set.length)} of ${String(record.trials.length)} trials`;
  return `${count} are excluded from every value and verdict: the machine was outside its limits (for example, ${exampleOf(set)}). ${String(clean.length)} clean repeats replace them. Where no trial of a case counts, its excluded ones are shown, marked, and decide nothing.`;
}

/** Beginning of the sentence about what counting them would change. */
export const verdictsWithQuarantined = 'With the excluded trials counted';

/** The most changed verdicts that a sentence names; it counts the others. */
const mostNamed = 5;

function changedVerdicts(record: RunRecord, { verdicts: without, baseline }: Judgement): string {
  const trials = asIfNoneQuarantined(record.trials).map(released);
  const changes = makeVerdicts({ ...record, trials }, baseline).pairs.flatMap((pair) => {
    const counted = without.pairs.find((one) => keyOf(one) === keyOf(pair));
    return counted?.verdict === pair.verdict
      ? []
      : [
          `${pair.a.caseName} on ${pair.a.targetId} would be ${pair.verdict} instead of ${counted?.verdict ?? 'without a verdict'}`,
        ];
  });
  if (changes.length === 0) {
    return `${verdictsWithQuarantined}, every verdict would be the same.`;
  }
  const more = changes.length - mostNamed;
  const rest = more > 0 ? `; and ${String(more)} more` : '';
  return `${verdictsWithQuarantined}, ${changes.slice(0, mostNamed).join('; ')}${rest}.`;
}

function keyOf({ a, b, metric }: PairVerdict): string {
  return [a.caseName, a.targetId, b.caseName, b.targetId, metric].join('\n');
}

/**
 * Lists trials that did not complete, with equal ones counted together. A missing device fails
 * every case for one reason, so its skips are one entry.
 */
export function makeTroubles(trials: readonly Trial[]): readonly Trouble[] {
  const grouped = groupBy(trials.flatMap(troubleOf), (one) =>
    [one.kind, one.targetId, one.caseName, one.code, one.message].join('\n'),
  );
  return [...grouped.values()].flatMap((group) =>
    group[0] === undefined ? [] : [{ ...group[0], trials: group.length }],
  );
}

/** Lists quarantined trials, those of one case on one target together. */
export function makeQuarantined(trials: readonly Trial[]): readonly QuarantinedTrials[] {
  const grouped = groupBy(trials.filter(isQuarantined), ({ job }) =>
    [job.deviceId, caseName(job.case)].join('\n'),
  );
  return [...grouped.values()].flatMap((group) => {
    const [first] = group;
    if (first?.outcome.kind !== 'completed') return [];
    const { deviceId: targetId, case: one } = first.job;
    const why = first.outcome.quarantine.join('; ');
    return [{ targetId, caseName: caseName(one), trials: group.length, why }];
  });
}

function troubleOf({ job, outcome }: Trial): readonly Trouble[] {
  const targetId = job.deviceId;
  switch (outcome.kind) {
    case 'completed':
      return [];
    case 'skipped':
      return [
        {
          kind: 'skipped',
          targetId,
          caseName: 'all cases',
          trials: 1,
          code: 'skipped',
          message: outcome.reason,
          remedy: outcome.remedy,
        },
      ];
    case 'failed':
    case 'timed-out':
      return [
        {
          kind: outcome.kind,
          targetId,
          caseName: caseName(job.case),
          trials: 1,
          ...outcome.failure,
          remedy: '',
        },
      ];
  }
}

import type { MeasuredNumber, PartVerdict } from '../../../core/results/index.ts';
import {
  type Arm,
  armKey,
  listArms,
  armsOfAssertion,
  type Assertion,
  type Counterfactual,
  type Quantity,
  type Question,
} from '../../../core/model/question.ts';
import type { Trial } from '../../../core/model/trial.ts';
import {
  type CompletedTrial,
  isCompleted,
  withoutQuarantined,
} from '../../../core/analysis/series.ts';
import { medianSequence } from '../../../core/analysis/stats/median-interval.ts';
import { logInterval, runningIntervals } from '../../../core/analysis/stats/ratio-interval.ts';
import { typicalLogRatio } from '../../../core/analysis/stats/typical-ratio.ts';
import { defaultAlpha } from '../../../core/analysis/stats/verdict.ts';
import {
  type Explanation,
  explainedShare,
  combineVerdicts,
  type Outcome,
  decideOutcome,
  sizePart,
} from './outcome.ts';
import { isCounted, chooseReader } from './quantity.ts';

export interface JudgedAssertion extends Outcome {
  readonly assertion: Assertion;
  /** Null if no block has all of its arms. */
  readonly measured: MeasuredNumber | null;
  /** One number a block: ln of the ratio, or the level itself. */
  readonly series: readonly number[];
  readonly blocks: number;
}

export interface JudgedCounterfactual {
  readonly counterfactual: Counterfactual;
  readonly withCause: MeasuredNumber | null;
  readonly withoutCause: MeasuredNumber | null;
  /** Share of the effect that disappears with the suspect. */
  readonly explained: MeasuredNumber | null;
  /** The reason for a missing share, or for missing bounds. */
  readonly state: Explanation['kind'];
}

export interface Judgement {
  /** The verdict on the whole sentence. */
  readonly verdict: 'confirmed' | 'refuted' | 'inconclusive';
  readonly direction: PartVerdict;
  readonly size: PartVerdict;
  readonly assertions: readonly JudgedAssertion[];
  readonly counterfactuals: readonly JudgedCounterfactual[];
  /** Blocks of the assertion with the most. */
  readonly blocks: number;
}

/**
 * Judges a question by its trials; this is allowed after every block. Leaves out a last block that
 * is not complete.
 *
 * Every interval holds at 1 − α at every look. A claim is confirmed when all of its assertions
 * hold: for that each may be tested at α, because a false claim has a false one. It is refuted when
 * one of them fails; each could do so by chance, so failing is judged at α divided by their number
 * (Bonferroni).
 */
export function judge(
  question: Question,
  trials: readonly Trial[],
  alpha: number = defaultAlpha,
): Judgement {
  const counted = withoutQuarantined(wholeBlocks(question, trials)).filter(isCompleted);
  const values = new ArmValues(counted);
  const rules = { values, alpha, strict: strictAlpha(question, alpha) };
  const assertions = question.assertions.map((one) => judgeAssertion(one, rules));
  const deciding = assertions.filter(({ assertion }) => assertion.role === 'verdict');
  return {
    verdict: verdictOf(deciding),
    direction: combineVerdicts(deciding.map(({ direction }) => direction)),
    size: combineVerdicts(deciding.map(({ size }) => sizePart(size))),
    assertions,
    counterfactuals: question.counterfactuals.map((one) => judgeCounterfactual(one, values, alpha)),
    blocks: Math.max(0, ...assertions.map(({ blocks }) => blocks)),
  };
}

/** Returns the level for refuting: each of the deciding assertions could fail by chance. */
export function strictAlpha({ assertions }: Question, alpha: number): number {
  return alpha / Math.max(1, assertions.filter(({ role }) => role === 'verdict').length);
}

function verdictOf(deciding: readonly JudgedAssertion[]): Judgement['verdict'] {
  const outcomes = deciding.map(({ outcome }) => outcome);
  if (outcomes.includes('fails')) return 'refuted';
  return outcomes.length > 0 && outcomes.every((one) => one === 'holds')
    ? 'confirmed'
    : 'inconclusive';
}

interface Rules {
  readonly values: ArmValues;
  readonly alpha: number;
  readonly strict: number;
}

function judgeAssertion(assertion: Assertion, { values, alpha, strict }: Rules): JudgedAssertion {
  const series = seriesOf(assertion, values);
  const measure = measureOf(assertion, series);
  const measured = withRatios(measure(series, alpha), assertion, values);
  const seen = { usual: measured, cautious: measure(series, strict) };
  const blocks = series.length;
  return { assertion, measured, series, blocks, ...decideOutcome(assertion, seen) };
}

/**
 * A count has no noise, so an explanation takes it from one block, as long as all others agree. The
 * deciding assertion keeps its interval.
 */
function measureOf(
  { kind, role, quantity, ...others }: Assertion,
  series: readonly number[],
): typeof measureLevel {
  const measure = kind === 'level' ? measureLevel : measureRatio;
  const against = 'against' in others ? others.against : undefined;
  const [first = NaN] = series;
  const isCount = role === 'explanation' && [quantity, against ?? quantity].every(isCounted);
  if (!isCount || !series.every((one) => one === first)) return measure;
  const value = kind === 'level' ? first : Math.exp(first);
  return () => (Number.isFinite(value) ? { value, low: value, high: value } : null);
}

/** Adds the two ratios that a change divides, of which its number is the quotient: alone it says little. */
function withRatios(
  measured: MeasuredNumber | null,
  assertion: Assertion,
  values: ArmValues,
): MeasuredNumber | null {
  if (measured === null || assertion.kind !== 'change') return measured;
  const logs = values.together(columnsOf(assertion)).map((block) => block.map(Math.log));
  const under = Math.exp(typicalLogRatio(logs.map(([, , c = NaN, d = NaN]) => c - d)));
  return { ...measured, ratios: [measured.value * under, under] };
}

/** One number a block: ln of the ratio, or the level itself. */
function seriesOf(assertion: Assertion, values: ArmValues): readonly number[] {
  const blocks = values.together(columnsOf(assertion));
  return blocks.map((block) => {
    if (assertion.kind === 'level') return block[0] ?? NaN;
    const [a = NaN, b = NaN, c = 1, d = 1] = block.map(Math.log);
    return assertion.kind === 'ratio' ? a - b : a - b - (c - d);
  });
}

/** An arm and one of its quantities. */
type Column = readonly [Arm, Quantity];

function columnsOf(assertion: Assertion): readonly Column[] {
  const { quantity } = assertion;
  if (assertion.kind !== 'ratio') {
    return armsOfAssertion(assertion).map((arm) => [arm, quantity]);
  }
  const { a, b, against = quantity } = assertion;
  return [
    [a, quantity],
    [b, against],
  ];
}

/**
 * Returns the typical ratio (`typicalLogRatio`) with the bounds of all looks together: see
 * `runningIntervals`. If it lies outside them, or no ratio fits all looks, adds the interval of the
 * last look.
 */
export function measureRatio(logRatios: readonly number[], alpha: number): MeasuredNumber | null {
  if (logRatios.length === 0 || !logRatios.every(Number.isFinite)) return null;
  const logRatio = typicalLogRatio(logRatios);
  const value = Math.exp(logRatio);
  const running = runningIntervals(logRatios, alpha).at(-1) ?? { kind: 'open' };
  if (running.kind === 'open') return { value, low: null, high: null };
  const bounds =
    running.kind === 'empty'
      ? { low: null, high: null }
      : { low: Math.exp(running.low), high: Math.exp(running.high) };
  const isInside =
    running.kind === 'bounded' && logRatio >= running.low && logRatio <= running.high;
  const last = isInside ? null : logInterval(logRatios, alpha);
  if (last === null) return { value, ...bounds };
  return { value, ...bounds, lastLook: { low: Math.exp(last.low), high: Math.exp(last.high) } };
}

/** Returns the median over trials with bounds that hold at every look. */
export function measureLevel(levels: readonly number[], alpha: number): MeasuredNumber | null {
  if (levels.length === 0 || !levels.every(Number.isFinite)) return null;
  const { median: value, low, high } = medianSequence(levels, alpha);
  return { value, low, high };
}

function judgeCounterfactual(
  counterfactual: Counterfactual,
  values: ArmValues,
  alpha: number,
): JudgedCounterfactual {
  const { withCause, withoutCause, effect, quantity } = counterfactual;
  const against = effect.kind === 'ratio' ? [effect.against] : [];
  const arms = [withCause, withoutCause, ...against];
  const blocks = values.together(arms.map((arm) => [arm, quantity]));
  const column = (index: number): readonly number[] => blocks.map((block) => block[index] ?? NaN);
  const [kept, gone, other] = [column(0), column(1), column(2)];
  const made = explainedShare({ kept, gone, other, effect }, alpha);
  const share = { explained: made.kind === 'no-effect' ? null : made.share, state: made.kind };
  if (effect.kind === 'level') {
    return {
      counterfactual,
      withCause: measureLevel(kept, alpha),
      withoutCause: measureLevel(gone, alpha),
      ...share,
    };
  }
  const ratios = (side: readonly number[]): readonly number[] =>
    side.map((value, index) => Math.log(other[index] ?? NaN) - Math.log(value));
  return {
    counterfactual,
    withCause: measureRatio(ratios(kept), alpha),
    withoutCause: measureRatio(ratios(gone), alpha),
    ...share,
  };
}

/** The values of the trials by arm and block. */
class ArmValues {
  readonly #byArm = new Map<string, CompletedTrial[]>();

  constructor(trials: readonly CompletedTrial[]) {
    for (const trial of trials) {
      const key = armKey(trial.job);
      const arm = this.#byArm.get(key);
      if (arm === undefined) this.#byArm.set(key, [trial]);
      else arm.push(trial);
    }
  }

  /** Returns one row for each block in which every arm has a value, in block order. */
  together(wanted: readonly Column[]): readonly (readonly number[])[] {
    const columns = wanted.map((one) => this.#column(one));
    const [first = new Map<number, number>()] = columns;
    return [...first.keys()]
      .sort((a, b) => a - b)
      .map((block) => columns.map((column) => column.get(block)))
      .filter((row): row is number[] => row.every((value) => value !== undefined));
  }

  #column([arm, quantity]: Column): ReadonlyMap<number, number> {
    const { read } = chooseReader(quantity, arm);
    const trials = this.#byArm.get(armKey(arm)) ?? [];
    return new Map(
      trials.flatMap((trial) => {
        const value = read(trial);
        return value === null ? [] : [[trial.job.block, value] as const];
      }),
    );
  }
}

/** Why trials of an arm are left out of a block: nothing that is open now needs it. */
export const notNeededReason = 'nothing that is still open needs it now';

/** So runs of older farms have it. */
const settledReason = 'all that needs it is settled';

/** Returns whether a side was left out of its block on purpose, before anything of it was seen. */
export function isLeftOut({ outcome }: Trial): boolean {
  return outcome.kind === 'skipped' && [notNeededReason, settledReason].includes(outcome.reason);
}

/**
 * Returns the trials without those of an incomplete last block. Which sides that block has depends
 * on how long the others took, so its values are no fair sample. A side that was left out, because
 * nothing open needed it before the block, is not missing.
 */
export function wholeBlocks(question: Question, trials: readonly Trial[]): readonly Trial[] {
  const last = trials.reduce((most, { job }) => Math.max(most, job.block), -1);
  const tried = trials.filter(
    (trial) => trial.job.block === last && (trial.outcome.kind !== 'skipped' || isLeftOut(trial)),
  );
  const there = new Set(tried.map(({ job }) => armKey(job)));
  if (listArms(question).every((arm) => there.has(armKey(arm)))) return trials;
  return trials.filter(({ job }) => job.block !== last);
}

import { mean } from 'simple-statistics';
import {
  type Arm,
  armKey,
  armsOfAssertion,
  armsOfCounterfactual,
  type Expectation,
  type Question,
} from '../../../core/model/question.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import type { Trial } from '../../../core/model/trial.ts';
import { moreBlocksNeeded } from '../../../core/analysis/stats/projection.ts';
import {
  type RunningInterval,
  runningIntervals,
} from '../../../core/analysis/stats/ratio-interval.ts';
import { defaultAlpha } from '../../../core/analysis/stats/verdict.ts';
import {
  isLeftOut,
  judge,
  type JudgedAssertion,
  type Judgement,
  strictAlpha,
  wholeBlocks,
} from './judge.ts';
import { noDifference, type Range, findExpectation, computeSizeRange } from './outcome.ts';
import { equalText } from './wording.ts';

/** State of the deciding assertions that are still open. */
export interface OpenAssertions {
  /** One sentence; null if nothing is open. */
  readonly text: string | null;
  /**
   * The projected number of blocks to settle it; null if nothing is open or no projection is
   * possible.
   */
  readonly moreBlocks: number | null;
}

/**
 * Describes how many more blocks it would take, and why the run did not measure them, as far as it
 * is stored.
 */
export function describeUnsettled(
  record: RunRecord,
  question: Question,
  judgement: Judgement,
): OpenAssertions {
  const deciding = judgement.assertions.filter(({ assertion }) => assertion.role === 'verdict');
  const equal = deciding
    .filter((one) => one.equal)
    .map(({ assertion }) => `${assertion.sentence}: ${equalText}`);
  if (deciding.every(isSettled)) {
    return { text: equal.length === 0 ? null : equal.join('; '), moreBlocks: null };
  }
  const moreBlocks = moreBlocksFor(question, judgement);
  const isEmpty = deciding.some(({ blocks }) => blocks === 0);
  const needed = isEmpty
    ? 'no block counts: trials failed, or were excluded because the machine was busy'
    : neededText(moreBlocks);
  const why = whyEnded(record, question, judgement);
  return { text: [...equal, needed, ...(why === null ? [] : [why])].join('; '), moreBlocks };
}

function neededText(count: number | null): string {
  if (count === null) return 'how many more blocks would settle it cannot be foreseen';
  return `about ${String(count)} more ${count === 1 ? 'block' : 'blocks'} would settle it`;
}

function whyEnded(record: RunRecord, question: Question, judgement: Judgement): string | null {
  const { run, trials } = record;
  if (run.status === 'running') return 'the run has not ended';
  if (run.status === 'interrupted') return 'the run was interrupted';
  const standing = questionState(question, trials, judgement);
  if (standing.kind === 'vanished') return standing.reason;
  const given = (option: string): number | null => {
    const [, value] = new RegExp(`--${option} ([\\d.]+)`).exec(run.command) ?? [];
    return value === undefined ? null : Number(value);
  };
  const [most, seconds] = [given('max-blocks'), given('budget')];
  const whole = wholeBlocks(question, trials);
  const blocks = new Set(whole.map(({ job }) => job.block)).size;
  if (most !== null && blocks >= most)
    return `all ${String(most)} blocks of --max-blocks were used`;
  return seconds === null ? null : `the ${String(seconds)} s of --budget were used up`;
}

/**
 * Projects how many more blocks would settle all deciding assertions (`stats/projection.ts`). Null
 * if nothing is open, and if no projection is possible: for a level, before there are two blocks,
 * if no single ratio fits all of them, or if the true value seems to lie at a bound.
 */
export function moreBlocksFor(question: Question, { assertions }: Judgement): number | null {
  const strict = strictAlpha(question, defaultAlpha);
  const open = assertions.filter((one) => one.assertion.role === 'verdict' && !isSettled(one));
  const needed = most(open.map((one) => moreFor(one, strict)));
  return needed === null || open.length === 0 ? null : Math.max(1, needed);
}

function moreFor(judged: JudgedAssertion, strict: number): number | null {
  const { assertion, series, direction, size } = judged;
  const isKnown = series.length >= 2 && series.every(Number.isFinite);
  if (assertion.kind === 'level' || !isKnown) return null;
  const asked = new Projection(series, strict);
  const side = direction === 'open' ? findExpectation(assertion) : null;
  const range = size === 'open' ? computeSizeRange(assertion) : null;
  return most([side === null ? 0 : asked.beyond(side), range === null ? 0 : asked.within(range)]);
}

function most(needed: readonly (number | null)[]): number | null {
  return needed.every((more) => more !== null) ? Math.max(0, ...needed) : null;
}

/** Projects how many more blocks like those seen would place the interval. */
class Projection {
  readonly #series: readonly number[];
  readonly #strict: number;
  readonly #value: number;

  constructor(series: readonly number[], strict: number) {
    this.#series = series;
    this.#strict = strict;
    this.#value = mean([...series]);
  }

  /** Places it wholly on one side of a bound; at the bound 1, equality settles it as well. */
  beyond({ above, below }: Expectation): number | null {
    const bound = above ?? below ?? NaN;
    const isExpected = this.#value > Math.log(bound) === (above !== undefined);
    return this.#past(bound, isExpected ? defaultAlpha : this.#strict);
  }

  /** Places it within a range, or outside of it. */
  within({ low, high }: Range): number | null {
    if (this.#value <= Math.log(low)) return this.#past(low, this.#strict);
    if (this.#value >= Math.log(high)) return this.#past(high, this.#strict);
    return most([this.#past(low, defaultAlpha), this.#past(high, defaultAlpha)]);
  }

  #past(bound: number, alpha: number): number | null {
    // A ratio is always above 0, independent of a bundle's expectation.
    if (bound <= 0) return 0;
    const centre = Math.log(bound);
    const running = runningIntervals(this.#series, alpha).at(-1) ?? { kind: 'open' };
    const shifted = shiftedBy(running, centre);
    if (shifted.kind === 'bounded' && (shifted.low > 0 || shifted.high < 0)) return 0;
    const differences = this.#series.map((difference) => difference - centre);
    const margin = bound === 1 ? noDifference - 1 : 0;
    return moreBlocksNeeded({ differences }, { running: shifted, margin, alpha });
  }
}

function shiftedBy(running: RunningInterval, centre: number): RunningInterval {
  if (running.kind !== 'bounded') return running;
  return { kind: 'bounded', low: running.low - centre, high: running.high - centre };
}

/** The rule that ends a run for a question. */
export type QuestionState =
  | { readonly kind: 'go-on' }
  | { readonly kind: 'answered' }
  /** Further blocks add no evidence. */
  | { readonly kind: 'vanished'; readonly reason: string };

/**
 * Number of blocks in a row that may add nothing: one failing side, or a machine that is too busy.
 */
const patience = 8;

/**
 * Decides at the end of a block whether the run continues. First the verdict is looked for, then the
 * direction and size of every assertion, and the bounds of every explained share; this is allowed
 * after every block, because all intervals hold at every look.
 */
export function questionState(
  question: Question,
  trials: readonly Trial[],
  judgement: Judgement = judge(question, trials),
): QuestionState {
  const { assertions, counterfactuals } = openOf(judgement);
  if (assertions.length + counterfactuals.length === 0) return { kind: 'answered' };
  // A missing explanation must not end a run that goes well.
  for (const { assertion, blocks } of assertions) {
    if (assertion.role !== 'verdict') continue;
    const tried = blocksTried(armsOfAssertion(assertion), trials);
    if (tried - blocks < patience || blocks >= tried / 2) continue;
    return {
      kind: 'vanished',
      reason: `of ${String(tried)} blocks only ${String(blocks)} hold all ${String(armsOfAssertion(assertion).length)} sides: trials fail, or are excluded because the machine is busy`,
    };
  }
  return { kind: 'go-on' };
}

/** Counts the blocks in which none of the arms was left out, however their trials ended. */
function blocksTried(arms: readonly Arm[], trials: readonly Trial[]): number {
  const keys = new Set(arms.map(armKey));
  const ours = trials.filter((trial) => keys.has(armKey(trial.job)));
  const left = new Set(ours.filter(isLeftOut).map(({ job }) => job.block));
  return new Set(ours.map(({ job }) => job.block).filter((block) => !left.has(block))).size;
}

/**
 * Returns the keys of the arms that something open needs now. The others may leave the run at the
 * end of a block, and come back at the end of another: each interval holds at any time at which its
 * own series stops, and what was seen of a block does not choose what is measured in it.
 */
export function neededArms(judgement: Judgement): ReadonlySet<string> {
  const { assertions, counterfactuals } = openOf(judgement);
  const arms = [
    ...assertions.flatMap(({ assertion }) => armsOfAssertion(assertion)),
    ...counterfactuals.flatMap(({ counterfactual }) => armsOfCounterfactual(counterfactual)),
  ];
  return new Set(arms.map(armKey));
}

/**
 * Returns what more blocks are for. While the verdict is open, that is what decides it alone: sizes,
 * explanations and suspects often take many more sides, and are worth nothing without a verdict.
 */
function openOf({
  verdict,
  assertions,
  counterfactuals,
}: Judgement): Pick<Judgement, 'assertions' | 'counterfactuals'> {
  const undecided = assertions.filter(
    ({ assertion, outcome, equal }) => assertion.role === 'verdict' && outcome === 'open' && !equal,
  );
  if (verdict === 'inconclusive' && undecided.length > 0) {
    return { assertions: undecided, counterfactuals: [] };
  }
  return {
    assertions: assertions.filter((one) => !isSettled(one)),
    counterfactuals: counterfactuals.filter(({ state }) => state === 'too-few-blocks'),
  };
}

/**
 * Returns whether more blocks would add nothing: direction and size are each confirmed or refuted,
 * or the two sides are equal, so that no direction can be shown.
 */
function isSettled({ outcome, direction, size, equal }: JudgedAssertion): boolean {
  return equal || ![outcome, direction, size].includes('open');
}

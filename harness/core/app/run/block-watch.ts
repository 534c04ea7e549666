import { chooseWindow, type ChosenWindow } from '../../analysis/chosen-window.ts';
import { cpuTimeBesideOthers, whyNotCounted } from '../../analysis/busy-machine.ts';
import {
  type TableEntry,
  decideTable,
  decisionIn,
  describeWithBlocks,
} from '../../analysis/decide.ts';
import { type Pair, runCircumstances } from '../../analysis/pairs.ts';
import { blocksUntilPrecise, foreseeBlocks, foreseeRows } from '../../analysis/foresight.ts';
import { shareOfChoice } from '../../analysis/machine-speed.ts';
import {
  endsRound,
  type IsOpen,
  type Rules,
  type StopState,
  stopStateOf,
} from '../../analysis/stopping.ts';
import { smallestBlocks } from '../../analysis/stats/mixture-test.ts';
import { defaultAlpha } from '../../analysis/stats/verdict.ts';
import { FarmError } from '../../errors.ts';
import { firstRoundBlocks, type Plan, findRound } from '../../model/plan.ts';
import { isQuarantined, type Trial } from '../../model/trial.ts';
import type { MeasurementName } from '../../plan/catalog/measurement.ts';
import type { Look } from '../../run/listener.ts';
import { formatDuration } from '../../run/progress/time-left.ts';
import type { Caller } from '../caller.ts';
import { timeWithoutWaits } from './host-lock.ts';

export interface Watching {
  readonly margin: number;
  readonly alpha: number;
  /** As `Rules` has it. */
  readonly isOpen?: IsOpen | undefined;
  /** As `Rules` has it. */
  readonly precision?: number | undefined;
  /** True if more blocks are of no use, whatever is open. */
  readonly isDone?:
    ((table: readonly TableEntry[], trials: readonly Trial[]) => boolean) | undefined;
  /**
   * Milliseconds; a block that would not end in time is not begun, except for those of the first
   * round.
   */
  readonly budget?: number | undefined;
  /** Milliseconds of a clock that does not jump. */
  readonly now?: () => number;
  /** The trials as they are judged; as they are when left out. */
  readonly judged?: (trials: readonly Trial[]) => readonly Trial[];
  /** Says what a look shows, in a line for each pair. */
  readonly describe?: (table: readonly TableEntry[]) => readonly string[];
  /** Takes what a person should know at once: that the budget, or the machine, will hardly do. */
  readonly say?: (sentence: string) => void;
}

/** Why a comparison has no more blocks; `no-values` where an open pair lacks a side that still gives some. */
export type Ending = 'decided' | 'budget' | 'most-blocks' | 'interrupted' | 'no-values';

interface BlockWatch {
  enough(trials: readonly Trial[]): boolean;
  standing(): StopState;
  /** Why a run of these trials ended; `interrupted` where no rule ended it. */
  ending(trials: readonly Trial[]): Ending;
  /** How it stands, and when it is expected to end; null if nothing new is known. */
  look(trials: readonly Trial[]): Look | null;
  /** How many more blocks each undecided pair needs by itself, where that can be foreseen. */
  foresee(trials: readonly Trial[]): ReadonlyMap<TableEntry, number>;
  /** The decisions over these trials: those of the last look, unless trials came after it. */
  decide(trials: readonly Trial[]): readonly TableEntry[];
  /** Of the trials after the first round, once it is over; only of a pair that is alone. */
  window(trials: readonly Trial[]): ChosenWindow | null;
}

/** Looks after every round: that is allowed, the test is made for it. */
export function watchBlocks(plan: Plan, pairs: readonly Pair[], watching: Watching): BlockWatch {
  const { margin, alpha, isOpen, precision, budget = Infinity, now = timeWithoutWaits } = watching;
  const { judged = (trials) => trials } = watching;
  const rules = { margin, alpha, isOpen, precision, ...runCircumstances(plan) };
  const startedAt = now();
  const warnings = new Warnings(watching.say ?? (() => undefined));
  let standing: StopState = { kind: 'go-on' };
  /** Blocks that a lone pair needs more, where no simulation says so; else null. */
  let ofSingle: number | null = null;
  let seen = -1;
  let isOverBudget = false;
  const decide = keepLast((measured) => decideTable(judged(measured), pairs, rules));
  const foresight = (trials: readonly Trial[]): Foresight => {
    const bounds = { ended: countBlocks(plan, trials), most: plan.blocks };
    return [decide(trials), judged(trials), { ...rules, ...bounds }];
  };
  const [pair, ...others] = pairs;
  const single = others.length === 0 ? pair : undefined;
  const window = (trials: readonly Trial[]): ChosenWindow | null =>
    single === undefined ? null : chooseWindow(plan, single, trials);
  return {
    standing: () => standing,
    ending: (trials) =>
      findEnding(standing, countBlocks(plan, trials) >= plan.blocks, isOverBudget),
    decide,
    foresee: (trials) => foreseeRows(...foresight(trials)),
    window,
    enough(measured) {
      const trials = judged(measured);
      if (single !== undefined) warnings.ofMachine(trials, single);
      if (!endsRound(plan, measured)) return false;
      const table = decide(measured);
      const isDone = watching.isDone?.(table, trials) === true;
      standing = isDone ? { kind: 'decided' } : stopStateOf(table, trials, rules);
      ofSingle = null;
      if (single !== undefined) {
        const judging = { pair: single, table, rules, budget };
        ({ standing, moreBlocks: ofSingle } = judge(standing, trials, judging));
      }
      if (standing.kind !== 'go-on') return true;
      const elapsed = now() - startedAt;
      const blockMs = estimateBlock(plan, trials, { elapsed, window: window(trials) });
      isOverBudget = elapsed + blockMs > budget;
      if (isOverBudget || single === undefined) return isOverBudget;
      warnings.ofBudget(blocksNeeded(foresight(measured), ofSingle) * blockMs, budget - elapsed);
      return false;
    },
    look(measured) {
      const ended = countBlocks(plan, measured);
      if (ended === seen) return null;
      seen = ended;
      const table = decide(measured);
      const isRound = measured.length > 0 && endsRound(plan, measured);
      return {
        ...describeRound(isRound ? table : null, watching),
        blocks: foreseeEnd(foresight(measured), ofSingle),
        budgetMs: Number.isFinite(budget) ? budget - (now() - startedAt) : null,
      };
    },
  };
}

type Foresight = Parameters<typeof foreseeBlocks>;

/** How many more blocks a lone pair needs; 0 where that cannot be foreseen. */
function blocksNeeded(foresight: Foresight, ofSingle: number | null): number {
  const [more = 0] = foreseeRows(...foresight).values();
  return ofSingle ?? more;
}

/** What a look shows of a table; nothing within a round. */
function describeRound(
  table: readonly TableEntry[] | null,
  { margin, alpha, describe }: Watching,
): Pick<Look, 'found' | 'lines'> {
  if (table === null) return { found: null, lines: [] };
  return {
    found: { margin, alpha, pairs: table.flatMap(describeWithBlocks) },
    lines: describe?.(table) ?? [],
  };
}

function findEnding({ kind }: StopState, isLast: boolean, isOverBudget: boolean): Ending {
  if (kind === 'vanished') return 'no-values';
  if (kind === 'decided') return 'decided';
  if (isLast) return 'most-blocks';
  return isOverBudget ? 'budget' : 'interrupted';
}

/** `foreseeBlocks`, or a guess before there are blocks enough. */
function foreseeEnd(foresight: Foresight, ofSingle: number | null): number | null {
  const [, , { ended, most }] = foresight;
  if (ended < leastForeseen) return Math.min(typicalBlocks, most);
  return ofSingle === null ? foreseeBlocks(...foresight) : Math.min(most, ended + ofSingle);
}

/**
 * Milliseconds of the next block: after the first, a round is one block; those of the first would
 * have taken longer, timed as it will be.
 */
function estimateBlock(
  plan: Plan,
  trials: readonly Trial[],
  { elapsed, window }: { readonly elapsed: number; readonly window: ChosenWindow | null },
): number {
  const blocks = blocksNow(plan, trials);
  const { firstMs, thenMs } = window ?? { firstMs: 0, thenMs: 0 };
  const shorter = blocks.filter((block) => findRound(plan, block) === 0).length;
  return (elapsed + shorter * 2 * (thenMs - firstMs)) / blocks.length;
}

/** Blocks of a comparison that is decided, as a guess before there are some. */
export const typicalBlocks = 8;

/** Fewer blocks show no spread. */
const leastForeseen = 2;

/** The blocks of which every planned trial has ended. */
function countBlocks({ jobs }: Plan, trials: readonly Trial[]): number {
  const done = new Set(trials.map(({ job }) => job.ordinal));
  const begun = new Set(trials.map(({ job }) => job.block));
  const missing = new Set(jobs.flatMap((job) => (done.has(job.ordinal) ? [] : [job.block])));
  return [...begun].filter((block) => !missing.has(block)).length;
}

/** Decides again only where trials came after the last decision. */
function keepLast(
  decide: (trials: readonly Trial[]) => readonly TableEntry[],
): (trials: readonly Trial[]) => readonly TableEntry[] {
  let last: { readonly count: number; readonly table: readonly TableEntry[] } | null = null;
  return (trials) => {
    if (last?.count !== trials.length) last = { count: trials.length, table: decide(trials) };
    return last.table;
  };
}

interface Judging {
  readonly pair: Pair;
  readonly table: readonly TableEntry[];
  readonly rules: Rules;
  readonly budget: number;
}

interface BlockState {
  readonly standing: StopState;
  /** Blocks that may decide it, where no simulation says so; else null. */
  readonly moreBlocks: number | null;
}

/**
 * On a machine that is too busy for durations the CPU time says whether more blocks are of use: a run
 * ends when that is decided, and within a budget no sooner.
 */
function judge(
  standing: StopState,
  trials: readonly Trial[],
  { pair, table, rules, budget }: Judging,
): BlockState {
  if (standing.kind === 'decided') return { standing, moreBlocks: null };
  const why = whyNotCounted(trials, pair);
  const cpuTime = why === null ? null : cpuTimeBesideOthers(trials, pair, rules);
  if (why === null || cpuTime === null) {
    const decision = decisionIn(table);
    if (decision === null) return { standing, moreBlocks: null };
    const { precision } = rules;
    return {
      standing,
      moreBlocks: precision === undefined ? null : blocksUntilPrecise(decision, precision),
    };
  }
  const { verdict, moreBlocks } = cpuTime;
  if (verdict !== 'undecided') {
    return { standing: { kind: 'vanished', reason: why }, moreBlocks: null };
  }
  return { standing: Number.isFinite(budget) ? { kind: 'go-on' } : standing, moreBlocks };
}

/** Trials that do not count, after which a note says so. */
const firstTrials = 2;

/** Says each thing once. */
class Warnings {
  readonly #say: (sentence: string) => void;
  readonly #said = new Set<string>();

  constructor(say: (sentence: string) => void) {
    this.#say = say;
  }

  ofMachine(trials: readonly Trial[], pair: Pair): void {
    if (trials.length < firstTrials || !trials.every(isQuarantined)) return;
    const why = whyNotCounted(trials, pair);
    if (why === null) return;
    this.#once(
      'machine',
      `no trial counts so far, ${why}. Until one does, blocks go on without repeats, and CPU time is compared`,
    );
  }

  ofBudget(neededMs: number, leftMs: number): void {
    if (neededMs <= leftMs) return;
    this.#once(
      'budget',
      `the budget will hardly decide this: more blocks of some ${formatDuration(neededMs)} are needed, and ${formatDuration(leftMs)} is left`,
    );
  }

  #once(what: string, sentence: string): void {
    if (this.#said.has(what)) return;
    this.#said.add(what);
    this.#say(sentence);
  }
}

/** Blocks of which this plan did a trial; of those it found done, the watch saw no time go by. */
function blocksNow({ done }: Plan, trials: readonly Trial[]): readonly number[] {
  const ours = trials.filter(({ job }) => done?.has(job.ordinal) !== true);
  return [...new Set(ours.map(({ job }) => job.block))];
}

/** The fewest blocks after which a comparison of two alike sides (`areAlike`) may have a verdict. */
export function fewestBlocks(alpha = defaultAlpha): number {
  return Math.max(firstRoundBlocks, smallestBlocks(alpha, firstRoundBlocks));
}

/**
 * Blocks that a disturbed machine lost do not count: as few as the least are enough only without
 * such blocks, which is reported.
 * @throws FarmError `bad-argument` for fewer blocks than any interval takes.
 */
export function checkMaxBlocks(
  maxBlocks: number,
  { say }: Pick<Caller, 'say'>,
  least = smallestBlocks(defaultAlpha * shareOfChoice),
): void {
  if (maxBlocks < least) {
    throw new FarmError('bad-argument', {
      what: `${String(maxBlocks)} blocks cannot decide anything.`,
      next: `It takes at least ${String(least)} blocks that count: --max-blocks ${String(least)} or, as a disturbed one does not, some more.`,
    });
  }
  if (maxBlocks === least) {
    say(
      `with --max-blocks ${String(least)} each block must count: if the machine disturbs one, nothing is decided`,
    );
  }
}

interface AskedBlocks {
  readonly maxBlocks: number;
  readonly measurement?: MeasurementName | undefined;
}

/**
 * `checkMaxBlocks`, except for a smoke test: it decides nothing, and may have a single block.
 * @returns the blocks of the first round: fewer than those of a whole one come one by one
 */
export function checkFirstRound(
  { maxBlocks, measurement }: AskedBlocks,
  caller: Pick<Caller, 'say'>,
): number {
  if (measurement !== 'fast') checkMaxBlocks(maxBlocks, caller);
  return maxBlocks < firstRoundBlocks ? 1 : firstRoundBlocks;
}

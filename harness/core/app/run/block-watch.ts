import { chooseWindow, type ChosenWindow } from '../../analysis/chosen-window.ts';
import { cpuTimeBesideOthers, whyNotCounted } from '../../analysis/busy-machine.ts';
import {
  type PairRules,
  type TableEntry,
  decideTable,
  decisionIn,
  describeWithBlocks,
} from '../../analysis/decide.ts';
import { type Pair, runCircumstances } from '../../analysis/pairs.ts';
import { shareOfChoice } from '../../analysis/machine-speed.ts';
import { endsRound, type IsOpen, type StopState, stopStateOf } from '../../analysis/stopping.ts';
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
  /**
   * Milliseconds; a block that would not end in time is not begun, except for those of the first
   * round.
   */
  readonly budget?: number | undefined;
  /** Milliseconds of a clock that does not jump. */
  readonly now?: () => number;
  /** The trials as they are judged; as they are when left out. */
  readonly judged?: (trials: readonly Trial[]) => readonly Trial[];
  /** A line for each comparison of a look, for the terminal; none when left out. */
  readonly describe?: (table: readonly TableEntry[]) => readonly string[];
  /** Takes what a person should know at once: that the budget, or the machine, will hardly do. */
  readonly say?: (sentence: string) => void;
}

interface BlockWatch {
  enough(trials: readonly Trial[]): boolean;
  standing(): StopState;
  /** What the newest look showed that did not end the run; null before it. */
  look(): Look | null;
  /** The decisions over these trials: those of the last look, unless trials came after it. */
  decide(trials: readonly Trial[]): readonly TableEntry[];
  /** Of the trials after the first round, once it is over; only of a pair that is alone. */
  window(trials: readonly Trial[]): ChosenWindow | null;
}

/** Looks after every round: that is allowed, the test is made for it. */
export function watchBlocks(plan: Plan, pairs: readonly Pair[], watching: Watching): BlockWatch {
  const { margin, alpha, isOpen, budget = Infinity, now = timeWithoutWaits } = watching;
  const { judged = (trials) => trials } = watching;
  const rules = { margin, alpha, isOpen, ...runCircumstances(plan) };
  const startedAt = now();
  const warnings = new Warnings(watching.say ?? (() => undefined));
  let standing: StopState = { kind: 'go-on' };
  let decided: DecidedTable = { trials: -1, table: [] };
  let look: Look | null = null;
  const decide = (measured: readonly Trial[]): readonly TableEntry[] => {
    if (decided.trials !== measured.length) {
      const table = decideTable(judged(measured), pairs, rules);
      decided = { trials: measured.length, table };
    }
    return decided.table;
  };
  const [pair, ...others] = pairs;
  const single = others.length === 0 ? pair : undefined;
  const window = (trials: readonly Trial[]): ChosenWindow | null =>
    single === undefined ? null : chooseWindow(plan, single, trials);
  return {
    standing: () => standing,
    look: () => look,
    decide,
    window,
    enough(measured) {
      const trials = judged(measured);
      if (single !== undefined) warnings.ofMachine(trials, single);
      if (!endsRound(plan, measured)) return false;
      const table = decide(measured);
      standing = stopStateOf(table, trials, rules);
      let moreBlocks: number | null = null;
      if (single !== undefined) {
        ({ standing, moreBlocks } = judge(standing, trials, {
          pair: single,
          table,
          rules,
          budget,
        }));
      }
      if (standing.kind !== 'go-on') return true;
      const elapsed = now() - startedAt;
      const blockMs = nextBlock(elapsed, trials);
      if (elapsed + blockMs > budget) return true;
      warnings.ofBudget((moreBlocks ?? 0) * blockMs, budget - elapsed);
      look = makeLook(table, watching, expectRest(table, blockMs, budget - elapsed));
      return false;
    },
  };

  /** After the first, a round is one block; those of the first would have taken longer, timed as it will be. */
  function nextBlock(elapsed: number, trials: readonly Trial[]): number {
    const blocks = blocksNow(plan, trials);
    const { firstMs, thenMs } = window(trials) ?? { firstMs: 0, thenMs: 0 };
    const shorter = blocks.filter((block) => findRound(plan, block) === 0).length;
    return (elapsed + shorter * 2 * (thenMs - firstMs)) / blocks.length;
  }
}

function makeLook(
  table: readonly TableEntry[],
  { margin, describe }: Pick<Watching, 'margin' | 'describe'>,
  leftMs: number | null,
): Look {
  const lines = describe?.(table) ?? [];
  return { lines, leftMs, margin, pairs: table.flatMap(describeWithBlocks) };
}

/**
 * Milliseconds until the last open pair is expected to be decided, at most those of the budget; null
 * where neither is known.
 */
function expectRest(
  table: readonly TableEntry[],
  blockMs: number,
  budgetMs: number,
): number | null {
  const blocks = table.flatMap(({ decision: made }) =>
    made.kind === 'decided-on' && made.decision.verdict === 'undecided'
      ? [made.decision.moreBlocks ?? Infinity]
      : [],
  );
  const ms = Math.min(Math.max(0, ...blocks) * blockMs, budgetMs);
  return Number.isFinite(ms) ? ms : null;
}

/** The decisions over the trials so far. */
interface DecidedTable {
  readonly trials: number;
  readonly table: readonly TableEntry[];
}

interface Judging {
  readonly pair: Pair;
  readonly table: readonly TableEntry[];
  readonly rules: PairRules;
  readonly budget: number;
}

interface BlockState {
  readonly standing: StopState;
  /** Blocks that may decide it; null where that is not known, or nothing is left to decide. */
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
    return { standing, moreBlocks: decisionIn(table)?.moreBlocks ?? null };
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

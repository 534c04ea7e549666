import type { Pair } from '../../core/analysis/pairs.ts';
import { countingDisturbed } from '../../core/analysis/series.ts';
import type { Trial } from '../../core/model/trial.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { searchVersions, type Search } from '../compare/compare-versions.ts';
import type { VersionsOptions } from '../compare/options.ts';
import { keptBuildsFolder } from '../compare/versions/kept-builds.ts';
import type { Commit } from './commits.ts';
import {
  type ComparedCommits,
  type ComparedRow,
  type PairsOfPlan,
  rowsOf,
  stopsWhenClear,
  type WantedComparison,
  whyUnusable,
} from './comparison.ts';
import type { Journal } from './journal.ts';
import type { Gap } from './step-gap.ts';

export interface BisectCommitsOptions extends VersionsOptions {
  /** Goes on with no comparison of an earlier bisection. */
  readonly anew?: boolean;
}

export interface BisectCommitsCaller extends MeasuringCaller {
  /** Takes each comparison as it ends. */
  readonly onStep?: (step: ComparedCommits) => void;
}

/** Milliseconds of one comparison. */
const usualBudgetMs = 180_000;

/** The comparisons of a bisection: those that were made, and those of an earlier one with the same command. */
export class CommitComparisons {
  readonly steps: ComparedCommits[] = [];
  readonly #options: BisectCommitsOptions;
  readonly #caller: BisectCommitsCaller;
  readonly #journal: Journal;
  readonly #keptSince: number | undefined;
  readonly #looks = new Map<string, Trial>();

  constructor(options: BisectCommitsOptions, caller: BisectCommitsCaller, journal: Journal) {
    this.#options = options;
    this.#caller = caller;
    this.#journal = journal;
    this.#keptSince = options.anew === true ? Date.now() : undefined;
  }

  /** Compares commits, or takes what an earlier bisection found; null if interrupted. */
  async compare(
    commits: readonly Commit[],
    asked: AskedComparison,
  ): Promise<ComparedCommits | null> {
    if (this.#caller.signal.aborted) return null;
    const { purpose, row } = asked;
    const followed = row === undefined ? null : `${row.browser} ${row.metric}`;
    const wanted = { purpose, followed, commits: commits.map(({ name }) => name) };
    const known = this.#journal.find(wanted);
    const ended = known ?? (await this.#compareNow(wanted, asked));
    if (ended === null) return null;
    if (known === null) await this.#journal.add(ended);
    this.steps.push(ended);
    this.#caller.onStep?.(ended);
    return ended;
  }

  async #compareNow(
    wanted: WantedComparison,
    { pairs, row, alpha, gapIn }: AskedComparison,
  ): Promise<ComparedCommits | null> {
    const began = performance.now();
    const isOfOne = row !== undefined && wanted.purpose !== 'check';
    const isClear = stopsWhenClear(row);
    const search: Search = {
      pairs,
      kept: keptBuildsFolder(),
      looks: this.#looks,
      ...(this.#keptSince !== undefined && { keptSince: this.#keptSince }),
      ...(gapIn === undefined
        ? { isDone: isClear }
        : {
            isDone: (table, trials) =>
              isOneGap(
                gapIn(
                  trials,
                  table.map(({ pair }) => pair),
                ),
              ),
            goesOn: true,
            // Ranks are compared within a block, whose order is drawn by itself.
            firstRound: 1,
          }),
    };
    const options = {
      ...this.#options,
      ...(isOfOne && { browsers: [row.browser] }),
      budget: this.#options.budget ?? usualBudgetMs,
      errorRate: alpha,
    };
    const nothing = { ...wanted, commits: [...wanted.commits], run: null, command: null, rows: [] };
    const ended = () => ({ unusable: {}, between: null, ms: performance.now() - began });
    try {
      const made = await searchVersions(wanted.commits, { ...options, search }, this.#caller);
      if (made.interrupted) return null;
      const { run, command, entries } = made;
      const gap = gapIn?.(
        countingDisturbed(made.trials),
        entries.map(({ pair }) => pair),
      );
      const between = gap === undefined ? null : namesOfGap(wanted.commits, gap);
      return { ...nothing, ...ended(), between, run, command, rows: [...rowsOf(entries)] };
    } catch (error) {
      const unusable = whyUnusable(error, wanted.commits.slice(1, -1));
      if (unusable === null) throw error;
      return { ...nothing, ...ended(), unusable };
    }
  }
}

/** What a bisection wants of a comparison. */
export interface AskedComparison {
  readonly purpose: ComparedCommits['purpose'];
  readonly pairs: PairsOfPlan;
  /** The row that is followed; all are when left out. */
  readonly row?: ComparedRow;
  readonly alpha: number;
  /** Of a search: the neighbours among its commits that the step lies between. */
  readonly gapIn?: GapOfRound;
}

export type GapOfRound = (trials: readonly Trial[], pairs: readonly Pair[]) => Gap;

function isOneGap({ first, last }: Gap): boolean {
  return last === first + 1;
}

function namesOfGap(names: readonly string[], { first, last }: Gap): [string, string] {
  return [names[first] ?? '', names[last] ?? ''];
}

import { versionPairs } from '../../core/analysis/run-pairs.ts';
import { defaultAlpha } from '../../core/analysis/stats/verdict.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { searchVersions, type Search } from '../compare/compare-versions.ts';
import type { VersionsOptions } from '../compare/options.ts';
import { keptBuildsFolder } from '../compare/versions/kept-builds.ts';
import { type Commit, type CommitRange, listCommits, listMerged } from './commits.ts';
import {
  between,
  clearest,
  type ComparedCommits,
  type ComparedRow,
  leavesRest,
  only,
  type PairsOfPlan,
  rowsOf,
  sameRow,
  standingOf,
  stopsSearch,
  type WantedComparison,
  whyUnusable,
} from './comparison.ts';
import { commandFor, Journal } from './journal.ts';
import {
  countRounds,
  type Ends,
  isNarrowed,
  type Place,
  searchPlace,
  type Standings,
} from './search.ts';

export interface BisectCommitsOptions extends VersionsOptions {
  /** Goes on with no comparison of an earlier bisection. */
  readonly anew?: boolean;
}

export interface BisectCommitsCaller extends MeasuringCaller {
  /** Takes each comparison as it ends. */
  readonly onStep?: (step: ComparedCommits) => void;
}

/** A commit that made a difference, against the one before it in fresh blocks. */
export interface FoundChange {
  readonly commit: Commit;
  /** The last commit that was as the good one. */
  readonly before: Commit;
  /** Those between the two that could not be told, and why. */
  readonly skipped: readonly { readonly commit: Commit; readonly why: string }[];
  /** The merge that brought it in; null where it lies on the way itself. */
  readonly mergedBy: Commit | null;
  /** False if its own comparison does not show the difference. */
  readonly isVerified: boolean;
  readonly check: ComparedCommits;
}

export interface CommitBisection {
  readonly outcome: 'found' | 'no-difference' | 'undecided';
  /** The first is the good one, the last the bad one. */
  readonly commits: readonly Commit[];
  /** The two held against each other. */
  readonly ends: ComparedCommits | null;
  readonly changes: readonly FoundChange[];
  readonly steps: readonly ComparedCommits[];
  readonly interrupted: boolean;
}

/** Commits of a round: without a build a checkout takes no time, so more of them save rounds. */
const atOnce = { checkedOut: 3, built: 1 };

/** No more changes are looked for. */
const mostChanges = 3;

/** Milliseconds of one comparison. */
const usualBudgetMs = 180_000;

/**
 * Finds the commits that made a page slower or faster: compares the ends of a range, halves it by
 * the sequential test, and holds what it found against the commit before it in fresh blocks. All
 * comparisons together have the error rate of one.
 * @throws FarmError `bad-argument` if the range is none, or one of its ends cannot be measured
 */
export async function bisectCommits(
  range: CommitRange,
  options: BisectCommitsOptions,
  caller: BisectCommitsCaller,
): Promise<CommitBisection> {
  const repository = { from: process.cwd(), signal: caller.signal };
  const commits = await listCommits(range, repository);
  const bisection = new CommitsBisection(commits, options, caller);
  return bisection.find(repository);
}

class CommitsBisection {
  readonly #commits: readonly Commit[];
  readonly #options: BisectCommitsOptions;
  readonly #caller: BisectCommitsCaller;
  readonly #atOnce: number;
  readonly #alpha: number;
  readonly #steps: ComparedCommits[] = [];
  readonly #changes: FoundChange[] = [];
  #journal: Journal | null = null;
  #searches = 0;

  constructor(
    commits: readonly Commit[],
    options: BisectCommitsOptions,
    caller: BisectCommitsCaller,
  ) {
    this.#commits = commits;
    this.#options = options;
    this.#caller = caller;
    this.#atOnce = options.build === undefined ? atOnce.checkedOut : atOnce.built;
    // Ends, rounds and check of the first search share one half of it, later ones the rest.
    this.#alpha = defaultAlpha / (countRounds(commits.length, this.#atOnce) + 2);
  }

  async find(repository: {
    readonly from: string;
    readonly signal: AbortSignal;
  }): Promise<CommitBisection> {
    const [good, bad] = [this.#commits[0], this.#commits.at(-1)];
    if (good === undefined || bad === undefined) throw new RangeError('a range has two ends');
    const { database, anew = false } = this.#options;
    this.#journal = await Journal.open(database, commandFor(good, bad, this.#options), anew);
    if (this.#journal.length > 0) {
      this.#caller.say(
        `goes on with ${String(this.#journal.length)} comparisons of an earlier bisection; --anew begins without them`,
      );
    }
    const ends = await this.#compare([good, bad], { purpose: 'ends', pairs: versionPairs });
    const differing = ends === null ? [] : clearest(ends.rows);
    if (ends === null || differing.length === 0) return this.#conclude(ends);
    for (const row of differing) {
      if (this.#changes.length >= mostChanges || this.#isExplained(row)) continue;
      await this.#follow(row, this.#commits, repository);
    }
    return this.#conclude(ends);
  }

  /** Finds the changes that make up this row's difference between the ends of these commits. */
  async #follow(
    row: ComparedRow,
    commits: readonly Commit[],
    repository: { readonly from: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const found = await this.#findChange(row, commits);
    if (found === null) return;
    const merged = await this.#enter(found, row, repository);
    this.#changes.push(merged ?? found);
    const checked = sameRow(found.check.rows, row);
    if (
      !found.isVerified ||
      checked === undefined ||
      !leavesRest(row, checked, this.#options.margin)
    )
      return;
    const at = commits.indexOf(found.commit);
    for (const part of [commits.slice(at), commits.slice(0, commits.indexOf(found.before) + 1)]) {
      if (part.length < 2 || this.#changes.length >= mostChanges) continue;
      const rest = await this.#differs(part, row);
      if (rest !== null) await this.#follow(rest, part, repository);
    }
  }

  /** The first commit among these that makes the difference of a row, checked; null if interrupted. */
  async #findChange(row: ComparedRow, commits: readonly Commit[]): Promise<FoundChange | null> {
    this.#searches += 1;
    const place = await searchPlace({
      count: commits.length,
      atOnce: this.#atOnce,
      signal: this.#caller.signal,
      measure: (points, ends) => this.#measure(points, { ends, commits, row }),
    });
    return this.#check(place, row, commits);
  }

  async #check(
    { before: at, after, skipped }: Place,
    row: ComparedRow,
    commits: readonly Commit[],
  ): Promise<FoundChange | null> {
    const [before, commit] = [commits[at], commits[after]];
    if (before === undefined || commit === undefined) throw new RangeError('a place has two sides');
    const check = await this.#compare([before, commit], {
      purpose: 'check',
      pairs: versionPairs,
      row,
    });
    if (check === null) return null;
    return {
      commit,
      before,
      skipped: [...skipped].flatMap(([point, why]) => {
        const one = commits[point];
        return one === undefined ? [] : [{ commit: one, why }];
      }),
      mergedBy: null,
      isVerified: sameRow(check.rows, row)?.verdict === row.verdict,
      check,
    };
  }

  /** The change inside of a merge; null if it is none, or none of its branches has the difference. */
  async #enter(
    found: FoundChange,
    row: ComparedRow,
    repository: { readonly from: string; readonly signal: AbortSignal },
  ): Promise<FoundChange | null> {
    const { commit } = found;
    if (!found.isVerified || commit.parents.length < 2 || found.skipped.length > 0) return null;
    for (const branch of await listMerged(commit, repository)) {
      const rest = await this.#differs(branch, row);
      if (rest === null) continue;
      const inside = await this.#findChange(rest, branch);
      if (inside?.isVerified !== true) continue;
      const deeper = await this.#enter(inside, row, repository);
      return deeper ?? { ...inside, mergedBy: commit };
    }
    return null;
  }

  /** The row's difference between the ends of these commits, if there is one in the same direction. */
  async #differs(commits: readonly Commit[], row: ComparedRow): Promise<ComparedRow | null> {
    this.#searches += 1;
    const [first, last] = [commits[0], commits.at(-1)];
    if (first === undefined || last === undefined) return null;
    const found = await this.#compare([first, last], { purpose: 'ends', pairs: only(row), row });
    const same = found === null ? undefined : sameRow(found.rows, row);
    return same?.verdict === row.verdict ? same : null;
  }

  async #measure(
    points: readonly number[],
    {
      ends,
      commits,
      row,
    }: { readonly ends: Ends; readonly commits: readonly Commit[]; readonly row: ComparedRow },
  ): Promise<Standings> {
    const all = [ends.first, ...points, ends.last];
    const names = all.flatMap((point) => commits[point] ?? []);
    const nameOf = (point: number): string => commits[point]?.name ?? '';
    const standings = (rows: readonly ComparedRow[]): Standings =>
      new Map(
        points.map((point) => [
          point,
          standingOf(nameOf(point), [nameOf(ends.first), nameOf(ends.last)], rows, row),
        ]),
      );
    const found = await this.#compare(names, {
      purpose: 'search',
      pairs: between(row, [nameOf(ends.first), nameOf(ends.last)]),
      row,
      isDone: (rows) => isNarrowed(points, ends, standings(rows)),
    });
    if (found === null) return new Map();
    const broken = points.filter((point) => nameOf(point) in found.unusable);
    if (broken.length === 0) return standings(found.rows);
    return new Map(
      broken.map((point) => [point, { unusable: found.unusable[nameOf(point)] ?? '' }]),
    );
  }

  /** Compares commits, or takes what an earlier bisection found; null if interrupted. */
  async #compare(commits: readonly Commit[], asked: Asked): Promise<ComparedCommits | null> {
    if (this.#caller.signal.aborted) return null;
    const { purpose, row } = asked;
    const followed = row === undefined ? null : `${row.browser} ${row.metric}`;
    const wanted = { purpose, followed, commits: commits.map(({ name }) => name) };
    const known = this.#journal?.find(wanted) ?? null;
    const ended = known ?? (await this.#compareNow(wanted, asked));
    if (ended === null) return null;
    if (known === null) await this.#journal?.add(ended);
    this.#steps.push(ended);
    this.#caller.onStep?.(ended);
    return ended;
  }

  async #compareNow(wanted: WantedComparison, asked: Asked): Promise<ComparedCommits | null> {
    const { pairs, row } = asked;
    const began = performance.now();
    const isOfOne = row !== undefined && wanted.purpose !== 'check';
    const search: Search = {
      pairs,
      alpha: this.#alpha / 2 ** Math.max(1, this.#searches),
      isDone: stopsSearch(asked),
      kept: keptBuildsFolder(),
    };
    const options = {
      ...this.#options,
      ...(isOfOne && { browsers: [row.browser] }),
      budget: this.#options.budget ?? usualBudgetMs,
    };
    const nothing = { ...wanted, commits: [...wanted.commits], run: null, command: null, rows: [] };
    try {
      const made = await searchVersions(wanted.commits, { ...options, search }, this.#caller);
      if (made.interrupted) return null;
      const { run, command } = made;
      const rows = [...rowsOf(made.entries)];
      return { ...nothing, unusable: {}, run, command, rows, ms: performance.now() - began };
    } catch (error) {
      const unusable = whyUnusable(error, wanted.commits.slice(1, -1));
      if (unusable === null) throw error;
      return { ...nothing, unusable, ms: performance.now() - began };
    }
  }

  /** True if a change that was found made the difference of a row, too, or most of it. */
  #isExplained(row: ComparedRow): boolean {
    return this.#changes.some(({ check }) => {
      const same = sameRow(check.rows, row);
      if (same === undefined || same.ratio === null || row.ratio === null) return false;
      return same.verdict === row.verdict || Math.log(same.ratio) / Math.log(row.ratio) > 0.5;
    });
  }

  async #conclude(ends: ComparedCommits | null): Promise<CommitBisection> {
    const interrupted = this.#caller.signal.aborted;
    const verified = this.#changes.filter(({ isVerified }) => isVerified);
    const isSame =
      ends?.rows.every(({ verdict }) => verdict === 'equivalent' || verdict === 'not given') ===
      true;
    const outcome =
      verified.length > 0 ? 'found' : isSame && !interrupted ? 'no-difference' : 'undecided';
    if (!interrupted) await this.#journal?.close();
    return {
      outcome,
      commits: this.#commits,
      ends,
      changes: this.#changes,
      steps: this.#steps,
      interrupted,
    };
  }
}

interface Asked {
  readonly purpose: ComparedCommits['purpose'];
  readonly pairs: PairsOfPlan;
  /** The row that is followed; all are when left out. */
  readonly row?: ComparedRow;
  /** True if a search knows where to go on. */
  readonly isDone?: (rows: readonly ComparedRow[]) => boolean;
}

import { versionPairs } from '../../core/analysis/run-pairs.ts';
import { defaultAlpha } from '../../core/analysis/stats/verdict.ts';
import { keepAnswer } from './answer.ts';
import { type Commit, type CommitRange, listCommits, listMerged } from './commits.ts';
import {
  blockTimes,
  checked,
  clearest,
  type CommitBisection,
  type ComparedCommits,
  type ComparedRow,
  type FoundChange,
  leavesRest,
  only,
  sameRow,
  stepBetween,
} from './comparison.ts';
import {
  type BisectCommitsCaller,
  type BisectCommitsOptions,
  CommitComparisons,
  type GapOfRound,
} from './compare-commits.ts';
import { commandFor, Journal } from './journal.ts';
import { countRounds, type Place, type RoundAnswer, searchPlace } from './search.ts';
import { findGap } from './step-gap.ts';

/** Commits of a round: without a build a checkout takes no time, so more of them save rounds. */
const atOnce = { checkedOut: 7, built: 3 };

/**
 * The probability that all rounds of a search together leave out the commit. It is no error of what is
 * said: the commit that they lead to is compared with its parent.
 */
const wrongTurns = 0.02;

/** No more changes are looked for. */
const mostChanges = 3;

/**
 * Finds the commits that made a page slower or faster: compares the ends of a range, then
 * rounds of its commits, and what it found with the commit before it in fresh blocks. What it says
 * has the error rate of one comparison.
 * @throws FarmError `bad-argument` if the range is none, or one of its ends cannot be measured
 */
export async function bisectCommits(
  range: CommitRange,
  options: BisectCommitsOptions,
  caller: BisectCommitsCaller,
): Promise<CommitBisection> {
  const repository = { from: process.cwd(), signal: caller.signal };
  const commits = await listCommits(range, repository);
  const [good, bad] = [commits[0], commits.at(-1)];
  if (good === undefined || bad === undefined) throw new RangeError('a range has two ends');
  const { database, anew = false } = options;
  const journal = await Journal.open(database, commandFor(good, bad, options), anew);
  if (journal.length > 0) {
    caller.say(
      `goes on with ${String(journal.length)} comparisons of an earlier bisection; --anew begins without them`,
    );
  }
  const comparisons = new CommitComparisons(options, caller, journal);
  const bisection = new CommitsBisection(commits, options, { comparisons, repository });
  const found = await bisection.find([good, bad]);
  if (!found.interrupted) {
    const { margin } = options;
    await keepAnswer(found, { database, margin, command: commandFor(good, bad, options) });
    await journal.close();
  }
  return found;
}

interface Repository {
  /** A folder of it. */
  readonly from: string;
  readonly signal: AbortSignal;
}

class CommitsBisection {
  readonly #commits: readonly Commit[];
  readonly #options: BisectCommitsOptions;
  readonly #comparisons: CommitComparisons;
  readonly #repository: Repository;
  readonly #atOnce: number;
  readonly #changes: FoundChange[] = [];
  /** Comparisons whose verdict is said: the n-th has the share 2^-n of the error rate. */
  #tests = 0;

  constructor(
    commits: readonly Commit[],
    options: BisectCommitsOptions,
    {
      comparisons,
      repository,
    }: { readonly comparisons: CommitComparisons; readonly repository: Repository },
  ) {
    this.#commits = commits;
    this.#options = options;
    this.#comparisons = comparisons;
    this.#repository = repository;
    this.#atOnce = options.build === undefined ? atOnce.checkedOut : atOnce.built;
  }

  async find([good, bad]: readonly [Commit, Commit]): Promise<CommitBisection> {
    const alpha = this.#nextLevel();
    const ends = await this.#comparisons.compare([good, bad], {
      purpose: 'ends',
      pairs: versionPairs,
      alpha,
    });
    const differing = ends === null ? [] : clearest(ends.rows);
    if (ends === null || differing.length === 0) return this.#conclude(ends);
    for (const row of differing) {
      if (this.#changes.length >= mostChanges || this.#isExplained(row)) continue;
      await this.#follow(row, this.#commits);
    }
    return this.#conclude(ends);
  }

  /** Finds the changes that make up this row's difference between the ends of these commits. */
  async #follow(row: ComparedRow, commits: readonly Commit[]): Promise<void> {
    const found = await this.#findChange(row, commits);
    if (found === null) return;
    const merged = await this.#enter(found, row);
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
      const rest = restBetween(part, found.around) ?? (await this.#differs(part, row));
      if (rest?.verdict === row.verdict) await this.#follow(rest, part);
    }
  }

  /** The commit among these with which a row's difference came, checked; null if interrupted. */
  async #findChange(row: ComparedRow, commits: readonly Commit[]): Promise<FoundChange | null> {
    let step = Math.log(row.ratio ?? 1);
    const level = wrongTurns / Math.max(1, countRounds(commits.length, this.#atOnce));
    const place = await searchPlace({
      count: commits.length,
      atOnce: this.#atOnce,
      measure: async (points, ends) => {
        const ours = [ends.first, ...points, ends.last].flatMap((at) => commits[at] ?? []);
        const found = await this.#measureRound(ours, { row, step, alpha: level });
        if (found?.between) step = narrowStep(step, stepBetween(found.rows, found.between));
        return found === null ? null : readRound(found, commits);
      },
    });
    return this.#check(place, { row, commits, step });
  }

  /** Compares a commit with the one before it, and what lies around them if they are not all of it. */
  async #check(
    { before: at, after, skipped }: Place,
    {
      row,
      commits,
      step,
    }: {
      readonly row: ComparedRow;
      readonly commits: readonly Commit[];
      readonly step: number;
    },
  ): Promise<FoundChange | null> {
    const [before, commit] = [commits[at], commits[after]];
    if (before === undefined || commit === undefined) throw new RangeError('a place has two sides');
    const hasRest = leavesRest(row, { ratio: Math.exp(step) }, this.#options.margin);
    const around = {
      good: hasRest && at > 0 ? commits[0] : undefined,
      bad: hasRest && after < commits.length - 1 ? commits.at(-1) : undefined,
    };
    const named = [before, commit, around.good, around.bad].filter((one) => one !== undefined);
    const check = await this.#comparisons.compare(named, {
      purpose: 'check',
      pairs: checked({ commit, ...around }, row),
      row,
      alpha: this.#nextLevel(),
    });
    if (check === null) return null;
    const isOwn = ({ version }: ComparedRow): boolean => version === commit.name;
    const rows = check.rows.filter(isOwn);
    return {
      commit,
      before,
      skipped: [...skipped].flatMap(([point, why]) => {
        const one = commits[point];
        return one === undefined ? [] : [{ commit: one, why }];
      }),
      mergedBy: null,
      isVerified: sameRow(rows, row)?.verdict === row.verdict,
      check: { ...check, rows },
      around: check.rows.filter((one) => !isOwn(one)),
    };
  }

  /** The change inside of a merge; null if it is none, or none of its branches has the difference. */
  async #enter(found: FoundChange, row: ComparedRow): Promise<FoundChange | null> {
    const { commit } = found;
    if (!found.isVerified || commit.parents.length < 2 || found.skipped.length > 0) return null;
    for (const branch of await listMerged(commit, this.#repository)) {
      const rest = await this.#differs(branch, row);
      if (rest === null) continue;
      const inside = await this.#findChange(rest, branch);
      if (inside?.isVerified !== true) continue;
      const deeper = await this.#enter(inside, row);
      return deeper ?? { ...inside, mergedBy: commit };
    }
    return null;
  }

  /** The row's difference between the ends of these commits, if there is one in the same direction. */
  async #differs(commits: readonly Commit[], row: ComparedRow): Promise<ComparedRow | null> {
    const [first, last] = [commits[0], commits.at(-1)];
    if (first === undefined || last === undefined) return null;
    const alpha = this.#nextLevel();
    const asked = { purpose: 'ends', pairs: only(row), row, alpha } as const;
    const found = await this.#comparisons.compare([first, last], asked);
    const same = found === null ? undefined : sameRow(found.rows, row);
    return same?.verdict === row.verdict ? same : null;
  }

  #nextLevel(): number {
    this.#tests += 1;
    return defaultAlpha / 2 ** this.#tests;
  }

  /** Measures commits beside the first and last of them, until the step lies between two neighbours. */
  async #measureRound(
    commits: readonly Commit[],
    {
      row,
      step,
      alpha,
    }: { readonly row: ComparedRow; readonly step: number; readonly alpha: number },
  ): Promise<ComparedCommits | null> {
    const gapIn: GapOfRound = (trials, pairs) =>
      findGap(blockTimes(trials, pairs), { commits: commits.length, step, alpha });
    return this.#comparisons.compare(commits, {
      purpose: 'search',
      pairs: only(row),
      row,
      alpha,
      gapIn,
    });
  }

  /** True if a change that was found made the difference of a row, too, or most of it. */
  #isExplained(row: ComparedRow): boolean {
    return this.#changes.some(({ check }) => {
      const same = sameRow(check.rows, row);
      if (same === undefined || same.ratio === null || row.ratio === null) return false;
      return same.verdict === row.verdict || Math.log(same.ratio) / Math.log(row.ratio) > 0.5;
    });
  }

  #conclude(ends: ComparedCommits | null): CommitBisection {
    const interrupted = this.#repository.signal.aborted;
    const verified = this.#changes.filter(({ isVerified }) => isVerified);
    const isSame =
      ends?.rows.every(({ verdict }) => verdict === 'equivalent' || verdict === 'not given') ===
      true;
    const outcome =
      verified.length > 0 ? 'found' : isSame && !interrupted ? 'no-difference' : 'undecided';
    return {
      outcome,
      commits: this.#commits,
      ends,
      changes: this.#changes,
      steps: this.#comparisons.steps,
      interrupted,
    };
  }
}

/** The places of what a round found among the commits that are searched. */
function readRound(
  { unusable, between }: ComparedCommits,
  commits: readonly Commit[],
): RoundAnswer {
  const placeOf = (name: string): number => commits.findIndex((one) => one.name === name);
  if (between === null) {
    const why = Object.entries(unusable).map(([name, reason]) => [placeOf(name), reason] as const);
    return { kind: 'unusable', why: new Map(why) };
  }
  return { kind: 'narrowed', first: placeOf(between[0]), last: placeOf(between[1]) };
}

/** A round leaves at least this share of a step between its neighbours: else its blocks were too few. */
const leastShareOfStep = 0.25;

/** What is left of a step after a round, of the same direction and no larger. */
function narrowStep(step: number, seen: number | null): number {
  if (seen === null) return step;
  const share = seen / step;
  return step * Math.min(1, Math.max(leastShareOfStep, share));
}

/** The row that compares the ends of these commits. */
function restBetween(
  commits: readonly Commit[],
  rows: readonly ComparedRow[],
): ComparedRow | undefined {
  const [first, last] = [commits[0]?.name, commits.at(-1)?.name];
  return rows.find(
    ({ version, against, verdict }) =>
      version === last && against === first && verdict !== 'undecided',
  );
}

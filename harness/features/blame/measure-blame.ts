import { decideTable } from '../../core/analysis/decide.ts';
import {
  asJudged,
  parseErrorRate,
  parseMargin,
  versionNames,
  versionPairs,
} from '../../core/analysis/run-pairs.ts';
import { readRecord } from '../../core/app/records.ts';
import { readStoredSetting } from '../../core/app/run/continue-run.ts';
import type { CallCommand } from '../../core/cli/io.ts';
import { FarmError } from '../../core/errors.ts';
import type { Metric } from '../../core/model/case.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { findChange } from '../compare/versions/stored-pages.ts';
import { ProfiledTrials, type VersionBlame } from './read-blame.ts';
import { notRepeatable, repeatProfiled } from './repeat-profiled.ts';

export interface BlameResult {
  /** The comparison. */
  readonly run: number;
  /** Repeats it. */
  readonly command: string;
  /** Runs whose trials were profiled. */
  readonly profiledRuns: readonly number[];
  readonly found: readonly VersionBlame[];
  /** Why browsers have no profile, in sentences. */
  readonly notProfiled: readonly string[];
}

export interface BlameOptions {
  readonly database: string;
  readonly browsers: readonly string[];
  /** Of each browser. */
  readonly maxBlocks: number;
  /** Milliseconds, of all browsers together. */
  readonly budget?: number;
}

interface BlameCaller {
  readonly callCommand: CallCommand;
  readonly signal: AbortSignal;
  readonly say: (sentence: string) => void;
}

/** Blocks of the first look, which decide one of 40 functions, and of each one after it. */
const blocksOfLook = { first: 12, later: 8 };

/**
 * Profiles both sides of a stored comparison in blocks of their own, browser by browser, and finds the
 * functions that made its difference. More blocks follow while nothing is settled.
 * @throws FarmError `bad-argument` for a run that compares no versions of a page, or that cannot be repeated
 */
export async function measureBlame(
  which: number | 'latest',
  options: BlameOptions,
  caller: BlameCaller,
): Promise<BlameResult> {
  const record = await readRecord(which, options.database);
  const names = versionNames(record);
  if (names === null || names.length < 2) {
    throw new FarmError('bad-argument', {
      what: `Run ${String(record.run.id)} compares no versions of a page.`,
      next: `Compare some: ${npxCrossfarm} compare old.html new.html`,
    });
  }
  await refuseChanged(record.run.id, options.database, caller);
  const until = performance.now() + (options.budget ?? Infinity);
  const parts = [];
  for (const browser of listBrowsers(record, options.browsers)) {
    if (caller.signal.aborted) break;
    parts.push(await measureBrowser(record, browser, { ...options, until, caller }));
  }
  return {
    run: record.run.id,
    command: record.run.command,
    profiledRuns: parts.flatMap(({ runs }) => runs),
    found: parts.flatMap(({ found }) => found),
    notProfiled: parts.flatMap(({ notProfiled }) => notProfiled),
  };
}

/** A profile of another page says nothing about the difference. @throws FarmError `bad-argument` */
async function refuseChanged(
  run: number,
  database: string,
  caller: Pick<BlameCaller, 'signal'>,
): Promise<void> {
  const setting = await readStoredSetting(run, database);
  const pages = setting?.document.ownPages;
  const change = pages === undefined ? null : await findChange(pages, caller);
  if (change !== null) throw notRepeatable(run, `${change} since`);
}

/** Those that were asked for, else those of the run that gave a result. */
function listBrowsers({ trials }: RunRecord, asked: readonly string[]): readonly string[] {
  if (asked.length > 0) return asked;
  const completed = trials.filter(({ outcome }) => outcome.kind === 'completed');
  return [...new Set(completed.map(({ job }) => job.deviceId))];
}

interface BrowserSetting {
  readonly database: string;
  readonly maxBlocks: number;
  /** Of the clock of this process. */
  readonly until: number;
  readonly caller: BlameCaller;
}

interface BrowserBlame {
  readonly runs: readonly number[];
  readonly found: readonly VersionBlame[];
  readonly notProfiled: readonly string[];
}

async function measureBrowser(
  record: RunRecord,
  browser: string,
  { database, maxBlocks, until, caller }: BrowserSetting,
): Promise<BrowserBlame> {
  const metric = chooseMetric(record, browser);
  if (metric === null) {
    return { runs: [], found: [], notProfiled: [`${browser} measured no time: nothing to blame`] };
  }
  const began = performance.now();
  const profiled = new ProfiledTrials(database);
  const runs: number[] = [];
  let sofar = 0;
  for (;;) {
    const blocks = Math.min(maxBlocks, sofar === 0 ? blocksOfLook.first : blocksOfLook.later);
    caller.say(`profiles ${String(blocks)} blocks in ${browser}: what made ${metric.title} differ`);
    const made = await repeatProfiled({ record, browser, metric, blocks, database }, caller);
    runs.push(made.run.id);
    await profiled.add(made);
    sofar += blocks;
    const found = profiled.blame(record, metric);
    const isSettled = found.every(({ rows }) => rows[0]?.isSettled === true);
    const now = performance.now();
    const isOver = now + ((now - began) / sofar) * blocksOfLook.later > until;
    const isLast = sofar + blocksOfLook.later > maxBlocks;
    if (isSettled || isOver || isLast || caller.signal.aborted) {
      return { runs, found, notProfiled: profiled.without };
    }
  }
}

/**
 * The time that a blame explains: the first that differs for certain in this browser, else the first; null
 * without any.
 */
function chooseMetric(record: RunRecord, browser: string): Metric | null {
  const { run, trials, jobs, presences } = asJudged(record);
  const times = versionPairs({ jobs, presences }).filter(({ metric }) => metric.unit === 'ms');
  const pairs = times.filter(({ a }) => a.deviceId === browser);
  const rules = { margin: parseMargin(run.command), alpha: parseErrorRate(run.command) };
  const differing = decideTable(trials, pairs, rules).find(({ discovery }) => discovery);
  // A browser that the run lacks may be profiled as well.
  return (differing?.pair ?? pairs[0] ?? times[0])?.metric ?? null;
}

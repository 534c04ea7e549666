import { decideTable } from '../../core/analysis/decide.ts';
import {
  asJudged,
  comparedPair,
  parseErrorRate,
  parseMargin,
  versionPairs,
} from '../../core/analysis/run-pairs.ts';
import { readRecord } from '../../core/app/records.ts';
import { listDevices, readStoredSetting } from '../../core/app/run/continue-run.ts';
import { requireTrustedDatabase } from '../../core/app/trust.ts';
import type { CallCommand } from '../../core/cli/io.ts';
import { FarmError } from '../../core/errors.ts';
import type { Metric } from '../../core/model/case.ts';
import type { RunRecord, RunSetting } from '../../core/model/run.ts';
import { findTraceObstacle } from '../../core/probes/trace.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { findChange } from '../compare/versions/stored-pages.ts';
import { type ComparedSides, readSides } from './compared-sides.ts';
import { ProfiledTrials, type SideBlame } from './read-blame.ts';
import { notRepeatable, repeatProfiled } from './repeat-profiled.ts';

export interface BlameResult {
  /** The comparison. */
  readonly run: number;
  /** Repeats it. */
  readonly command: string;
  /** Runs whose trials were profiled. */
  readonly profiledRuns: readonly number[];
  /** Of the false discoveries among the functions that are settled. */
  readonly alpha: number;
  readonly found: readonly SideBlame[];
  /** Why browsers have no profile, in sentences. */
  readonly notProfiled: readonly string[];
}

export interface BlameOptions {
  readonly database: string;
  /** Those of the run when empty, as for a comparison of two devices. */
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
export const blocksOfLook = { first: 12, later: 8 };

/**
 * Profiles both sides of a stored comparison in blocks of their own, browser by browser, and finds the
 * functions that made its difference. More blocks follow while nothing is settled.
 * @throws FarmError `bad-argument` for a run that compares neither versions of a page nor two devices, or
 * that cannot be repeated; ConsentError
 */
export async function measureBlame(
  which: number | 'latest',
  options: BlameOptions,
  caller: BlameCaller,
): Promise<BlameResult> {
  const record = await readRecord(which, options.database);
  const sides = readSides(record);
  if (sides === null) {
    throw new FarmError('bad-argument', {
      what: `Run ${String(record.run.id)} compares neither versions of a page nor two devices.`,
      next: `Compare some: ${npxCrossfarm} compare old.html new.html`,
    });
  }
  const { test } = await readOwnSetting(record, options.database, caller);
  const alpha = parseErrorRate(record.run.command);
  const until = performance.now() + (options.budget ?? Infinity);
  const parts = [];
  for (const browser of listBrowsers(record, sides, options.browsers)) {
    if (caller.signal.aborted) break;
    const compared = { record, sides, alpha, metricId: test?.metric };
    parts.push(await measureBrowser(compared, browser, { ...options, until, caller }));
  }
  return {
    run: record.run.id,
    command: record.run.command,
    profiledRuns: parts.flatMap(({ runs }) => runs),
    alpha,
    found: parts.flatMap(({ found }) => found),
    notProfiled: parts.flatMap(({ notProfiled }) => notProfiled),
  };
}

/**
 * Reads how a run was made. A command that came with the database from somewhere else is refused, and so
 * are pages that have changed: a profile of another page says nothing about the difference.
 * @throws FarmError `bad-argument`; ConsentError
 */
async function readOwnSetting(
  record: RunRecord,
  database: string,
  caller: Pick<BlameCaller, 'signal'>,
): Promise<RunSetting> {
  const { id } = record.run;
  const setting = await readStoredSetting(id, database);
  if (setting === null) throw notRepeatable(id, 'it was imported, or made by an older farm');
  requireTrustedDatabase(database, listDevices(record), setting.document);
  const { ownPages } = setting.document;
  const change = ownPages === undefined ? null : await findChange(ownPages, caller);
  if (change !== null) throw notRepeatable(id, `${change} since`);
  return setting.document;
}

/**
 * Lists the browsers that were asked for, else those of the run that gave a result; null stands for both
 * of two devices.
 * @throws FarmError `bad-argument`
 */
function listBrowsers(
  { run, trials }: RunRecord,
  { kind }: ComparedSides,
  asked: readonly string[],
): readonly (string | null)[] {
  if (kind === 'devices') {
    if (asked.length === 0) return [null];
    throw new FarmError('bad-argument', {
      what: `Run ${String(run.id)} compares two devices, so --browsers does not apply.`,
      next: `Leave it out: ${npxCrossfarm} blame ${String(run.id)}`,
    });
  }
  if (asked.length > 0) return asked;
  const completed = trials.filter(({ outcome }) => outcome.kind === 'completed');
  return [...new Set(completed.map(({ job }) => job.deviceId))];
}

interface Compared {
  readonly record: RunRecord;
  readonly sides: ComparedSides;
  readonly alpha: number;
  /** Of a night's test, where the run is one. */
  readonly metricId: string | undefined;
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
  readonly found: readonly SideBlame[];
  readonly notProfiled: readonly string[];
}

async function measureBrowser(
  compared: Compared,
  browser: string | null,
  { database, maxBlocks, until, caller }: BrowserSetting,
): Promise<BrowserBlame> {
  const { record } = compared;
  const metric = chooseMetric(compared, browser);
  const why = listObstacles(record, browser);
  if (metric === null)
    why.push(`${browser ?? 'the comparison'} measured no time: nothing to blame`);
  if (metric === null || why.length > 0) return { runs: [], found: [], notProfiled: why };
  const began = performance.now();
  const profiled = new ProfiledTrials(database);
  const runs: number[] = [];
  let sofar = 0;
  for (;;) {
    const blocks = Math.min(maxBlocks, sofar === 0 ? blocksOfLook.first : blocksOfLook.later);
    const where = browser === null ? '' : ` in ${browser}`;
    caller.say(`profiles ${String(blocks)} blocks${where}: what made ${metric.title} differ`);
    const made = await repeatProfiled({ record, browser, metric, blocks, database }, caller);
    runs.push(made.run.id);
    await profiled.add(made);
    sofar += blocks;
    const found = profiled.blame({ ...compared, metric });
    const isSettled = found.every(({ rows }) => rows[0]?.isSettled === true);
    const now = performance.now();
    const isOver = now + ((now - began) / sofar) * blocksOfLook.later > until;
    const isLast = sofar + blocksOfLook.later > maxBlocks;
    if (isSettled || isOver || isLast || caller.signal.aborted) {
      return { runs, found, notProfiled: profiled.without };
    }
  }
}

function chooseMetric({ record, metricId }: Compared, browser: string | null): Metric | null {
  return browser === null ? chooseOnly(record, metricId) : chooseDiffering(record, browser);
}

/** The time that two devices were compared by; null where it is none. */
function chooseOnly(record: RunRecord, id: string | undefined): Metric | null {
  const pair = comparedPair(record);
  const asked = pair?.a.case.benchmark.metrics.find((metric) => metric.id === id);
  const metric = asked ?? pair?.metric;
  return metric?.unit === 'ms' ? metric : null;
}

/** Says which browsers write no profile, before they are measured for nothing. */
function listObstacles({ presences }: RunRecord, browser: string | null): string[] {
  return presences.flatMap((one) => {
    if (one.status === 'missing' || (browser !== null && one.device.id !== browser)) return [];
    const because = findTraceObstacle(one.capabilities);
    return because === null ? [] : [`${one.device.id} gives no profile: ${because}`];
  });
}

/**
 * The time that a blame explains: the first that differs for certain in this browser, else the first; null
 * without any.
 */
function chooseDiffering(record: RunRecord, browser: string): Metric | null {
  const { run, trials, jobs, presences } = asJudged(record);
  const times = versionPairs({ jobs, presences }).filter(({ metric }) => metric.unit === 'ms');
  const pairs = times.filter(({ a }) => a.deviceId === browser);
  const rules = { margin: parseMargin(run.command), alpha: parseErrorRate(run.command) };
  const differing = decideTable(trials, pairs, rules).find(({ discovery }) => discovery);
  // A browser that the run lacks may be profiled as well.
  return (differing?.pair ?? pairs[0] ?? times[0])?.metric ?? null;
}

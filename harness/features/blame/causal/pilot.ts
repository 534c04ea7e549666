import { join } from 'node:path';
import { mean, median } from 'simple-statistics';
import { groupBy } from '../../../core/analysis/grouping.ts';
import { readVersion, versionPairs } from '../../../core/analysis/run-pairs.ts';
import { type CompletedTrial, isCompleted, readValue } from '../../../core/analysis/series.ts';
import { defaultAlpha } from '../../../core/analysis/stats/verdict.ts';
import type { MeasuringCaller } from '../../../core/app/caller.ts';
import { FarmError } from '../../../core/errors.ts';
import { profileProbe } from '../../../core/probes/trace.ts';
import type { Trial } from '../../../core/model/trial.ts';
import { searchVersions } from '../../compare/compare-versions.ts';
import type { VersionsOptions } from '../../compare/options.ts';
import { functionTimes, type Profile } from '../profile/profile.ts';
import { listProfiled, readProfile } from '../profile/stored-profiles.ts';
import type { FoundFunction } from '../profile/sources/instrument.ts';
import { copyPage, type OpenedPage } from './page-copy.ts';
import { readCalls, writeCounter, writeDelays } from './prelude.ts';

/** A function that a page calls. */
export interface CalledFunction extends FoundFunction {
  /** In one operation of what is measured; where it has none, in the whole page. */
  readonly calls: number;
  /** True if it is called during the measure. */
  readonly isInOperation: boolean;
  /** Milliseconds of one operation in the function itself, by a profile; null without one. */
  readonly selfMs: number | null;
}

/** Facts of a page without delays. */
export interface PilotResult {
  /** Those with the most self time first, and without a profile those with the most calls. */
  readonly called: readonly CalledFunction[];
  /** Typical value. */
  readonly value: number;
  /** Standard deviation of a trial. */
  readonly noise: number;
}

interface PilotSetting {
  readonly measure: string;
  /** Folder of the copies and the pilot's database. */
  readonly folder: string;
  readonly options: Omit<VersionsOptions, 'root'>;
  readonly caller: MeasuringCaller;
}

const pilotBlocks = 3;

/**
 * Opens a page as it is, and once with its calls counted: what one operation takes, how much that
 * scatters, which functions it calls, and how long it is in each by a profile, where the browser gives one.
 * The first browser that answers stands for all.
 * @throws FarmError `bad-argument` for a page that gives no value, or calls none of its functions
 */
export async function measurePilot(page: OpenedPage, setting: PilotSetting): Promise<PilotResult> {
  const { measure, folder, caller } = setting;
  if (page.functions.length === 0) throw callsNone(page);
  const plain = Array.from({ length: pilotBlocks }, (_, at) => `as it is ${String(at + 1)}`);
  for (const [at, copy] of plain.entries()) {
    const prelude = `${writeDelays(null)}, ${String(at)}`;
    await copyPage(page, join(folder, copy), { prelude, indexOf: () => null });
  }
  const index = new Map(page.functions.map((one, at) => [one, at]));
  await copyPage(page, join(folder, 'counted'), {
    prelude: writeCounter(page.functions.length),
    indexOf: (one) => index.get(one) ?? null,
  });
  const sayWhat = (error: unknown): never => {
    throw sayOfPage(error, page, [...plain, 'counted']);
  };
  caller.say('profiles it');
  // First: its look refuses a page without the measure, for which counting would wait.
  const profiles = await profileCopies(plain.slice(0, 2), setting).catch(sayWhat);
  caller.say(`counts the calls of ${String(page.functions.length)} functions`);
  const tally = `crossfarmCalls(${JSON.stringify(measure)})`;
  const trials = await openCopies([...plain, 'counted'], setting, {
    measure: [measure, tally],
    maxBlocks: pilotBlocks,
  }).catch(sayWhat);
  // A cold page is called as often as another.
  const values = withoutColdPages(trials).flatMap((trial) => {
    const [metric] = trial.job.case.benchmark.metrics;
    const isCounted = readVersion(trial.job) === 'counted';
    return isCounted || metric === undefined ? [] : (readValue(trial, metric) ?? []);
  });
  if (values.length === 0) {
    throw new FarmError('bad-argument', {
      what: `${page.page} gave no ${measure}.`,
      next: 'Look at it in a browser, or give another --measure.',
    });
  }
  const counted = trials.find(({ job }) => readVersion(job) === 'counted');
  const counts = counted?.outcome.result.samples[1]?.timed ?? [];
  const called = readCalls(counts, page.functions.length).flatMap(
    ({ index: at, inOperation, all }): CalledFunction[] => {
      const one = page.functions[at];
      const isInOperation = inOperation > 0;
      return one === undefined
        ? []
        : [{ ...one, isInOperation, calls: isInOperation ? inOperation : all, selfMs: null }];
    },
  );
  if (called.length === 0) throw callsNone(page);
  return {
    called: sortBySelf(called, profiles),
    value: median(values),
    // Of the mean deviation, which sees the few slow trials as well; the factor of the normal distribution.
    noise: 1.25 * mean(values.map((one) => Math.abs(one - median(values)))),
  };
}

function callsNone({ page }: OpenedPage): FarmError {
  return new FarmError('bad-argument', {
    what: `${page} calls none of its own functions.`,
    next: 'Scripts of other origins, and those that eval makes, cannot be delayed.',
  });
}

/** Says of the page what an error says of its copies: nobody else knows their names. */
function sayOfPage(error: unknown, { page }: OpenedPage, copies: readonly string[]): unknown {
  if (!(error instanceof FarmError) || !error.about.some((one) => copies.includes(one))) {
    return error;
  }
  const lines = error.message.split('\n').map((line) => {
    const copy = copies.find((one) => line.startsWith(`${one} `));
    return copy === undefined ? line : `${page}${line.slice(copy.length)}`;
  });
  const what = [...new Set(lines)].join('\n');
  return new FarmError(error.code, { what, next: error.next, about: [page], cause: error });
}

/** Trials of the first browser that completed some. */
async function openCopies(
  copies: readonly string[],
  { folder, options, caller }: PilotSetting,
  more: Pick<VersionsOptions, 'measure' | 'maxBlocks' | 'probe'>,
): Promise<readonly CompletedTrial[]> {
  const { trials } = await searchVersions(
    copies,
    {
      ...options,
      from: folder,
      database: join(folder, 'pilot.db'),
      measurement: 'fast',
      sharedBrowser: more.probe === undefined,
      ...more,
      search: {
        pairs: versionPairs,
        alpha: defaultAlpha,
        isDone: () => false,
        goesOn: true,
        blocksPerSession: 1,
      },
    },
    { ...caller, say: () => undefined, listener: {} },
  );
  const completed = trials.filter(isCompleted);
  return completed.filter(({ job }) => job.deviceId === completed[0]?.job.deviceId);
}

/** Leaves out the first page of each session: the browser is not warm yet. */
export function withoutColdPages<T extends Pick<Trial, 'job'>>(trials: readonly T[]): readonly T[] {
  const sessions = groupBy(trials, ({ job }) => job.sessionKey);
  return [...sessions.values()].flatMap((ours) =>
    ours.toSorted((one, other) => one.job.ordinal - other.job.ordinal).slice(1),
  );
}

async function profileCopies(
  copies: readonly string[],
  setting: PilotSetting,
): Promise<readonly Profile[]> {
  const trials = await openCopies(copies, setting, {
    measure: [setting.measure],
    maxBlocks: 1,
    probe: [profileProbe],
  });
  const database = join(setting.folder, 'pilot.db');
  const read = await Promise.all(
    listProfiled({ trials }).map(({ profile }) =>
      'file' in profile ? readProfile(database, profile.file) : null,
    ),
  );
  return read.filter((one) => one !== null);
}

function sortBySelf(
  called: readonly CalledFunction[],
  profiles: readonly Profile[],
): readonly CalledFunction[] {
  if (profiles.length === 0) return called;
  const times = profiles.map((profile) => [...functionTimes(profile).values()]);
  const known = called.map((one): CalledFunction => {
    const own = times.map((all) => {
      const alike = all.filter(({ function: { name, url } }) => {
        const isNamed = name === (one.name.split('.').at(-1) ?? '');
        return isNamed && decodeURI(url).endsWith(one.file);
      });
      const here = alike.filter(({ function: { line } }) => line === one.line);
      const found = here.length > 0 || alike.length > 1 ? here : alike;
      return found.reduce((total, { selfMs }) => total + selfMs, 0);
    });
    return { ...one, selfMs: mean(own) };
  });
  return known.toSorted((one, other) => (other.selfMs ?? 0) - (one.selfMs ?? 0));
}

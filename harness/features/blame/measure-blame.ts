import { median } from 'simple-statistics';
import { groupBy } from '../../core/analysis/grouping.ts';
import { readVersion, versionNames } from '../../core/analysis/run-pairs.ts';
import { isCompleted, readValue, type CompletedTrial } from '../../core/analysis/series.ts';
import { readRecord } from '../../core/app/records.ts';
import { splitWords } from '../../core/app/run/repeat-command.ts';
import type { CallCommand } from '../../core/cli/io.ts';
import { FarmError } from '../../core/errors.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { listProfiled, readProfile } from './profile/stored-profiles.ts';
import { type FunctionPlace, matchFunctions } from './statistics/match-functions.ts';
import { type Blame, findBlame } from './statistics/blame.ts';
import type { Profile } from './profile/profile.ts';

/** What was found about one version in one browser. */
export interface VersionBlame extends Blame {
  readonly deviceId: string;
  /** The first version, and the one that is held against it. */
  readonly before: string;
  readonly after: string;
  /** Where the functions of the rows stand, by key. */
  readonly places: ReadonlyMap<string, FunctionPlace>;
}

export interface BlameResult {
  readonly run: number;
  /** Runs whose trials were profiled. */
  readonly profiledRuns: readonly number[];
  readonly found: readonly VersionBlame[];
  /** Why browsers have no profile, in sentences. */
  readonly notProfiled: readonly string[];
}

export interface BlameOptions {
  readonly database: string;
  readonly browsers: readonly string[];
  readonly maxBlocks: number;
  /** Milliseconds. */
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
 * Profiles both sides of a stored comparison in blocks of their own, and finds the functions that made
 * its difference. More blocks follow while nothing is settled.
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
  const began = performance.now();
  const profiled: RunRecord[] = [];
  let sofar = 0;
  for (;;) {
    const blocks = profiled.length === 0 ? blocksOfLook.first : blocksOfLook.later;
    caller.say(`profiles ${String(blocks)} blocks of ${names.join(' and ')}`);
    profiled.push(await profileBlocks(record, blocks, options, caller));
    sofar += blocks;
    const result = await conclude(record, profiled, options.database);
    const isSettled = result.found.every(({ rows }) => rows[0]?.isSettled === true);
    const spentMs = performance.now() - began;
    const isOver = spentMs + (spentMs / sofar) * blocksOfLook.later > (options.budget ?? Infinity);
    const isLast = sofar + blocksOfLook.later > options.maxBlocks;
    if (isSettled || isOver || isLast || caller.signal.aborted) return result;
  }
}

/** Options of the stored command that are not repeated, with their values. */
const notRepeated = '--seed --margin --max-blocks --probe --fail-on --precision --budget'.split(
  ' ',
);

/** Wants a smaller interval than there is, so that no block is left out. */
const neverPrecise = '0.0001';

async function profileBlocks(
  { run }: RunRecord,
  blocks: number,
  { database, browsers }: BlameOptions,
  { callCommand, signal, say }: BlameCaller,
): Promise<RunRecord> {
  const words = splitWords(run.command);
  const at = words.indexOf('compare');
  if (at === -1) throw notRepeatable(run.id, `it was made by ${run.command.slice(0, 200)}`);
  const left = browsers.length === 0 ? notRepeated : [...notRepeated, '--browsers'];
  const { document, text, exitCode } = await callCommand(
    [
      ...withoutOptions(words.slice(at), left),
      ...(browsers.length > 0 ? ['--browsers', browsers.join(',')] : []),
      ...['--database', database, '--max-blocks', String(blocks)],
      ...['--probe', 'profile', '--precision', neverPrecise, '--no-repeat', '--json'],
    ],
    { signal, onLine: say },
  );
  const made = (document as { readonly run?: unknown } | null)?.run;
  if (typeof made !== 'number') {
    throw notRepeatable(run.id, text.split('\n').at(-1) ?? `exit code ${String(exitCode)}`);
  }
  return readRecord(made, database);
}

/** The words without these options and their values, which a stored command has as words of their own. */
function withoutOptions(words: readonly string[], left: readonly string[]): readonly string[] {
  return words.filter((word, at) => !left.includes(word) && !left.includes(words[at - 1] ?? ''));
}

function notRepeatable(run: number, why: string): FarmError {
  return new FarmError('bad-argument', {
    what: `Run ${String(run)} cannot be measured again: ${why}.`,
    next: 'Go to the folder where it was made, or compare the versions again.',
  });
}

/** A profiled trial with its profile. */
interface WithProfile {
  readonly trial: CompletedTrial;
  readonly block: string;
  readonly profile: Profile;
}

async function conclude(
  record: RunRecord,
  profiled: readonly RunRecord[],
  database: string,
): Promise<BlameResult> {
  const read: WithProfile[] = [];
  const notProfiled = new Set<string>();
  for (const { run, trials } of profiled) {
    for (const trial of trials.filter(isCompleted)) {
      if (trial.job.repeats !== undefined) continue;
      const place = listProfiled({ trials: [trial] })[0]?.profile ?? {
        notSupported: 'it has none',
      };
      const profile = 'file' in place ? await readProfile(database, place.file) : null;
      if (profile !== null) {
        read.push({ trial, block: `${String(run.id)}.${String(trial.job.block)}`, profile });
        continue;
      }
      const why = 'notSupported' in place ? place.notSupported : 'its file cannot be read';
      notProfiled.add(`${trial.job.deviceId} has trials without a profile: ${why}`);
    }
  }
  const [before = '', ...others] = versionNames(record) ?? [];
  const found = [...groupBy(read, ({ trial }) => trial.job.deviceId)].flatMap(([deviceId, ours]) =>
    others.flatMap((after): VersionBlame[] => {
      const sides = [before, after].map((name) =>
        ours.filter(({ trial }) => readVersion(trial.job) === name),
      ) as [WithProfile[], WithProfile[]];
      const blamed = blameSides(sides, findScale(record, deviceId, before));
      return blamed === null ? [] : [{ deviceId, before, after, ...blamed }];
    }),
  );
  return {
    run: record.run.id,
    profiledRuns: profiled.map(({ run }) => run.id),
    found,
    notProfiled: [...notProfiled],
  };
}

/** Milliseconds of one operation of the first version, in the run that was decided; null where it is no time. */
function findScale({ trials }: RunRecord, deviceId: string, version: string): number | null {
  const values = trials.filter(isCompleted).flatMap((trial) => {
    const [metric] = trial.job.case.benchmark.metrics;
    const isOurs = trial.job.deviceId === deviceId && readVersion(trial.job) === version;
    return isOurs && metric?.unit === 'ms' ? (readValue(trial, metric) ?? []) : [];
  });
  const scale = values.length === 0 ? 0 : median(values);
  return scale > 0 ? scale : null;
}

type Sides = readonly [readonly WithProfile[], readonly WithProfile[]];

function blameSides(
  [before, after]: Sides,
  known: number | null,
): (Blame & Pick<VersionBlame, 'places'>) | null {
  const { times, places } = matchFunctions(
    before.map(({ profile }) => profile),
    after.map(({ profile }) => profile),
  );
  const blocks = before.flatMap(({ block }, index) => {
    const other = after.findIndex((one) => one.block === block);
    const [own, others] = [times[0][index], times[1][other]];
    return own === undefined || others === undefined ? [] : [{ before: own, after: others }];
  });
  const [first] = blocks;
  if (first === undefined) return null;
  // Both sides of the first block alike: their order is as good as drawn.
  const scaleMs = known ?? (first.before.totalMs + first.after.totalMs) / 2;
  return { ...findBlame(blocks, { scaleMs }), places };
}

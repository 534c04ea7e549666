import { hostname } from 'node:os';
import { basename } from 'node:path';
import { errorText, exitCodes, FarmError, type ExitCode } from '../../core/errors.ts';
import { farmVersion, sessionsFolder } from '../../core/project.ts';
import { farmMark, isOfDeadFarm } from '../../core/session/farm-mark.ts';
import { sweepLeftovers } from '../../core/session/leftovers.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import type { Io } from '../../core/cli/io.ts';
import { NightDiary } from './diary.ts';
import { canContinue, describeDeaths, nextLife } from './continue-night.ts';
import { newNight, type NightDocument, type NightFacts } from './night-document.ts';
import { whatIsAsked } from './measure-night.ts';
import {
  closeBrokenNights,
  type KeptNight,
  listNights,
  makeNightFolder,
  nightsFolder,
  writeNight,
} from './night-folder.ts';
import { lockNight, type NightLock } from './night-lock.ts';
import {
  askedOf,
  completeNight,
  type GivenNight,
  nightWork,
  type NightTools,
} from './night-work.ts';
import { holdNight } from './night.ts';
import { type Channel, notifyOfNight } from './notice.ts';

/** How a night ended. */
export interface HeldNight {
  readonly night: NightDocument;
  /** Where its document, report and JUnit file lie. */
  readonly folder: string;
  readonly exitCode: ExitCode;
  /** A step hangs still, and keeps the process. */
  readonly abandoned: boolean;
}

export interface NightCaller extends MeasuringCaller, Pick<Io, 'callCommand'> {
  /** Options that the configuration file set, as they would be typed; none when left out. */
  readonly configured?: readonly string[];
  /** The channels to notify of changes; none when left out. */
  readonly channels?: readonly Channel[];
}

/**
 * Holds a whole night: measures, analyses, reports, notifies, and keeps the database in order; or
 * continues the one in which an earlier farm died.
 * @throws FarmError when none could begin.
 */
export async function nightly(given: GivenNight, caller: NightCaller): Promise<HeldNight> {
  const { channels = [], configured = [], ...measuring } = caller;
  const options = completeNight(given);
  await refuseMistakes(options);
  const startedAt = new Date();
  const begun: Begun = { options, caller: measuring, channels, configured, startedAt };
  try {
    const lock = await lockWithRoom(begun);
    return await hold(begun).finally(() => lock.release());
  } catch (error) {
    // The holder of the lock reports that night.
    if (!(error instanceof FarmError) || error.code !== 'night-in-progress') {
      await notifyNoneBegan(error, begun);
    }
    throw error;
  }
}

/**
 * Refuses unknown names at once, without a notification. If an earlier night had the same options,
 * something went missing instead, and the night reports it.
 */
async function refuseMistakes(options: NightTools['options']): Promise<void> {
  // The night itself reports what cannot be read.
  const kept = await listNights(options.database).catch(() => null);
  const asked = askedOf(options);
  if (kept === null || kept.some(({ document }) => document.asked === asked)) return;
  await whatIsAsked(options);
}

/** On a full disk no lock can be written; what dead farms left there may be what fills it. */
async function lockWithRoom({ options, caller }: Begun): Promise<NightLock> {
  try {
    return await lockNight(options.database);
  } catch (error) {
    if (!(error instanceof FarmError) || error.code !== 'cannot-write') throw error;
    const swept = await sweepLeftovers(sessionsFolder(options.database)).catch(() => 0);
    if (swept === 0) throw error;
    caller.say(
      `ended what ${String(swept)} crashed session(s) had left, to have room for the night`,
    );
    return lockNight(options.database);
  }
}

interface Begun extends Pick<NightTools, 'options' | 'caller' | 'channels'> {
  readonly configured: readonly string[];
  readonly startedAt: Date;
}

async function hold(begun: Begun): Promise<HeldNight> {
  const { options, caller } = begun;
  const kept = await listNights(options.database);
  const opened = (await reopenNight(begun, kept)) ?? (await openNight(begun, kept));
  const { folder, earlier, document, goesOn } = opened;
  const diary = new NightDiary(document, {
    save: (document) => writeNight(folder, document),
    complain: caller.say,
  });
  const { id, startedAt } = document;
  const tools = { ...begun, folder, id, startedAt: new Date(startedAt), earlier, goesOn };
  const night = await holdNight(diary, nightWork(tools), {
    earlier: earlier.map((one) => one.document),
    runMs: options.budget,
    analysisMs: options.analysisBudget,
  });
  return { night, folder, exitCode: exitCodeOf(night, diary), abandoned: diary.abandoned };
}

/** A night of which this farm has done nothing yet. */
interface OpenNight {
  readonly folder: string;
  readonly document: NightDocument;
  /** Nights before, the newest first. */
  readonly earlier: readonly KeptNight[];
  /** Its document where a farm that died had begun it. */
  readonly goesOn: NightDocument | null;
}

async function openNight(begun: Begun, earlier: readonly KeptNight[]): Promise<OpenNight> {
  const brokenOff = await closeBrokenNights(earlier, isOfDeadFarm);
  const folder = await makeNightFolder(nightsFolder(begun.options.database), begun.startedAt);
  const document = newNight(factsOf(begun, basename(folder)), brokenOff);
  return { folder, document, earlier, goesOn: null };
}

/** The newest night, where its farm died in it and it is the one that is asked for; else null. */
async function reopenNight(
  { options, caller, startedAt }: Begun,
  [newest, ...earlier]: readonly KeptNight[],
): Promise<OpenNight | null> {
  const spanMs = options.budget + options.analysisBudget;
  const start = { asked: askedOf(options), now: startedAt, spanMs, isDead: isOfDeadFarm };
  if (newest === undefined || !canContinue(newest.document, start)) return null;
  const brokenOff = await closeBrokenNights(earlier, isOfDeadFarm);
  const life = { farm: farmMark(), now: startedAt, brokenOff };
  const document = nextLife(newest.document, life);
  caller.say(`${describeDeaths(document.goneOn)}: going on with the night ${document.id}`);
  return { folder: newest.folder, document, earlier, goesOn: document };
}

function factsOf({ options, configured, startedAt }: Begun, id: string): NightFacts {
  const { database, suite, bench } = options;
  return {
    id,
    database,
    suite: suite ?? bench.join('+'),
    startedAt: startedAt.toISOString(),
    asked: askedOf(options),
    configured,
    host: hostname(),
    farm: farmMark(),
    farmVersion: farmVersion(),
  };
}

/** A disk that is full from the start leaves no document; its owner is notified of it, too. */
async function notifyNoneBegan(error: unknown, begun: Begun): Promise<void> {
  const text = `no night began: ${errorText(error)}`;
  const night = newNight(factsOf(begun, begun.startedAt.toISOString()));
  await notifyOfNight(
    {
      ...night,
      status: 'red',
      exitCode: exitCodes.unfinished,
      changes: [{ kind: 'red-night', text }],
      reasons: [{ step: 'preflight', level: 'red', text }],
    },
    begun.channels,
  );
}

/** A night without a readable record is not fine. */
function exitCodeOf({ exitCode }: NightDocument, { unsaved }: NightDiary): ExitCode {
  return unsaved === null ? (exitCode ?? exitCodes.unfinished) : exitCodes.unfinished;
}

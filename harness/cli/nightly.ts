import { hostname } from 'node:os';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import { NightDiary } from '../app/nights/diary.ts';
import { canGoOn, describeDeaths, nextLife } from '../app/nights/going-on.ts';
import { newNight, type NightDocument, type NightFacts } from '../app/nights/night-document.ts';
import {
  closeBrokenNights,
  listNights,
  makeNightFolder,
  nightsFolder,
  writeNight,
  type KeptNight,
} from '../app/nights/night-folder.ts';
import { lockNight, type NightLock } from '../app/nights/night-lock.ts';
import { holdNight } from '../app/nights/night.ts';
import { notificationVariables, takeChannels } from '../app/nights/notify/channels.ts';
import { notifyOfNight } from '../app/nights/notify/send.ts';
import { farmVersion } from '../project.ts';
import { farmMark, isOfDeadFarm } from '../session/farm-mark.ts';
import { sweepLeftovers } from '../session/leftovers.ts';
import { sessionsFolder } from '../app/run/execute-plan.ts';
import { note, print, printJson, type Io, type Runner } from './io.ts';
import { declareInstall, declareUninstall } from './nightly-install.ts';
import { askedOf, completeNight, declareNight, type GivenNight } from './nightly-options.ts';
import { describeNight } from './text/nightly-text.ts';
import { nightWork, type NightTools } from '../app/nights/night-work.ts';

export function declare(command: Command, run: Runner): void {
  command.addHelpText('after', help);
  declareNight(command).action((options: GivenNight) => run((io) => nightly(options, io)));
  declareInstall(command, run);
  declareUninstall(command, run);
}

const help = `
Writes a folder for each night beside the database, nights/<time>: night.json, report.html, junit.xml.
Exit codes: 0 fine; 1 a new anomaly, a cell that failed or timed out, or too few trials that count;
3 red: a cell has no outcome, or something that a night has to do was not done.
A night whose farm was killed is gone on with by the same command, as long as its budgets last.

Who wants to be told of what changed sets, in the environment and nowhere else:
${Object.entries(notificationVariables)
  .map(([name, what]) => `  ${name.padEnd(28)} ${what}`)
  .join('\n')}`;

/** Lock → night → one exit code. */
async function nightly(given: GivenNight, io: Io): Promise<ExitCode> {
  dieOfBugs();
  const begun: Begun = {
    options: completeNight(given),
    io,
    channels: takeChannels(process.env),
    startedAt: new Date(),
  };
  try {
    const lock = await lockWithRoom(begun);
    return await hold(begun).finally(() => lock.release());
  } catch (error) {
    // Whoever holds the lock tells of that night.
    if (!(error instanceof FarmError) || error.code !== 'night-in-progress') {
      await tellThatNoneBegan(error, begun);
    }
    throw error;
  }
}

/**
 * Node.js ends at an exception that nobody catches with 1, which is a verdict of a night. Who began
 * the night sees a death instead, and begins it again.
 */
function dieOfBugs(): void {
  process.on('uncaughtException', (error) => {
    console.error('farm: this is a bug of the farm; please report it with what follows.');
    console.error(error);
    process.kill(process.pid, 'SIGKILL');
  });
}

/** On a full disk no lock can be written; what dead farms left there may be what fills it. */
async function lockWithRoom({ options, io }: Begun): Promise<NightLock> {
  try {
    return await lockNight(options.database);
  } catch (error) {
    if (!(error instanceof FarmError) || error.code !== 'cannot-write') throw error;
    const swept = await sweepLeftovers(sessionsFolder(options.database)).catch(() => 0);
    if (swept === 0) throw error;
    note(io, `ended what ${String(swept)} crashed session(s) had left, to have room for the night`);
    return lockNight(options.database);
  }
}

interface Begun extends Pick<NightTools, 'options' | 'io' | 'channels'> {
  readonly startedAt: Date;
}

async function hold(begun: Begun): Promise<ExitCode> {
  const { options, io } = begun;
  const kept = await listNights(options.database);
  const opened = (await reopenNight(begun, kept)) ?? (await openNight(begun, kept));
  const { folder, earlier, document, goesOn } = opened;
  const diary = new NightDiary(document, {
    save: (document) => writeNight(folder, document),
    complain: (sentence) => {
      note(io, sentence);
    },
  });
  const { id, startedAt } = document;
  const tools = { ...begun, folder, id, startedAt: new Date(startedAt), earlier, goesOn };
  const night = await holdNight(diary, nightWork(tools), {
    earlier: earlier.map((one) => one.document),
    runMs: options.budget,
    analysisMs: options.analysisBudget,
  });
  if (options.json) printJson(io, night);
  else print(io, describeNight(night, folder));
  const code = exitCodeOf(night, diary);
  if (diary.abandoned) endAnyway(code);
  return code;
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
  { options, io, startedAt }: Begun,
  [newest, ...earlier]: readonly KeptNight[],
): Promise<OpenNight | null> {
  const spanMs = options.budget + options.analysisBudget;
  const start = { asked: askedOf(options), now: startedAt, spanMs, isDead: isOfDeadFarm };
  if (newest === undefined || !canGoOn(newest.document, start)) return null;
  const brokenOff = await closeBrokenNights(earlier, isOfDeadFarm);
  const life = { farm: farmMark(), now: startedAt, brokenOff };
  const document = nextLife(newest.document, life);
  note(io, `${describeDeaths(document.goneOn)}: going on with the night ${document.id}`);
  return { folder: newest.folder, document, earlier, goesOn: document };
}

function factsOf({ options, startedAt }: Begun, id: string): NightFacts {
  const { database, suite, bench } = options;
  return {
    ...{ id, database, suite: suite ?? bench.join('+'), startedAt: startedAt.toISOString() },
    asked: askedOf(options),
    ...{ host: hostname(), farm: farmMark(), farmVersion: farmVersion() },
  };
}

/** A disk that is full from the start leaves no document; its owner should know of it all the same. */
async function tellThatNoneBegan(error: unknown, begun: Begun): Promise<void> {
  const text = `no night began: ${error instanceof Error ? error.message : String(error)}`;
  const night = newNight(factsOf(begun, begun.startedAt.toISOString()));
  await notifyOfNight(
    {
      ...night,
      ...{ status: 'red', exitCode: exitCodes.unfinished, changes: [{ kind: 'red-night', text }] },
      reasons: [{ step: 'preflight', level: 'red', text }],
    },
    begun.channels,
  );
}

/** A night that nobody can read about is no good night. */
function exitCodeOf({ exitCode }: NightDocument, { unsaved }: NightDiary): ExitCode {
  return unsaved === null ? (exitCode ?? exitCodes.unfinished) : exitCodes.unfinished;
}

/** A step that hangs would keep the process for ever, and with it the next night. */
function endAnyway(code: ExitCode): void {
  setTimeout(() => process.exit(code), 5_000).unref();
}

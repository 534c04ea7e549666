import { hostname } from 'node:os';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import { NightDiary } from '../nights/diary.ts';
import { newNight, type NightDocument, type NightFacts } from '../nights/night-document.ts';
import {
  closeBrokenNights,
  listNights,
  makeNightFolder,
  nightsFolder,
  writeNight,
} from '../nights/night-folder.ts';
import { lockNight, type NightLock } from '../nights/night-lock.ts';
import { holdNight } from '../nights/night.ts';
import { notificationVariables, takeChannels } from '../nights/notify/channels.ts';
import { notifyOfNight } from '../nights/notify/send.ts';
import { farmVersion } from '../project.ts';
import { farmMark, isOfDeadFarm } from '../session/farm-mark.ts';
import { sweepLeftovers } from '../session/leftovers.ts';
import { sessionsFolder } from './carry-out.ts';
import { note, print, printJson, type Io, type Runner } from './io.ts';
import { declareInstall, declareUninstall } from './nightly-install.ts';
import { completeNight, declareNight, type GivenNight } from './nightly-options.ts';
import { describeNight } from './nightly-text.ts';
import { nightWork, type NightTools } from './nightly-work.ts';

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

Who wants to be told of what changed sets, in the environment and nowhere else:
${Object.entries(notificationVariables)
  .map(([name, what]) => `  ${name.padEnd(28)} ${what}`)
  .join('\n')}`;

/** Lock → night → one exit code. */
async function nightly(given: GivenNight, io: Io): Promise<ExitCode> {
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
  const { options, io, startedAt } = begun;
  const earlier = await listNights(options.database);
  const brokenOff = await closeBrokenNights(earlier, isOfDeadFarm);
  const folder = await makeNightFolder(nightsFolder(options.database), startedAt);
  const id = basename(folder);
  const diary = new NightDiary(newNight(factsOf(begun, id), brokenOff), {
    save: (document) => writeNight(folder, document),
    complain: (sentence) => {
      note(io, sentence);
    },
  });
  const night = await holdNight(diary, nightWork({ ...begun, folder, id, earlier }), {
    earlier: earlier.map(({ document }) => document),
    runMs: options.budget,
    analysisMs: options.analysisBudget,
  });
  if (options.json) printJson(io, night);
  else print(io, describeNight(night, folder));
  const code = exitCodeOf(night, diary);
  if (diary.abandoned) endAnyway(code);
  return code;
}

function factsOf({ options, startedAt }: Begun, id: string): NightFacts {
  const { database, suite, bench } = options;
  return {
    ...{ id, database, suite: suite ?? bench.join('+'), startedAt: startedAt.toISOString() },
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

import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import pc from 'picocolors';
import type { MeasuringCaller } from '../app/caller.ts';
import { runDefaults } from '../app/defaults.ts';
import { isFit } from '../analysis/fitness.ts';
import { lookAtMachine } from '../app/devices/machine.ts';
import { setUp } from '../app/devices/setup.ts';
import { readRecord } from '../app/records.ts';
import { continueTable } from '../app/run/continue-table.ts';
import type { RunResult } from '../app/run/execute-plan.ts';
import { runSuite } from '../app/run/run-suite.ts';
import { exitCodes, type ExitCode, FarmError } from '../errors.ts';
import { joinListeners } from '../app/follow.ts';
import { firstNumbers } from './first-numbers.ts';
import { type Io, note, print, type Runner } from './io.ts';
import { openReport } from './open-report.ts';
import {
  noWait,
  withDatabase,
  withInventory,
  type DatabaseOption,
  type InventoryOption,
} from './options.ts';
import { type ReportOption, withReport } from './end-report.ts';
import { concludeSetUp, endWithReport, holdEnd } from './run-output.ts';
import { drawDevices } from './text/device-text.ts';
import { isDecided } from './text/overview.ts';

interface Options extends DatabaseOption, InventoryOption, ReportOption {
  readonly open: boolean;
  readonly wait: boolean;
}

export function declare(command: Command, run: Runner): void {
  withInventory(command);
  withReport(withDatabase(command))
    .option(...noWait)
    .option('--open', 'open the report in a browser', false)
    .action((options: Options) => run((io) => start(options, io)));
}

/** Milliseconds for what is undecided after the blocks of the suite, which gets as many again. */
const furtherMs = 90_000;

async function start({ open, ...options }: Options, io: Io): Promise<ExitCode> {
  const held = holdEnd(false, io);
  const { caller } = held;
  const told = firstNumbers((lines) => {
    caller.listener?.onLook?.({ lines, blocks: null, budgetMs: null, found: null });
  });
  const result = await setUp(
    { ...options, check: false, runtimes: false, programs: false, appium: false },
    caller,
  );
  print(io, await drawDevices(result.presences, io.stdout));
  const ready = concludeSetUp(result, io);
  if (ready !== exitCodes.fine) return ready;
  if (!(await mayMeasure(options.database, io))) return exitCodes.refuted;
  const measured = await runSuite(
    { ...runDefaults, ...options, suite: 'quick' },
    { ...caller, listener: joinListeners(caller.listener ?? {}, told) },
  );
  const last = (await measureOpen(measured, options, caller)) ?? measured;
  const asked = { ...options, json: false, resumable: true };
  const { code, written, findings } = await endWithReport(last, asked, { io, held });
  if (open && written !== null) await openReport(written.path, io);
  if (code !== exitCodes.fine || findings === null) return code;
  return isDecided(findings) ? code : exitCodes.undecided;
}

/** Measures further what is undecided. @returns null where nothing is, or it cannot be measured now */
async function measureOpen(
  { run, interrupted, cells }: RunResult,
  { database }: DatabaseOption,
  caller: MeasuringCaller,
): Promise<RunResult | null> {
  const { presences, jobs } = await readRecord(run, database);
  const found = presences.filter(({ status }) => status === 'found');
  if (interrupted || cells.completed === 0 || found.length < 2) return null;
  const maxBlocks = Math.max(...jobs.map(({ block }) => block + 1));
  // Not behind another farm that waited for the machine: what there is is shown first.
  const asked = { database, wait: false, port: 0, maxBlocks, budget: furtherMs };
  try {
    return await continueTable(run, asked, caller);
  } catch (error) {
    if (!(error instanceof FarmError)) throw error;
    caller.say(error.message);
    return null;
  }
}

/**
 * Looks whether something else uses the machine. The user at a terminal decides; else it goes on.
 */
async function mayMeasure(database: string, io: Io): Promise<boolean> {
  const { stderr, signal } = io;
  const findings = await lookAtMachine(database);
  for (const { level, what, remedy } of findings) {
    if (level !== 'unfit') continue;
    note(io, `${pc.red('unfit')}  ${what}${remedy === '' ? '' : `\n      ${remedy}`}`);
  }
  if (isFit(findings)) return true;
  if (!process.stdin.isTTY || !stderr.isTTY) {
    note(io, 'It goes on all the same: trials that are disturbed are kept, and do not count.');
    return true;
  }
  const terminal = createInterface({ input: process.stdin, output: stderr });
  try {
    const answer = await new Promise<string>((resolve) => {
      const no = (): void => {
        resolve('');
      };
      // A terminal in which a line is read gives Ctrl-C to the reader alone.
      terminal.once('SIGINT', no).once('close', no);
      terminal.question('Measure all the same? (y/N) ', { signal }).then(resolve, no);
    });
    return /^y/i.test(answer);
  } finally {
    terminal.close();
  }
}

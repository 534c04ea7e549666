import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import pc from 'picocolors';
import type { MeasuringCaller } from '../app/caller.ts';
import { runDefaults } from '../app/defaults.ts';
import { isFit } from '../analysis/fitness.ts';
import { lookAtMachine } from '../app/devices/machine.ts';
import { setUp } from '../app/devices/setup.ts';
import { readRecord } from '../app/records.ts';
import { defaultReportPath, readFindings } from '../app/report/report.ts';
import { continueTable } from '../app/run/continue-table.ts';
import type { RunResult } from '../app/run/execute-plan.ts';
import { runSuite } from '../app/run/run-suite.ts';
import { exitCodes, type ExitCode } from '../errors.ts';
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
import { concludeSetUp, endRun, holdEnd, watchingCaller } from './run-output.ts';
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

/** What is undecided after the blocks of the suite gets as many again, if they fit. */
const further = { maxBlocks: 6, budget: 90_000 };

async function start({ open, ...options }: Options, io: Io): Promise<ExitCode> {
  const caller = watchingCaller(false, io);
  const result = await setUp(
    { ...options, check: false, runtimes: false, programs: false, appium: false },
    caller,
  );
  print(io, await drawDevices(result.presences, io.stdout));
  const ready = concludeSetUp(result, io);
  if (ready !== exitCodes.fine) return ready;
  if (!(await mayMeasure(options.database, io))) return exitCodes.refuted;
  const measured = await runSuite({ ...runDefaults, ...options, suite: 'quick' }, caller);
  const last = (await measureOpen(measured, options, caller)) ?? measured;
  const asked = { ...options, json: false, resumable: true };
  const code = await endRun(last, asked, { io, held: holdEnd(false, io) });
  const { report = defaultReportPath([last.run], options.database) } = options;
  if (open && report !== false && existsSync(report)) await openReport(report, io);
  if (code !== exitCodes.fine) return code;
  return isDecided(await readFindings([last.run], options)) ? code : exitCodes.undecided;
}

/** Measures further what is undecided. @returns null where nothing is */
async function measureOpen(
  { run, interrupted, cells }: RunResult,
  { database, wait }: Pick<Options, 'database' | 'wait'>,
  caller: MeasuringCaller,
): Promise<RunResult | null> {
  const { presences } = await readRecord(run, database);
  const found = presences.filter(({ status }) => status === 'found');
  if (interrupted || cells.completed === 0 || found.length < 2) return null;
  return continueTable(run, { database, wait, port: 0, ...further }, caller);
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

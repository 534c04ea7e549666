import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import pc from 'picocolors';
import { runDefaults } from '../app/defaults.ts';
import { isFit } from '../analysis/fitness.ts';
import { lookAtMachine } from '../app/devices/machine.ts';
import { setUp } from '../app/devices/setup.ts';
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
import { printEndReport, type ReportOption, withReport, writeEndReport } from './end-report.ts';
import { concludeRun, concludeSetUp, watchingCaller } from './run-output.ts';
import { drawDevices } from './text/device-text.ts';
import { readTerminalWidth } from './text/draw-table.ts';
import { drawOverview, isDecided } from './text/overview.ts';

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

/** These make up for two minutes of work by others. */
const spareBlocks = 4;

/** The report is written even when cells failed: it says which, and why. */
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
  const measured = await runSuite(
    { ...runDefaults, ...options, suite: 'quick', spareBlocks },
    caller,
  );
  const { written, findings } = await writeEndReport(measured.run, options, io);
  print(io, await drawOverview(findings, readTerminalWidth(io.stdout)));
  printEndReport(measured.run, written, io);
  const ending = { json: false, resumable: true, isReported: true };
  const code = concludeRun(measured, ending, io);
  if (open && written !== null) await openReport(written.path, io);
  return code === exitCodes.fine && !isDecided(findings) ? exitCodes.undecided : code;
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

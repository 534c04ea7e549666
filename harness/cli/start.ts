import type { Command } from 'commander';
import { runDefaults, runSuite } from '../app/run/run-suite.ts';
import { exitCodes, type ExitCode } from '../errors.ts';
import type { Io, Runner } from './io.ts';
import {
  withDatabase,
  withInventory,
  type DatabaseOption,
  type InventoryOption,
} from './options.ts';
import { writeReport } from './report.ts';
import { concludeRun, watchingCaller } from './run-output.ts';
import { setUp } from './setup.ts';

type Options = DatabaseOption & InventoryOption;

export function declare(command: Command, run: Runner): void {
  withInventory(command);
  withDatabase(command).action((options: Options) => run((io) => start(options, io)));
}

/** The report is written even when cells failed: it says which, and why. */
async function start(options: Options, io: Io): Promise<ExitCode> {
  const ready = await setUp(
    { ...options, check: false, runtimes: false, programs: false, appium: false, json: false },
    io,
  );
  if (ready !== exitCodes.fine) return ready;
  const caller = watchingCaller(false, io);
  const result = await runSuite({ ...runDefaults, ...options, suite: 'quick' }, caller);
  const measured = concludeRun(result, { json: false, resumable: true }, io);
  const reported = await writeReport([], { ...options, json: false }, io);
  return Math.max(measured, reported) as ExitCode;
}

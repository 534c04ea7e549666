import type { Command } from 'commander';
import { runDefaults } from '../app/defaults.ts';
import { runSuite } from '../app/run/run-suite.ts';
import { exitCodes, type ExitCode } from '../errors.ts';
import { print, type Io, type Runner } from './io.ts';
import {
  withDatabase,
  withInventory,
  type DatabaseOption,
  type InventoryOption,
} from './options.ts';
import { writeReport } from '../app/report/report.ts';
import { setUp } from '../app/devices/setup.ts';
import { concludeRun, concludeSetUp, reportSentence, watchingCaller } from './run-output.ts';
import { drawDevices } from './text/device-text.ts';

type Options = DatabaseOption & InventoryOption;

export function declare(command: Command, run: Runner): void {
  withInventory(command);
  withDatabase(command).action((options: Options) => run((io) => start(options, io)));
}

/** The report is written even when cells failed: it says which, and why. */
async function start(options: Options, io: Io): Promise<ExitCode> {
  const caller = watchingCaller(false, io);
  const result = await setUp(
    { ...options, check: false, runtimes: false, programs: false, appium: false },
    caller,
  );
  print(io, await drawDevices(result.presences, io.stdout));
  const ready = concludeSetUp(result, io);
  if (ready !== exitCodes.fine) return ready;
  const measured = await runSuite({ ...runDefaults, ...options, suite: 'quick' }, caller);
  const code = concludeRun(measured, { json: false, resumable: true }, io);
  print(io, reportSentence(await writeReport([], options)));
  return code;
}

import type { Command } from 'commander';
import { exitCodes, type ExitCode } from '../errors.ts';
import { note, print, type Io, type Runner } from './io.ts';
import {
  withDatabase,
  withInventory,
  type DatabaseOption,
  type InventoryOption,
} from './options.ts';
import { writeReport } from '../app/report/report.ts';
import { measure, runDefaults } from './run.ts';
import { setUp } from '../app/setup.ts';
import { printDevices } from './text/device-text.ts';
import { reportSentence } from './text/report-text.ts';
import { concludeSetUp } from './text/setup-text.ts';

type Options = DatabaseOption & InventoryOption;

export function declare(command: Command, run: Runner): void {
  withInventory(command);
  withDatabase(command).action((options: Options) => run((io) => start(options, io)));
}

/** The report is written even when cells failed: it says which, and why. */
async function start(options: Options, io: Io): Promise<ExitCode> {
  const say = (sentence: string): void => {
    note(io, sentence);
  };
  const result = await setUp(
    { ...options, check: false, runtimes: false, programs: false, appium: false },
    { signal: io.signal, say },
  );
  await printDevices(result.presences, io);
  const ready = concludeSetUp(result, io);
  if (ready !== exitCodes.fine) return ready;
  const measured = await measure({ ...runDefaults, ...options, suite: 'quick' }, io);
  print(io, reportSentence(await writeReport([], options)));
  return measured;
}

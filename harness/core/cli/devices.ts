import type { Command } from 'commander';
import { listDevices, type DevicesOptions } from '../app/devices/devices.ts';
import { exitCodes, type ExitCode } from '../errors.ts';
import { type Io, next, print, printJson, type Runner } from './io.ts';
import {
  declareList,
  collectNames,
  withDatabase,
  withInventory,
  withJson,
  type JsonOption,
} from './options.ts';
import { attachedJson, deviceJson, drawDevices } from './text/device-text.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

interface Options extends DevicesOptions, JsonOption {
  readonly farm?: string | true;
}

export function declare(group: Command, run: Runner): void {
  declareList(group, 'list devices and their status', (command) => {
    declareDevices(command, run);
  });
}

function declareDevices(command: Command, run: Runner): void {
  withInventory(command);
  withDatabase(command);
  withJson(command, 'print an array of devices')
    .option('--device <ids>', 'only these devices', collectNames, [])
    .option('--farm [url]', 'those of all hosts of a farm')
    .action((options: Options) => run((io) => showDevices(options, io)));
}

/** Of a farm of many machines; a feature has them. */
async function showFarmDevices({ farm, json }: Options, io: Io): Promise<ExitCode> {
  if (io.runCommand === undefined) throw new Error('a command runs outside of a command line');
  const where = typeof farm === 'string' ? ['--farm', farm] : [];
  return io.runCommand(['queue', 'devices', ...where, ...(json ? ['--json'] : [])]);
}

async function showDevices(options: Options, io: Io): Promise<ExitCode> {
  if (options.farm !== undefined) return showFarmDevices(options, io);
  const { presences, attached } = await listDevices(options);
  if (options.json) printJson(io, [...presences.map(deviceJson), ...attached.map(attachedJson)]);
  else {
    print(io, await drawDevices(presences, io.stdout, attached));
    const isAny = presences.some(({ status }) => status === 'found');
    next(
      io,
      isAny
        ? { 'measure them': `${npxCrossfarm} run` }
        : { 'get browsers': `${npxCrossfarm} devices setup` },
    );
  }
  return exitCodes.fine;
}

import type { Command } from 'commander';
import { loadDriver } from '../../drivers/index.ts';
import { exitCodes, type ExitCode } from '../errors.ts';
import { loadInventory, selectDevices } from '../inventory/inventory.ts';
import type { Presence } from '../model/device.ts';
import { setUpDevices } from '../setup/install.ts';
import { findDevices } from '../setup/presence.ts';
import { deviceJson, printDevices } from './devices.ts';
import { note, printJson, type Io, type Runner } from './io.ts';
import { withInventory, withJson, type InventoryOption, type JsonOption } from './options.ts';

interface Options extends InventoryOption, JsonOption {
  readonly check: boolean;
}

export function declare(command: Command, run: Runner): void {
  withInventory(command);
  withJson(command, 'print the devices as an array')
    .option('--check', 'say what is missing and change nothing', false)
    .action((options: Options) => run((io) => setUp(options, io)));
}

export async function setUp(options: Options, io: Io): Promise<ExitCode> {
  const devices = selectDevices(await loadInventory(options.inventory), []);
  const presences = options.check
    ? await findDevices(devices, loadDriver)
    : await setUpDevices(devices, {
        loadDriver,
        signal: io.signal,
        say: (sentence) => {
          note(io, sentence);
        },
      });
  if (options.json) printJson(io, presences.map(deviceJson));
  else await printDevices(presences, io);
  return conclude(presences, io);
}

/** One missing browser is no failure; none at all is. */
function conclude(presences: readonly Presence[], io: Io): ExitCode {
  const missing = presences.filter((presence) => presence.status === 'missing');
  if (missing.length < presences.length) return exitCodes.fine;
  note(io, 'No browser is here. To get one, type one of:');
  for (const { remedy } of missing) note(io, `  ${remedy}`);
  return exitCodes.unfinished;
}

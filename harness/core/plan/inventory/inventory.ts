import { availableParallelism } from 'node:os';
import { FarmError, unknownName } from '../../errors.ts';
import { jsonPath, readJsonFile } from '../../json-file.ts';
import {
  type Device,
  type Host,
  findHost,
  type Phone,
  type RemotePlace,
} from '../../model/device.ts';
import { readDuration } from '../../model/duration.ts';
import { systemName } from '../../project.ts';
import { type DeviceDeclaration, everyDevice } from './declaration.ts';
import { isMovedOnlyBy, remoteDrivers } from './driver-mistakes.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

/**
 * Reads `devices.json`.
 * @throws FarmError `bad-inventory` with file and JSON path.
 */
export async function loadInventory(path: string): Promise<readonly Device[]> {
  const { inventoryDeclaration } = await import('./declaration.ts');
  const { devices } = await readJsonFile(path, {
    noun: 'inventory',
    code: 'bad-inventory',
    schema: inventoryDeclaration,
  });
  refuseTwins(devices, path);
  return devices.map(toDevice);
}

function refuseTwins(devices: readonly DeviceDeclaration[], path: string): void {
  const first = new Map<string, number>();
  devices.forEach((device, index) => {
    const other = first.get(device.id);
    if (other !== undefined) {
      throw new FarmError('bad-inventory', {
        what: `The inventory ${path} is not valid: ${jsonPath(['devices', index, 'id'])} is "${device.id}", as is ${jsonPath(['devices', other, 'id'])}.`,
        next: 'Give each device a different id.',
      });
    }
    first.set(device.id, index);
  });
}

function toDevice(declared: DeviceDeclaration): Device {
  return {
    id: declared.id,
    name: nameOf(declared),
    browser: declared.browser,
    ...toDrivers(declared),
    ...(declared.executable === undefined ? {} : { executable: declared.executable }),
    ...(declared.server === undefined ? {} : { server: declared.server }),
    ...toPhone(declared),
    ...toRemote(declared),
    ...toEmulation(declared),
    ...(declared.version === undefined ? {} : { version: declared.version }),
    headless: declared.headless ?? !isAlwaysSeen(declared),
    flags: declared.flags ?? [],
    preferences: declared.preferences ?? {},
    environment: declared.environment ?? {},
    automatic: (declared.automatic ?? true) && isForSystem(declared),
    ...(declared.cores === undefined ? {} : { cores: declared.cores }),
    ...(declared.family === undefined ? {} : { family: declared.family }),
  };
}

function isForSystem({ systems: wanted }: DeviceDeclaration): boolean {
  return wanted === undefined || wanted.some((one) => one === systemName());
}

/** The declaration wants one driver at least. */
function toDrivers({ driver }: DeviceDeclaration): Pick<Device, 'driver' | 'otherDrivers'> {
  if (typeof driver === 'string') return { driver };
  const [first, ...others] = driver as [string, ...string[]];
  return { driver: first, ...(others.length === 0 ? {} : { otherDrivers: others }) };
}

function toPhone(declared: DeviceDeclaration): Pick<Device, 'phone'> {
  const { platform, udid, appPackage, profile, capabilities, pages } = declared;
  if (platform === undefined) return {};
  return {
    phone: {
      platform,
      ...(udid === undefined ? {} : { udid }),
      ...(appPackage === undefined ? {} : { appPackage }),
      ...(profile === 'erase' ? { profile } : {}),
      ...(capabilities === undefined ? {} : { capabilities }),
      ...(pages === undefined ? {} : { pages }),
      ...toLimits(declared),
    },
  };
}

function toLimits({ launchLimit, loadLimit }: DeviceDeclaration): Pick<Phone, 'limits'> {
  const launchMs = launchLimit === undefined ? null : readDuration(String(launchLimit));
  const loadMs = loadLimit === undefined ? null : readDuration(String(loadLimit));
  if (launchMs === null && loadMs === null) return {};
  return {
    limits: {
      ...(launchMs === null ? {} : { launchMs }),
      ...(loadMs === null ? {} : { loadMs }),
    },
  };
}

function toRemote(declared: DeviceDeclaration): Pick<Device, 'remote'> {
  const { server, node, capabilities, pages, ssh, agent } = declared;
  if (server === undefined || !isMovedOnlyBy(declared, ...remoteDrivers)) return {};
  const remote: RemotePlace = {
    ...(node === undefined ? {} : { node }),
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(pages === undefined ? {} : { pages }),
    ...(ssh === undefined ? {} : { ssh }),
    ...(agent === undefined ? {} : { agent }),
  };
  return { remote };
}

function toEmulation({ emulates, cpuThrottling }: DeviceDeclaration): Pick<Device, 'emulation'> {
  if (emulates === undefined && cpuThrottling === undefined) return {};
  return {
    emulation: {
      ...(emulates === undefined ? {} : { descriptor: emulates }),
      ...(cpuThrottling === undefined ? {} : { cpuThrottling }),
    },
  };
}

/** Name of a device; that of an emulated one says so, wherever a reader sees it. */
function nameOf(declared: DeviceDeclaration): string {
  const name = declared.name ?? declared.id;
  const isReal = toEmulation(declared).emulation === undefined;
  return isReal || /\bemulated\b/i.test(name) ? name : `${name} (emulated)`;
}

function isAlwaysSeen({ browser, platform }: DeviceDeclaration): boolean {
  return platform !== undefined || ['webkitgtk', 'safari', 'program'].includes(browser);
}

/**
 * The devices that a run takes: those named, in that order, or all automatic ones of these kinds;
 * every one of the inventory when `all` is among the names.
 * @throws FarmError `unknown-device` with the nearest name.
 */
export function selectDevices(
  devices: readonly Device[],
  named: readonly string[],
  hosts: readonly Host[] = ['browser'],
): readonly Device[] {
  if (named.length === 0) {
    return devices.filter(
      ({ automatic, browser }) => automatic && hosts.includes(findHost(browser)),
    );
  }
  if (named.includes(everyDevice)) return devices;
  return [...new Set(named)].map((id) => selectDevice(devices, id));
}

/**
 * The devices that a run of pages takes: those named, or all automatic browsers. Runtimes, shells and
 * programs are left out of `all`.
 * @throws FarmError `unknown-device`, or `bad-argument` for one by name that shows no pages
 */
export function selectBrowsers(
  devices: readonly Device[],
  named: readonly string[],
): readonly Device[] {
  const chosen = selectDevices(devices, named);
  const browsers = chosen.filter(({ browser }) => findHost(browser) === 'browser');
  const other = chosen.find((device) => !browsers.includes(device));
  if (other === undefined || named.includes(everyDevice)) return browsers;
  throw new FarmError('bad-argument', {
    what: `${other.id} cannot be measured: it is not a browser and shows no pages.`,
    next: `Leave it out; ${npxCrossfarm} devices lists the browsers.`,
  });
}

/**
 * The devices, each on the given number of cores; as they are when no number is given.
 * @throws FarmError `bad-argument` for one that the farm does not start on this machine, and for more
 * cores than it may use here
 */
export function onCores(devices: readonly Device[], cores: number | undefined): readonly Device[] {
  if (cores === undefined) return devices;
  return devices.map((device) => {
    const isHere = device.phone === undefined && device.server === undefined;
    if (!isHere || device.driver === 'attended') {
      throw new FarmError('bad-argument', {
        what: `--cores does not work for ${device.id}: the farm does not start it on this machine.`,
        next: 'Leave it out with --device, or do without --cores.',
      });
    }
    const most = availableParallelism();
    if (cores <= most) return { ...device, cores };
    throw new FarmError('bad-argument', {
      what: `${device.id} cannot be given ${String(cores)} cores: ${String(most)} may be used here.`,
      next: `Ask for at most ${String(most)}.`,
    });
  });
}

/** @throws FarmError `unknown-device` with the nearest name. */
export function selectDevice(devices: readonly Device[], id: string): Device {
  const device = devices.find((one) => one.id === id);
  if (device) return device;
  throw unknownName('unknown-device', {
    kind: 'device',
    seen: id,
    known: devices.map((one) => one.id),
  });
}

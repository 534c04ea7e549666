import { FarmError } from '../../errors.ts';
import { type Device, isElsewhere } from '../../model/device.ts';
import { loadTrustedInventory } from '../trust.ts';
import { type BuildSelector, isSelected, readSelector } from '../../setup/builds/selector.ts';
import {
  buildsFolder,
  compareVersions,
  listBuilds,
  type StoredBuild,
} from '../../setup/build-store.ts';
import { plainDevice } from './live-version.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

export interface DeviceSources {
  /** The devices file. */
  readonly inventory: string;
  /** The store of builds lies next to it. */
  readonly database: string;
}

/**
 * Reads the devices file, and adds the builds of the store that are named as devices:
 * `chromium@110` is the device `chromium` with the newest 110 that is here. They are measured only
 * where they are named.
 * @throws FarmError `bad-inventory`, and `unknown-device` for a build that is not here
 */
export async function loadDevices(
  { inventory, database }: DeviceSources,
  named: readonly string[],
): Promise<readonly Device[]> {
  const devices = await loadTrustedInventory(inventory);
  const isDeclared = (id: string): boolean => devices.some((one) => one.id === id);
  const selectors = [...new Set(named)].flatMap((id) =>
    isDeclared(id) ? [] : (readSelector(id) ?? []),
  );
  if (selectors.length === 0) return devices;
  const stored = await listBuilds(buildsFolder(database));
  return [...devices, ...selectors.map((one) => namedBuild(one, { devices, stored }))];
}

interface Known {
  readonly devices: readonly Device[];
  readonly stored: readonly StoredBuild[];
}

function namedBuild(selector: BuildSelector, { devices, stored }: Known): Device {
  if (selector.to !== null) {
    throw new FarmError('unknown-device', {
      what: `${selector.text} is a range of builds, and no device.`,
      next: `Name each build: --device chromium@110,chromium@153; ${npxCrossfarm} engines sweep takes a range.`,
    });
  }
  const base = baseDevice(selector.name, devices);
  const ours = stored.filter(({ product }) => product === base.browser);
  const [build] = ours
    .filter(({ version }) => isSelected(version, selector))
    .sort((one, other) => compareVersions(other.version, one.version));
  if (build !== undefined) return buildDevice(base, build, selector.text);
  const here = ours.map(({ version }) => `${selector.name}@${version}`).sort(compareVersions);
  throw new FarmError('unknown-device', {
    what: `The build ${selector.text} is not here.`,
    next: `Get it: ${npxCrossfarm} engines get ${base.browser}@${selector.from}. ${here.length === 0 ? 'It has no local build.' : `Here are ${here.join(', ')}.`}`,
  });
}

/** The device whose browser is another build: the one of that name, or else the first one of that product. */
export function baseDevice(name: string, devices: readonly Device[]): Device {
  const byName = devices.find(({ id }) => id === name);
  const base = byName ?? devices.find((one) => one.browser === name && !isElsewhere(one));
  if (base === undefined) return plainDevice(name);
  if (!isElsewhere(base)) return base;
  throw new FarmError('unknown-device', {
    what: `${name} is not on this machine: it cannot run a build that is.`,
    next: 'Name a device of this machine, such as chromium@110.',
  });
}

/** A device with this build as its browser, and its settings besides. */
export function buildDevice(base: Device, build: StoredBuild, id: string): Device {
  const device: { -readonly [Key in keyof Device]: Device[Key] } = {
    ...base,
    id,
    name: `${base.name} ${build.version}`,
    executable: build.executable,
    flags: [...(build.flags ?? []), ...base.flags],
    automatic: false,
  };
  // Of the device without a build: only that version of a runtime would do.
  delete device.version;
  return device;
}

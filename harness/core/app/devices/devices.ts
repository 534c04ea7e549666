import { loadDriver } from '../../../../drivers/index.ts';
import type { Presence } from '../../model/device.ts';
import { selectDevices } from '../../plan/inventory/inventory.ts';
import { findAttachedDevices, type AttachedDevice } from '../../setup/appium-android.ts';
import { whereabouts } from '../../setup/appium.ts';
import { type DriverLoader, findDevices } from '../../setup/presence.ts';
import { loadDevices } from '../builds/build-devices.ts';

export interface DevicesOptions {
  /** The devices file. */
  readonly inventory: string;
  /** The store of builds lies next to it. */
  readonly database: string;
  /** Only these devices; every one when empty. */
  readonly device: readonly string[];
}

export interface ListedDevices {
  readonly presences: readonly Presence[];
  /** Devices that are attached and not in the inventory; not looked for where devices are named. */
  readonly attached: readonly AttachedDevice[];
}

/** Lists the devices of an inventory, with what is really there. @throws FarmError `unknown-device`, `bad-inventory`. */
export async function listDevices({
  inventory,
  database,
  device,
}: DevicesOptions): Promise<ListedDevices> {
  const devices = await loadDevices({ inventory, database }, device);
  const isAll = device.length === 0;
  const presences = await findDevices(isAll ? devices : selectDevices(devices, device), loadDriver);
  return { presences, attached: isAll ? await findAttachedDevices(devices) : [] };
}

/** A device with the steps that its owner takes. */
export interface CheckedDevice {
  readonly presence: Presence;
  /** True if a person joins it by hand, so that it is never found. */
  readonly joins: boolean;
  /** Sentences: steps that no program can take. */
  readonly ownerSteps: readonly string[];
}

/**
 * Looks for devices that are named, and lists what only a person at them can do.
 * @throws FarmError `unknown-device`, `bad-inventory`.
 */
export async function checkDevices(
  { inventory, database, device }: DevicesOptions,
  load: DriverLoader = loadDriver,
): Promise<readonly CheckedDevice[]> {
  const devices = selectDevices(await loadDevices({ inventory, database }, device), device);
  const presences = await findDevices(devices, load);
  return Promise.all(presences.map((presence) => addOwnerSteps(presence, load)));
}

async function addOwnerSteps(presence: Presence, load: DriverLoader): Promise<CheckedDevice> {
  const { device } = presence;
  const { joins = false, ownerSteps } = await load(device.driver);
  return { presence, joins, ownerSteps: ownerSteps?.(device.browser, whereabouts(device)) ?? [] };
}

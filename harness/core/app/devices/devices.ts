import { loadDriver } from '../../../../drivers/index.ts';
import type { Presence } from '../../model/device.ts';
import { selectDevices } from '../../plan/inventory/inventory.ts';
import { findAttachedDevices, type AttachedDevice } from '../../setup/appium-android.ts';
import { findDevices } from '../../setup/presence.ts';
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

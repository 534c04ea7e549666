import type { Driver } from '../../drivers/driver.ts';
import type { Device } from '../model/device.ts';
import type { Absence } from './driver-server.ts';
import { findAmong, findOnPath } from './executable.ts';
import { products } from './products.ts';

/** True if the driver moves only a build of this browser that the automation library brought. */
export function needsOwnBuild({ browser }: Device, { needsOwnBuild: needing }: Driver): boolean {
  return needing?.includes(browser) ?? false;
}

/**
 * Why this driver, which moves only its own builds, cannot use the executable that a device names;
 * null when that may be such a build. These may lie anywhere, so one that is named for this driver
 * only is believed, unless it is what the system has installed.
 */
export async function findForeignBuild(
  device: Device,
  driver: Driver,
  { isShared }: { readonly isShared: boolean },
): Promise<Absence | null> {
  const { browser, executable } = device;
  if (executable === undefined || !needsOwnBuild(device, driver)) return null;
  if (executable === (await driver.ownBuild?.(browser))) return null;
  if (!isShared && executable !== installedOf(browser)) return null;
  const title = products[browser]?.title ?? browser;
  return {
    reason: `the driver ${driver.name} drives only its bundled ${title}, and ${executable} is another one`,
    remedy: `give "${device.id}" another driver in devices.json, or leave out "executable" (npx ${driver.name} install ${browser})`,
  };
}

function installedOf(browser: string): string | null {
  const product = products[browser];
  if (product === undefined) return null;
  return findOnPath(product.names) ?? findAmong(product.paths[process.platform] ?? []);
}

import type { Driver } from '../../drivers/driver.ts';
import { isLoopback, type Device } from '../model/device.ts';
import type { Absence, Places } from './driver-server.ts';

/** A browser at a remote server, or a running one: its program is not looked for here. */
export async function locateRemote(device: Device, driver: Driver): Promise<Places | Absence> {
  const { id, browser, server = '', remote = {}, executable = '' } = device;
  if (driver.look === undefined) {
    return {
      reason: `the driver ${driver.name} moves no browser elsewhere`,
      remedy: `give "${id}" the driver "webdriver" in devices.json`,
    };
  }
  if (remote.pages === undefined && !isLoopback(new URL(server).hostname)) {
    return {
      reason: 'its browser cannot reach the pages, which are served on this machine’s loopback',
      remedy: `say where it reaches them: "pages" of "${id}" in devices.json, "lan" or an address`,
    };
  }
  const sighting = await driver.look(server, browser, remote);
  if ('refusal' in sighting) {
    const remedy = `start it there, or correct "${id}" in devices.json (server, browser, node)`;
    return { reason: sighting.refusal, remedy };
  }
  const { node, version } = sighting;
  return {
    executable,
    server,
    ...(node !== null && { node }),
    ...(version !== undefined && { version }),
  };
}

import type { Ability, Driver } from '../../../drivers/driver.ts';
import { nearestName } from '../errors.ts';
import { type Device, type Target, isLoopback } from '../model/device.ts';
import { findOnPath } from './executable.ts';
import { driverServers } from './products.ts';
import { describeRemedy } from '../system-packages.ts';

/** Why a device cannot be used, and what to do about it. */
export interface Absence {
  readonly reason: string;
  readonly remedy: string;
}

/** Where what a device needs lies. */
export interface Places extends Pick<Target, 'executable' | 'server' | 'node'> {
  /** Of a browser that is not here: its version, where it could be asked for. */
  readonly version?: string;
}

/** A distribution's chromedriver is made for its Chromium, and refuses another version of Chrome. */
const chromesOwnDriver = 'npx @puppeteer/browsers install chromedriver';

/** The program that stands between a browser of this machine and WebDriver. */
export function findDriverServer(device: Device): { readonly server: string } | Absence {
  const server = driverServers[device.browser];
  if (server === undefined) {
    return {
      reason: `no driver server is known for ${device.browser}`,
      remedy: 'use another driver',
    };
  }
  const path = findOnPath([server]);
  if (path !== null) return { server: path };
  const remedy = device.browser === 'chrome' ? chromesOwnDriver : describeRemedy(server);
  return { reason: `its driver server ${server} is not installed`, remedy };
}

/** Why this driver cannot have the browser pretend what the device asks for; null when it can. */
export async function findEmulationObstacle(
  device: Device,
  { name, emulator }: Driver,
): Promise<Absence | null> {
  const { emulation, browser, id } = device;
  if (emulation === undefined) return null;
  if (emulator === undefined) {
    return {
      reason: `the driver ${name} emulates nothing`,
      remedy: `give "${id}" the driver "playwright" in devices.json`,
    };
  }
  const { descriptor, cpuThrottling } = emulation;
  const inability =
    becauseOf(descriptor === undefined ? null : emulator.descriptor(browser)) ??
    becauseOf(cpuThrottling === undefined ? null : emulator.cpuThrottling(browser));
  if (inability !== null) {
    return { reason: inability, remedy: `give "${id}" the browser "chromium" in devices.json` };
  }
  return descriptor === undefined
    ? null
    : checkDescriptor(descriptor, await emulator.descriptors());
}

function becauseOf(ability: Ability | null): string | null {
  return ability === null || ability.supported ? null : ability.because;
}

function checkDescriptor(descriptor: string, known: readonly string[]): Absence | null {
  if (known.includes(descriptor)) return null;
  const near = nearestName(descriptor, known);
  return {
    reason: `there is no "${descriptor}" to emulate`,
    remedy: near === null ? 'correct "emulates" in devices.json' : `did you mean "${near}"?`,
  };
}

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

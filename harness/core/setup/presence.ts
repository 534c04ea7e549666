import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import type { Capabilities, Driver } from '../../../drivers/driver.ts';
import {
  type Capability,
  type Device,
  type FoundDevice,
  type MissingDevice,
  type PassedOver,
  type Presence,
  type Target,
  findHost,
  movedBy,
} from '../model/device.ts';
import { isHere, locateAppiumServer, locateServer, whereabouts } from './appium.ts';
import {
  type Absence,
  type Places,
  findDriverServer,
  findEmulationObstacle,
  locateRemote,
} from './driver-server.ts';
import { requireTrustedBuild, versionInStore } from './build-store.ts';
import { askPackage, askVersion, findAmong, findOnPath, isExecutable } from './executable.ts';
import { readAppVersion } from './app-version.ts';
import { listChannelPaths, listPaths, type Product, products, whyImpossible } from './products.ts';
import { askCompiler, findProgram, whyNoProgram } from './programs.ts';
import { findRuntime } from './runtimes.ts';
import { npxCrossfarm } from '../model/typed-command.ts';
import { describeRemedy, installCommand } from '../system-packages.ts';

/** Loads a driver by name; the library behind it is loaded later, when something is launched. */
export type DriverLoader = (name: string) => Promise<Driver>;

/** Looks for every device, all at once, and changes nothing. @throws ConsentError for a build that is not trusted */
export function findDevices(
  devices: readonly Device[],
  loadDriver: DriverLoader,
): Promise<readonly Presence[]> {
  return Promise.all(devices.map((device) => findByPreference(device, loadDriver)));
}

/** The first of its drivers that can be used here, and why those before it cannot. */
async function findByPreference(device: Device, loadDriver: DriverLoader): Promise<Presence> {
  const passedOver: PassedOver[] = [];
  let preferred: MissingDevice | null = null;
  const names = [device.driver, ...(device.otherDrivers ?? [])];
  for (const name of names) {
    const driver = await loadDriver(name);
    const presence = await findDevice(movedBy(device, name), driver, names.length > 1);
    if (presence.status === 'found') return withPassedOver(presence, passedOver);
    passedOver.push({ driver: name, reason: presence.reason });
    preferred ??= presence;
  }
  if (preferred === null) throw new TypeError(`${device.id} has no driver`);
  // With all its drivers, so that it is looked for by each of them again after an installation.
  return { ...preferred, device, reason: joinReasons(passedOver) };
}

function withPassedOver(presence: FoundDevice, passedOver: readonly PassedOver[]): Presence {
  return passedOver.length === 0 ? presence : { ...presence, passedOver };
}

function joinReasons(passedOver: readonly PassedOver[]): string {
  const [only, ...others] = passedOver;
  if (only !== undefined && others.length === 0) return only.reason;
  return passedOver.map(({ driver, reason }) => `${driver}: ${reason}`).join('; ');
}

/**
 * Looks for one device: the browser, the driver's server, a display, and the version.
 * @param isShared its executable is named for other drivers as well.
 */
export async function findDevice(
  device: Device,
  driver: Driver,
  isShared = false,
): Promise<Presence> {
  const capabilities = listCapabilities(driver.capabilities(device.browser, whereabouts(device)));
  const places = await locate(device, driver, isShared);
  if ('reason' in places) return { status: 'missing', device, capabilities, ...places };
  const { version: told, ...where } = places;
  const version = told ?? (await findVersion(device, where.executable));
  const browser = { name: device.browser, version: version ?? 'unknown' };
  return { status: 'found', device, capabilities, target: { device, browser, ...where } };
}

/** Of a native program it is what made it, and the library that it runs on; of any other, its package. */
function findVersion(device: Device, executable: string): Promise<string | null> {
  const { browser, flags } = device;
  // The version of a remote browser is known when it is launched.
  if (device.remote !== undefined) return Promise.resolve(null);
  if (browser === 'native') return askCompiler(executable);
  if (mayOpenWindow(browser)) return readAppVersion(executable);
  if (browser === 'program') return askPackage(executable, flags);
  const known = versionInStore(executable);
  if (known !== null) return Promise.resolve(known);
  return askVersion(versionCommands(products[browser], executable));
}

/** Only on Linux does every browser answer `--version` without being opened. */
function mayOpenWindow(browser: string): boolean {
  return process.platform !== 'linux' && findHost(browser) === 'browser';
}

async function locate(
  device: Device,
  driver: Driver,
  isShared: boolean,
): Promise<Places | Absence> {
  const obstacle = findObstacle(device, driver);
  if (obstacle) return obstacle;
  const inability = await findEmulationObstacle(device, driver);
  if (inability !== null) return inability;
  if (device.remote !== undefined) return locateRemote(device, driver);
  if (!isHere(device)) return locateAppiumServer(device, driver);
  const foreign = await findForeignBuild(device, driver, { isShared });
  if (foreign !== null) return foreign;
  const executable = await findExecutable(device, driver);
  if (executable === null || !isExecutable(executable)) return absentExecutable(device, driver);
  requireTrustedBuild(executable);
  const companions = await findCompanions(device, driver);
  return 'reason' in companions ? companions : { executable, ...companions };
}

/** Returns the reason why the device is impossible here, with anything installed. */
function findObstacle(device: Device, driver: Driver): Absence | null {
  if (driver.joins) {
    return { reason: 'its owner joins it by hand', remedy: `${npxCrossfarm} devices attend` };
  }
  const { cores = 0 } = device;
  if (cores > availableParallelism()) {
    return {
      reason: `it is to run on ${String(cores)} cores, and ${String(availableParallelism())} may be used here`,
      remedy: `give "${device.id}" fewer "cores" in devices.json`,
    };
  }
  const product = products[device.browser];
  if (!driver.serves.includes(device.browser)) {
    return {
      reason: `the driver ${driver.name} cannot move ${device.browser}`,
      remedy: `give "${device.id}" another driver in devices.json`,
    };
  }
  const impossible = isHere(device) ? whyImpossible(product) : null;
  if (impossible !== null) return impossible;
  const { libraries = [] } = driver;
  const [library] = libraries;
  if (library === undefined || libraries.some(isInstalled)) return null;
  return {
    reason: `the package ${library} of the driver ${driver.name} is not installed`,
    remedy: `npm install ${library}`,
  };
}

const { resolve: resolvePackage } = createRequire(import.meta.url);

/** Optional packages may be left out of an installation. */
function isInstalled(name: string): boolean {
  try {
    resolvePackage(name);
    return true;
  } catch (error) {
    // One that can only be imported is here.
    return (error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND';
  }
}

async function findExecutable(device: Device, driver: Driver): Promise<string | null> {
  if (device.executable !== undefined) return resolveExecutable(device.executable);
  const installed = needsOwnBuild(device, driver)
    ? null
    : await findInstalled(device, products[device.browser]);
  return installed ?? (await driver.ownBuild?.(device.browser)) ?? null;
}

/** A name alone is looked for as a shell would. */
function resolveExecutable(executable: string): string {
  if (basename(executable) !== executable) return executable;
  return findOnPath([executable]) ?? findAmong(listChannelPaths(executable)) ?? executable;
}

async function findInstalled(device: Device, product: Product | undefined): Promise<string | null> {
  if (product === undefined) return null;
  if (product.npm !== undefined) return findRuntime(device);
  if (product.isProgram) return findProgram(device);
  return findOnPath(product.names) ?? findAmong(listPaths(product));
}

function absentExecutable(device: Device, driver: Driver): Absence {
  const product = products[device.browser];
  if (device.executable === undefined && product?.isProgram) return whyNoProgram(device);
  if (device.executable === undefined && needsOwnBuild(device, driver)) {
    return {
      reason: `the driver ${driver.name} drives only its bundled ${product?.title ?? device.browser}, and it is not installed`,
      remedy: `npx ${driver.name} install ${device.browser}`,
    };
  }
  if (device.executable === undefined) {
    return {
      reason: `${[product?.title ?? device.browser, device.version].filter(Boolean).join(' ')} is not installed`,
      remedy: remedyFor(product),
    };
  }
  return {
    reason: `its executable ${device.executable} does not exist or is not executable`,
    remedy: `correct "executable" of "${device.id}" in devices.json`,
  };
}

/** Finds the browser's other needs: a display, and a server between it and the driver. */
async function findCompanions(
  device: Device,
  driver: Driver,
): Promise<Pick<Target, 'server'> | Absence> {
  const product = products[device.browser];
  const isShown = (product?.needsDisplay ?? true) || !device.headless;
  if (isShown && !hasDisplay()) {
    const title = product?.title ?? device.name;
    return { reason: `${title} needs a display: no Xvfb`, remedy: describeRemedy('Xvfb') };
  }
  if (driver.serverNeeds !== undefined) return locateServer(device, driver.serverNeeds);
  if (device.driver !== 'webdriver') return {};
  return findDriverServer(device);
}

/** The one command that brings a product here. */
function remedyFor(product: Product | undefined): string {
  if (product === undefined) return 'name its executable in devices.json';
  const { debianPackages, brew, winget } = product;
  const names = {
    apt: debianPackages.join(' '),
    ...(brew !== undefined && { brew: `--cask ${brew}` }),
    ...(winget !== undefined && { winget }),
  };
  return installCommand(names) ?? product.download;
}

function hasDisplay(): boolean {
  if (process.platform !== 'linux') return true;
  return (process.env['DISPLAY'] ?? '') !== '' || findOnPath(['Xvfb']) !== null;
}

function versionCommands(
  product: Product | undefined,
  executable: string,
): readonly (readonly string[])[] {
  // The version of a remote browser is known when it is launched, if it was not asked before.
  if (product === undefined || executable === '') return [];
  return product.versionCommands ?? [[executable, '--version']];
}

/** Declared abilities, as they are printed and stored. */
export function listCapabilities(declared: Capabilities): readonly Capability[] {
  return Object.entries(declared).map(([name, ability]) =>
    ability.supported
      ? { name, supported: true }
      : { name, supported: false, because: ability.because },
  );
}

/** True if the driver moves only a build of this browser that the automation library brought. */
function needsOwnBuild({ browser }: Device, { needsOwnBuild: needing }: Driver): boolean {
  return needing?.includes(browser) ?? false;
}

/**
 * Why this driver, which moves only its own builds, cannot use the executable that a device names;
 * null when that may be such a build. These may lie anywhere, so one that is named for this driver
 * only is believed, unless it is what the system has installed.
 */
async function findForeignBuild(
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
  return findOnPath(product.names) ?? findAmong(listPaths(product));
}

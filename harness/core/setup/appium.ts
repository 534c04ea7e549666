import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Driver, ServerNeeds, Whereabouts } from '../../../drivers/driver.ts';
import {
  describePlatform,
  type Device,
  findPlatform,
  isElsewhere,
  pickPlace,
} from '../model/device.ts';
import { projectRoot, testedVersions } from '../project.ts';
import { hasConsent } from './consent.ts';
import { findOnIos } from './appium-ios.ts';
import { findOnAndroid, type AppPresence } from './appium-android.ts';
import { findDriverServer, type Absence, type Places } from './driver-server.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

/**
 * Drivers of Appium's that no test can install, because what they need is no Linux: the newest that
 * were published for the server that the tests use.
 */
const driversForPhones: Readonly<Record<string, string>> = {
  'appium-uiautomator2-driver': '8.7.0',
  'appium-safari-driver': '5.0.9',
  'appium-xcuitest-driver': '12.13.1',
};

/** A package of Appium's as npm takes it, in the one version that the farm is made for. */
export function specify(name: string): string {
  const version = testedVersions(name) ?? driversForPhones[name];
  return version === undefined ? name : `${name}@${version}`;
}

/** The one command that brings Appium here. */
export const appiumRemedy = `${npxCrossfarm} devices setup --appium`;

/** Names the address of a server for every device that gives none. */
const addressVariable = 'CROSSFARM_APPIUM_SERVER';

/** The folder in which the farm installs Appium, next to its database. */
export function appiumFolder(): string {
  return resolve('.farm', 'appium');
}

/**
 * Folders that may have Appium and its drivers in their `node_modules`: the farm's own, the current
 * one, and those from which Node.js loads the farm's packages, which are its checkout, or the
 * project that has it installed.
 */
function listAppiumHomes(): readonly string[] {
  const here = [appiumFolder(), resolve()].filter(isTrustedHome);
  return [...here, ...foldersUpFrom(projectRoot())];
}

/** Programs that a foreign folder brings along are not run. */
function isTrustedHome(folder: string): boolean {
  const file = appiumManifest(folder);
  return !existsSync(file) || hasConsent(file);
}

/** The file that stands for an installed Appium. */
export function appiumManifest(folder: string): string {
  return join(folder, 'node_modules', 'appium', 'package.json');
}

function foldersUpFrom(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUpFrom(above)];
}

/** The folder whose Appium is used, which is its APPIUM_HOME. */
export interface AppiumHome {
  readonly folder: string;
  /** Those of the packages that it lacks. */
  readonly absent: readonly string[];
}

/** Finds the first folder that has all of these packages, else the first that lacks the fewest. */
export function findAppiumHome(
  packages: readonly string[],
  folders: readonly string[] = listAppiumHomes(),
): AppiumHome {
  const homes = folders.map((folder) => ({ folder, absent: absentPackages(packages, folder) }));
  return homes.reduce((best, one) => (one.absent.length < best.absent.length ? one : best));
}

/** Those of the packages that this folder has not installed. */
export function absentPackages(packages: readonly string[], folder: string): readonly string[] {
  return packages.filter((name) => !existsSync(join(folder, 'node_modules', name, 'package.json')));
}

/** The address of a server that the user started; null when the farm starts its own. */
export function appiumAddress({ driver, server }: Device): string | null {
  if (driver !== 'appium') return null;
  const given = server ?? process.env[addressVariable] ?? '';
  return given === '' ? null : given;
}

/** Tells a driver where a device is. */
export function whereabouts(device: Device): Whereabouts {
  const address = device.remote === undefined ? appiumAddress(device) : (device.server ?? null);
  return {
    ...pickPlace(device),
    ...(address !== null && { server: address }),
  };
}

/** True if the browser itself is on this machine. */
export function isHere(device: Device): boolean {
  const address = appiumAddress(device);
  return !isElsewhere(device) && (address === null || isNear(address));
}

/** True if an address is of this machine's loopback. */
export function isNear(address: string): boolean {
  return /^https?:\/\/(localhost|127(\.\d+){3}|\[::1\])(:|\/|$)/.test(address);
}

/** A mobile device, or a browser at a distant server: its program is not looked for here. */
export async function locateAppiumServer(
  device: Device,
  driver: Driver,
): Promise<Places | Absence> {
  if (driver.serverNeeds === undefined) {
    return {
      reason: `the driver ${driver.name} moves no mobile device`,
      remedy: `give "${device.id}" the driver "appium" in devices.json`,
    };
  }
  const place = await locateServer(device, driver.serverNeeds);
  return 'reason' in place ? place : { executable: device.executable ?? '', ...place };
}

type ServerPlace = { readonly server: string; readonly version?: string } | Absence;

export interface AppiumPlaces {
  /** Where Appium is looked for, unless it is where it usually is. */
  readonly homes?: readonly string[];
}

/** The server that moves the device: at its address, or the farm's own with all its needs. */
export async function locateServer(
  device: Device,
  needs: ServerNeeds,
  places: AppiumPlaces = {},
): Promise<ServerPlace> {
  const obstacle = needs.obstacle?.(device.browser, whereabouts(device)) ?? null;
  if (obstacle !== null) return obstacle;
  const address = appiumAddress(device);
  if (address !== null) return checkAddress(device, address, needs);
  const packages = needs.packages(device.browser, whereabouts(device));
  if (packages === null) return movedByNone(device);
  return needsMac(device) ? absentMac(device) : locateOwn(device, { ...places, packages, needs });
}

async function checkAddress(
  device: Device,
  address: string,
  needs: ServerNeeds,
): Promise<ServerPlace> {
  const reason = await needs.refusal(address);
  if (reason === null) return { server: address };
  const where =
    device.server === undefined ? addressVariable : `"server" of "${device.id}" in devices.json`;
  const features = needs.features?.(device.browser, whereabouts(device)) ?? [];
  const allowed = features.length === 0 ? '' : ` --allow-insecure ${features.join(',')}`;
  return { reason, remedy: `start Appium there (npx appium${allowed}), or correct ${where}` };
}

function movedByNone(device: Device): Absence {
  const { id, browser } = device;
  const platform = findPlatform(device);
  const on = platform === undefined ? '' : ` on ${platform}`;
  return {
    reason: `Appium has no driver for ${browser}${on}`,
    remedy: `give "${id}" another driver in devices.json`,
  };
}

/** True if the device can only be moved from a Mac, and this machine is not one. */
export function needsMac(device: Device): boolean {
  return findPlatform(device) === 'ios' && process.platform !== 'darwin';
}

function absentMac({ id }: Device): Absence {
  return {
    reason: `${describePlatform('ios')} needs an Appium server on a Mac with Xcode`,
    remedy: `on the Mac: npm install -g ${specify('appium')}, appium driver install --source=npm ${specify('appium-safari-driver')}, appium; then name its address as "server" of "${id}" in devices.json, such as "http://mac.local:4723"`,
  };
}

interface OwnServer extends AppiumPlaces {
  readonly packages: readonly string[];
  readonly needs: ServerNeeds;
}

async function locateOwn(device: Device, own: OwnServer): Promise<ServerPlace> {
  const { folder, absent } = findAppiumHome(own.packages, own.homes);
  const [first] = absent;
  if (first !== undefined) return { reason: describeAbsent(first), remedy: appiumRemedy };
  const behind = await findBehind(device, own);
  if ('reason' in behind) return behind;
  const server = join(folder, 'node_modules', 'appium', 'index.js');
  return { server, ...(behind.version !== null && { version: behind.version }) };
}

function describeAbsent(name: string): string {
  return name === 'appium' ? 'Appium is not installed' : `Appium's ${name} is not installed`;
}

/**
 * Finds the browser behind the server: a program on its machine, or a device that answers and has
 * it.
 */
async function findBehind(
  device: Device,
  { packages, needs }: OwnServer,
): Promise<AppPresence | Absence> {
  const platform = findPlatform(device);
  let found: AppPresence = { version: null };
  if (platform === 'ios') return findOnIos(device);
  if (platform !== undefined) {
    const needsSdk = packages.includes('appium-uiautomator2-driver');
    const app = needs.app?.(device.browser, whereabouts(device)) ?? null;
    const onDevice = await findOnAndroid(device, { needsSdk, app });
    // UiAutomator2 fetches the chromedriver that fits the device.
    if ('reason' in onDevice || needsSdk) return onDevice;
    found = onDevice;
  }
  const driverServer = findDriverServer({
    ...device,
    browser: platform === undefined ? device.browser : desktopKin(device.browser),
  });
  return 'reason' in driverServer ? driverServer : found;
}

/** The desktop browser whose driver server moves this one on a phone, too. */
function desktopKin(browser: string): string {
  return browser === 'firefox' ? browser : 'chrome';
}

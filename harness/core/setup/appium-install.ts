import { existsSync } from 'node:fs';
import { type Device, findPlatform } from '../model/device.ts';
import {
  absentPackages,
  appiumAddress,
  appiumFolder,
  appiumManifest,
  type AppiumPlaces,
  findAppiumHome,
  needsMac,
  specify,
  whereabouts,
} from './appium.ts';
import {
  attempt,
  installFromDistribution,
  installFromNpm,
  type AttemptOptions,
} from './attempt.ts';
import { trustOwnWork } from './consent.ts';
import { findDriverServer } from './driver-server.ts';
import { findAmong, findOnPath } from './executable.ts';
import type { DriverLoader } from './presence.ts';
import { debianPackages } from '../system-packages.ts';
import { driverServers, listPaths, products } from './products.ts';

export interface AppiumInstallOptions extends AttemptOptions, AppiumPlaces {
  readonly loadDriver: DriverLoader;
}

/**
 * Installs what these devices lack of Appium: the server and its drivers from npm, all at once, in
 * the versions that package.json names, and the desktop browser with its driver server from the
 * distribution.
 * @returns whether anything was done.
 */
export async function installAppium(
  missing: readonly Device[],
  options: AppiumInstallOptions,
): Promise<boolean> {
  const devices = missing.filter(isOurs);
  if (devices.length === 0) return false;
  const fromNpm = await installServer(devices, options);
  const fromDistribution = await installBehind(devices, options);
  return fromNpm || fromDistribution;
}

/** True if the farm starts the server of this device itself. */
function isOurs(device: Device): boolean {
  return device.driver === 'appium' && appiumAddress(device) === null && !needsMac(device);
}

async function installServer(
  devices: readonly Device[],
  options: AppiumInstallOptions,
): Promise<boolean> {
  const folder = appiumFolder();
  const absent = absentPackages(await listPackages(devices, options), folder);
  if (absent.length === 0) return false;
  const specifications = absent.map(specify);
  options.say(`appium: installing ${specifications.join(' ')} from npm into ${folder}`);
  // The farm names a chromedriver that fits the browser; Appium would download one that may not.
  const environment = { APPIUM_SKIP_CHROMEDRIVER_INSTALL: '1' };
  const isDone = await installFromNpm(specifications, folder, {
    say: options.say,
    attempt: (command) => attempt(command, { ...options, environment }),
    // The drivers are added to one folder one after the other: npm removes what was not saved.
    keep: true,
  });
  if (isDone && existsSync(appiumManifest(folder))) trustOwnWork(appiumManifest(folder));
  return isDone;
}

/** Of devices for which no folder has all packages: each package once, the server first. */
async function listPackages(
  devices: readonly Device[],
  { loadDriver, homes }: Pick<AppiumInstallOptions, 'loadDriver' | 'homes'>,
): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const device of devices) {
    const { serverNeeds } = await loadDriver(device.driver);
    const packages = serverNeeds?.packages(device.browser, whereabouts(device)) ?? [];
    if (findAppiumHome(packages, homes).absent.length === 0) continue;
    for (const name of packages) names.add(name);
  }
  return [...names];
}

async function installBehind(
  devices: readonly Device[],
  options: AppiumInstallOptions,
): Promise<boolean> {
  const here = devices.filter((device) => findPlatform(device) === undefined);
  const packages = [...new Set(here.flatMap(packagesBehind))];
  return installFromDistribution(packages, 'appium', options);
}

function packagesBehind(device: Device): readonly string[] {
  const product = products[device.browser];
  const hasServer = !('reason' in findDriverServer(device));
  const hasBrowser =
    device.executable !== undefined ||
    product === undefined ||
    findOnPath(product.names) !== null ||
    findAmong(listPaths(product)) !== null;
  return [
    ...(hasBrowser ? [] : product.debianPackages),
    ...(hasServer ? [] : packagesOfServer(device.browser)),
  ];
}

/** Chromium's alone: the distribution's chromedriver fits no Chrome of another source. */
function packagesOfServer(browser: string): readonly string[] {
  const server = driverServers[browser];
  return browser === 'chromium' && server !== undefined ? debianPackages(server) : [];
}

import { loadDriver as loadOwnDriver } from '../../../../drivers/index.ts';
import { findHost, hosts, type Device, type Host, type Presence } from '../../model/device.ts';
import { selectDevices } from '../../plan/inventory/inventory.ts';
import { loadTrustedInventory } from '../trust.ts';
import { appiumRemedy } from '../../setup/appium.ts';
import { setUpDevices } from '../../setup/install.ts';
import { findOrInstallAb } from '../../setup/load-generators.ts';
import { findDevices } from '../../setup/presence.ts';
import { products, whyImpossible } from '../../setup/products.ts';
import type { MeasuringCaller } from '../caller.ts';

export interface SetUpOptions {
  /** The devices file. */
  readonly inventory: string;
  /** Says what is missing and changes nothing. */
  readonly check: boolean;
  /** True if JavaScript runtimes are looked for and installed, too. */
  readonly runtimes: boolean;
  /**
   * True if native programs are compiled, and the programs that run WebAssembly and load servers
   * are installed, too.
   */
  readonly programs: boolean;
  /** True if devices that Appium moves are looked for, and it is installed. */
  readonly appium: boolean;
}

export interface SetUpResult {
  readonly presences: readonly Presence[];
  /** Commands that would get a browser; none where at least one is here. */
  readonly browserRemedies: readonly string[];
  /** Runtimes and programs that could not be installed: they were asked for by name. */
  readonly notInstalled: readonly string[];
  /** Devices that Appium cannot move, without those that are merely not connected. */
  readonly withoutAppium: readonly string[];
}

/** Finds browsers, and installs what is missing where that is possible. @throws FarmError `bad-inventory`. */
export async function setUp(
  { inventory: path, check, appium, ...wanted }: SetUpOptions,
  { signal, say, loadDriver = loadOwnDriver }: MeasuringCaller,
): Promise<SetUpResult> {
  const inventory = await loadTrustedInventory(path);
  const automatic = selectDevices(inventory, [], hostsOf(wanted));
  const byAppium = appium ? inventory.filter(isByAppium) : [];
  // Those of former studies as well, which are measured only when they are named.
  const runtimes = wanted.runtimes ? inventory.filter(isRuntime) : [];
  const programs = wanted.programs ? inventory.filter(isProgram) : [];
  const devices = [...new Set([...automatic, ...runtimes, ...programs, ...byAppium])];
  const presences = check
    ? await findDevices(devices, loadDriver)
    : await setUpDevices(devices, { loadDriver, appium, signal, say });
  if (wanted.programs) await findOrInstallAb({ check, signal, say });
  const missing = presences.filter((presence) => presence.status === 'missing');
  const browsers = presences.filter(isBrowser);
  const missingBrowsers = missing.filter(isBrowser);
  // One missing browser is not a failure; the lack of any is.
  const isWithout = browsers.length > 0 && missingBrowsers.length === browsers.length;
  const isWithoutAppium = (one: (typeof missing)[number]): boolean =>
    isByAppium(one.device) && one.remedy === appiumRemedy;
  return {
    presences,
    browserRemedies: isWithout ? missingBrowsers.map(({ remedy }) => remedy) : [],
    notInstalled: check ? [] : missing.filter((one) => !isBrowser(one)).map(idOf),
    withoutAppium: check || !appium ? [] : missing.filter(isWithoutAppium).map(idOf),
  };
}

function isByAppium({ driver }: Device): boolean {
  return driver === 'appium';
}

function hostsOf({
  runtimes,
  programs,
}: Pick<SetUpOptions, 'runtimes' | 'programs'>): readonly Host[] {
  const wanted = { browser: true, runtime: runtimes, shell: runtimes, program: programs };
  return hosts.filter((host) => wanted[host]);
}

function isRuntime({ browser }: Device): boolean {
  return findHost(browser) === 'runtime';
}

/** The programs that the farm makes or fetches itself, and can on this machine. */
function isProgram({ browser }: Device): boolean {
  const product = products[browser];
  return product?.isProgram === true && whyImpossible(product) === null;
}

function isBrowser({ device }: Presence): boolean {
  return findHost(device.browser) === 'browser';
}

function idOf({ device }: Presence): string {
  return device.id;
}

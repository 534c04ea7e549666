import type { BrowserFamily } from './family.ts';

/** A phone or tablet, which an Appium server moves. */
export interface Phone {
  readonly platform: 'android' | 'ios';
  /** Serial number; the only one that is connected when left out. */
  readonly udid?: string;
  /** Package of the browser's app on Android, where it is not the usual one. */
  readonly appPackage?: string;
  /** All data of the browser's app are erased at each session; they are kept when left out. */
  readonly profile?: 'erase';
  /** Further capabilities of a session, such as those that sign WebDriverAgent; they win. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** How long starting the browser and loading a page may take, in milliseconds; as for phones when left out. */
  readonly limits?: { readonly launchMs?: number; readonly loadMs?: number };
  /** Where it reaches the pages: `lan`, or an address that leads here; its loopback when left out. */
  readonly pages?: string;
}

export type Platform = Phone['platform'];

/** Emulation by a browser of this machine; its results are those of no real device. */
export interface Emulation {
  /** Phone or tablet of the driver's list. */
  readonly descriptor?: string;
  /** The factor by which the processor seems slower. */
  readonly cpuThrottling?: number;
}

/**
 * A browser behind a remote WebDriver server or Selenium Grid, or one that the user started: its
 * options, and the addresses by which its machine and the farm reach each other.
 */
export interface RemotePlace {
  /** Which node of a grid: the capability `crossfarm:node` that the node declares. Any when left out. */
  readonly node?: string;
  /** Further capabilities of a session; they win over those of the farm. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** Where it reaches the pages: `lan`, or an address that leads here; the loopback when left out. */
  readonly pages?: string;
  /** Destination for `ssh`, through which the CPU of its machine is read. */
  readonly ssh?: string;
  /** Address of a `farm devices agent`, through which the CPU of its machine is read. */
  readonly agent?: string;
}

/** A node of a Selenium Grid, as its hub names it. */
export interface GridNode {
  readonly id: string;
  /** The address at which the hub reaches it. */
  readonly uri: string;
  /** The capability `crossfarm:node` that it declares; left out where it declares none. */
  readonly name?: string;
}

/** A machine or phone in `devices.json`, after parsing. */
export interface Device {
  readonly id: string;
  /** Human name for reports. */
  readonly name: string;
  /** Product: chromium, chrome, edge, firefox, webkit, webkitgtk, wpewebkit, safari, samsung, node, deno, bun, native, wasmtime, or program. */
  readonly browser: string;
  /** Name of the driver that moves it. */
  readonly driver: string;
  /** Drivers for when that one cannot be used here, the preferred one first. */
  readonly otherDrivers?: readonly string[];
  /** Path given by the owner; otherwise setup looks in the usual places. */
  readonly executable?: string;
  /**
   * Address of an Appium, WebDriver, Selenium Grid or Playwright server, or of a browser that runs
   * already; otherwise the farm starts its own.
   */
  readonly server?: string;
  /** The device is this phone, and not the machine on which the farm runs. */
  readonly phone?: Phone;
  /** The browser runs on the machine of the server at `server`, or is the one that runs there. */
  readonly remote?: RemotePlace;
  /** The phone is emulated by a browser of this machine. */
  readonly emulation?: Emulation;
  /** Only this version of a runtime or program will do: `22`, or `22.11`. */
  readonly version?: string;
  readonly headless: boolean;
  readonly flags: readonly string[];
  readonly preferences: Readonly<Record<string, string | number | boolean>>;
  readonly environment: Readonly<Record<string, string>>;
  /** The number of cores that the browser may run on; on all of them when left out. */
  readonly cores?: number;
  /** Of a program: the browsers with whose engine it is counted. */
  readonly family?: BrowserFamily;
  /** False: measured only when named by `--device`. */
  readonly automatic: boolean;
}

/** Describes the emulation: `Pixel 7, processor 4 times slower`; null if it is missing. */
export function describeEmulation({ emulation }: Pick<Device, 'emulation'>): string | null {
  if (emulation === undefined) return null;
  const { descriptor, cpuThrottling } = emulation;
  const slower =
    cpuThrottling === undefined ? [] : [`processor ${String(cpuThrottling)} times slower`];
  return [...(descriptor === undefined ? [] : [descriptor]), ...slower].join(', ');
}

/** Place of a remote browser: `node a (http://10.0.0.7:5555) of http://hub:4444`; else null. */
export function describeRemote({ remote, server = '' }: Device, node?: GridNode): string | null {
  if (remote === undefined) return null;
  if (node !== undefined) return `${describeNode(node)} of ${server}`;
  if (remote.node !== undefined) return `node ${remote.node} of ${server}`;
  return isSocket(server) ? `running at ${toldOfServer(server)}` : `beside ${server}`;
}

function isSocket(server: string): boolean {
  return /^wss?:/.test(server);
}

/** Public part of a server's address: who knows the path of a browser's WebSocket can move it. */
export function toldOfServer(server: string): string {
  return isSocket(server) ? new URL(server).origin : server;
}

export function describeNode({ name, id, uri }: GridNode): string {
  return `node ${name ?? id} (${uri})`;
}

/**
 * True if a browser elsewhere gets its pages over plain HTTP from another machine, unless a command
 * serves them over HTTPS. They are then no secure context: without the finer clock, and without
 * shared memory.
 */
export function isInsecure(device: Pick<Device, 'remote' | 'phone'>): boolean {
  const pages = pagesOf(device);
  if (pages === undefined) return false;
  if (pages === 'lan') return true;
  const { protocol, hostname } = new URL(pages);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Where a browser that is not here reaches the pages; undefined for its own loopback. */
export function pagesOf({ remote, phone }: Pick<Device, 'remote' | 'phone'>): string | undefined {
  return remote?.pages ?? phone?.pages;
}

/** True if the device, or its server, is another machine than the farm's. */
export function isElsewhere({ remote, phone }: Pick<Device, 'remote' | 'phone'>): boolean {
  return remote !== undefined || phone !== undefined;
}

/** Platform of a mobile device; undefined for a computer. */
export function findPlatform({ phone }: Pick<Device, 'phone'>): Platform | undefined {
  return phone?.platform;
}

/** Serial number of a mobile device, where its owner gave it. */
export function findSerial({ phone }: Pick<Device, 'phone'>): string | undefined {
  return phone?.udid;
}

const platformTexts: Readonly<Record<Platform, string>> = {
  android: 'an Android phone or tablet',
  ios: 'an iPhone or iPad',
};

/** Names a kind of device with its article: `an iPhone or iPad`, `a computer`. */
export function describePlatform(platform: Platform | undefined): string {
  return platform === undefined ? 'a computer' : platformTexts[platform];
}

/** Picks what says on which machine a device is, or of which it pretends to be. */
export function pickPlace({
  phone,
  remote,
  emulation,
}: Device): Pick<Device, 'phone' | 'remote' | 'emulation'> {
  return {
    ...(phone !== undefined && { phone }),
    ...(remote !== undefined && { remote }),
    ...(emulation !== undefined && { emulation }),
  };
}

/** Capabilities that its owner adds to a session. */
export function findCapabilities({
  remote,
  phone,
}: Pick<Device, 'remote' | 'phone'>): Readonly<Record<string, unknown>> {
  return { ...remote?.capabilities, ...phone?.capabilities };
}

/** Half a sentence: why nothing of this machine sees the browser of a device that is elsewhere. */
export function describeAbsence({ phone }: Device): string {
  return phone === undefined
    ? 'the browser is not on this machine'
    : 'the browser is on a phone, not on this machine';
}

/** True if a host's name in a URL is the loopback of the machine that uses it. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** The kinds of place in which a case can run, in the order in which they are asked unnamed. */
export const hosts = ['browser', 'runtime', 'shell', 'program'] as const;

export type Host = (typeof hosts)[number];

const runtimes: ReadonlySet<string> = new Set(['node', 'deno', 'bun']);
const shells: ReadonlySet<string> = new Set(['jsc', 'spidermonkey', 'chakracore']);
const programs: ReadonlySet<string> = new Set(['native', 'wasmtime']);

/**
 * The kind of a product: it shows pages, runs scripts, is an engine's shell, which runs scripts
 * without network or workers, or is a compiled program (or runs one). The product `program` is any
 * program that takes a URL as a browser does, and counts as one.
 */
export function findHost(browser: string): Host {
  if (runtimes.has(browser)) return 'runtime';
  if (shells.has(browser)) return 'shell';
  return programs.has(browser) ? 'program' : 'browser';
}

/** Product and exact version. */
export interface Browser {
  readonly name: string;
  readonly version: string;
}

/** The first whose modules are those of the kit: with top-level `await`, `fetch` and `node:` everywhere. */
const oldestNode = 20;

/**
 * True for a Node.js that cannot run the kit, as that of a study of 2018: then the farm's own
 * Node.js runs the kit, and the old one runs its fresh processes.
 */
export function isOldNode({ name, version }: Browser): boolean {
  const [, major] = /^(\d+)\./.exec(version) ?? [];
  return name === 'node' && major !== undefined && Number(major) < oldestNode;
}

/** A declared ability of a driver on a device; `because` says why it is missing. */
export interface Capability {
  readonly name: string;
  readonly supported: boolean;
  readonly because?: string;
}

/** device × browser × driver: where a case runs. */
export interface Target {
  readonly device: Device;
  readonly browser: Browser;
  /** Empty where the browser is not on this machine. */
  readonly executable: string;
  /** For drivers that need a server: its program (WebKitWebDriver), or its address. */
  readonly server?: string;
  /** A node of a grid that can serve it, when it was looked for; a trial says on which one it ran. */
  readonly node?: GridNode;
}

/** A driver that the owner prefers, and why it was not taken. */
export interface PassedOver {
  readonly driver: string;
  readonly reason: string;
}

/** The device as it is moved by one of its drivers. */
export function movedBy(device: Device, driver: string): Device {
  const moved: { -readonly [Key in keyof Device]: Device[Key] } = { ...device, driver };
  delete moved.otherDrivers;
  return moved;
}

/** Result of looking for one device: it can be used, or the reason why not and a remedy. */
export type Presence =
  | {
      readonly status: 'found';
      readonly device: Device;
      readonly target: Target;
      readonly capabilities: readonly Capability[];
      /** Drivers that come before this one in the owner's order; left out without one. */
      readonly passedOver?: readonly PassedOver[];
    }
  | {
      readonly status: 'missing';
      readonly device: Device;
      readonly reason: string;
      readonly remedy: string;
      readonly capabilities: readonly Capability[];
    };

export type FoundDevice = Extract<Presence, { status: 'found' }>;
export type MissingDevice = Extract<Presence, { status: 'missing' }>;

/** Half a sentence for each driver that the owner prefers and that was not taken. */
export function describePassedOver(presence: Presence): readonly string[] {
  if (presence.status === 'missing') return [];
  const { passedOver = [] } = presence;
  return passedOver.map(({ driver, reason }) => `${driver} was passed over: ${reason}`);
}

import { type Attendance, attendedDriver, driverFor } from '../../../drivers/attended/attended.ts';
import type { Driver } from '../../../drivers/driver.ts';
import type { Device, FoundDevice, Presence, Target } from '../../core/model/device.ts';
import type { ClientRegistry } from './join/client-registry.ts';
import type { Client } from './join/client.ts';
import { listCapabilities } from '../../core/setup/presence.ts';

/** Devices that have joined, as targets of a run. */
export interface AttendedDevices {
  readonly presences: readonly Presence[];
  readonly driverOf: (target: Target) => Promise<Driver>;
}

export function attendedDevices(
  clients: readonly Client[],
  registry: ClientRegistry,
): AttendedDevices {
  const drivers = new Map<string, Driver>();
  const presences = clients.map((client): Presence => {
    const presence = presenceOf(client, [...drivers.keys()]);
    drivers.set(presence.device.id, driverFor(attendanceOf(client, registry)));
    return presence;
  });
  return {
    presences,
    driverOf: ({ device }) => {
      const driver = drivers.get(device.id);
      if (driver === undefined) throw new TypeError(`${device.id} has not joined`);
      return Promise.resolve(driver);
    },
  };
}

function attendanceOf(client: Client, registry: ClientRegistry): Attendance {
  return {
    name: client.name,
    client: client.secret,
    version: claimedBrowser(client.userAgent).version,
    drawing: () => client.drawing,
    arrived: (signal) => client.arrived(signal),
    hand: (url) => client.hand(url, registry.progress),
    release: () => {
      client.release();
    },
  };
}

/** The device of a person, with the browser that it claims to be. @param taken ids of other devices */
export function presenceOf(
  { name, userAgent }: Pick<Client, 'name' | 'userAgent'>,
  taken: readonly string[],
): FoundDevice {
  const { product, version, platform } = claimedBrowser(userAgent);
  const device: Device = {
    id: idOf(name, taken),
    name,
    browser: product,
    driver: attendedDriver.name,
    ...(platform === null ? {} : { phone: { platform } }),
    headless: false,
    flags: [],
    preferences: {},
    environment: {},
    automatic: false,
  };
  const browser = { name: product, version: version ?? 'unknown' };
  return {
    status: 'found',
    device,
    target: { device, browser, executable: '' },
    capabilities: listCapabilities(attendedDriver.capabilities(product)),
  };
}

/** The owner's name for it, as an id; with a number where another device has the same name. */
export function idOf(name: string, taken: readonly string[]): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 50);
  const id = plain === '' ? 'device' : plain;
  let number = 1;
  const numbered = (): string => (number === 1 ? id : `${id}-${String(number)}`);
  while (taken.includes(numbered())) number += 1;
  return numbered();
}

/** The browser that a user agent claims to be; as everything that a page sends, it may be false. */
export interface ClaimedBrowser {
  /** A product of the inventory; `program` for an unknown one. */
  readonly product: string;
  readonly version: string | null;
  readonly platform: 'android' | 'ios' | null;
}

/** The first that is found counts: most browsers also name those whose pages they want. */
const products: readonly (readonly [product: string, mark: RegExp])[] = [
  ['samsung', /SamsungBrowser\/([\d.]+)/],
  ['edge', /Edg(?:A|iOS)?\/([\d.]+)/],
  ['firefox', /(?:Firefox|FxiOS)\/([\d.]+)/],
  ['chrome', /(?:HeadlessChrome|Chrome|CriOS)\/([\d.]+)/],
  ['safari', /Version\/([\d.]+)(?: Mobile\/\w+)? Safari\//],
];

/** Chromium and Chrome have one user agent, and are both called Chrome here. */
export function claimedBrowser(userAgent: string): ClaimedBrowser {
  const platform = platformOf(userAgent);
  for (const [product, mark] of products) {
    const version = mark.exec(userAgent)?.[1];
    if (version !== undefined) return { product: engineOf(product, platform), version, platform };
  }
  return { product: 'program', version: null, platform };
}

/** On iOS every browser runs WebKit, under any name. */
function engineOf(product: string, platform: ClaimedBrowser['platform']): string {
  return platform === 'ios' && product !== 'safari' ? 'webkit' : product;
}

function platformOf(userAgent: string): ClaimedBrowser['platform'] {
  if (/\bAndroid\b/.test(userAgent)) return 'android';
  return /\b(?:iPhone|iPad|iPod)\b/.test(userAgent) ? 'ios' : null;
}

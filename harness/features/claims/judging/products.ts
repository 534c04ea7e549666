import {
  describePlatform,
  type Device,
  findPlatform,
  findSerial,
  type FoundDevice,
  type Platform,
  type Presence,
} from '../../../core/model/device.ts';
import type { Product, CaseMaker, ArmTemplate } from './claim.ts';
import type { Arm } from '../../../core/model/question.ts';
import {
  causes,
  changedDevice,
  changeFor,
  coresChange,
  type Change,
} from '../../../core/analysis/causes.ts';

/** Products of `devices.json` that can stand for a claim's, best first. */
const standIns: Readonly<Record<Product, readonly string[]>> = {
  chromium: ['chromium', 'chrome'],
  firefox: ['firefox'],
  safari: ['safari', 'webkit', 'webkitgtk'],
  edge: ['edge'],
  chakracore: ['chakracore'],
  node: ['node'],
  node10: ['node'],
  deno: ['deno'],
  bun: ['bun'],
  native: ['native'],
  wasmtime: ['wasmtime'],
};

const productNames: Readonly<Record<Product, string>> = {
  chromium: 'Chromium',
  firefox: 'Firefox',
  safari: 'Safari',
  edge: 'Edge',
  chakracore: 'The shell of ChakraCore',
  node: 'Node.js',
  node10: 'Node.js 10',
  deno: 'Deno',
  bun: 'Bun',
  native: 'A native program',
  wasmtime: 'Wasmtime',
};

/** The versions of a product of which a source spoke; all others stand for today's. */
const versions: Readonly<Partial<Record<Product, RegExp>>> = { node10: /^10\./ };

/**
 * Returns the first found device that can stand for a product on computers, or on mobile devices of a
 * platform, in the order of the inventory.
 */
export function deviceFor(
  product: Product,
  presences: readonly Presence[],
  platform?: Platform,
): FoundDevice | null {
  return devicesFor(product, presences, platform)[0] ?? null;
}

/**
 * Returns every found device that can stand for a product, best first, without emulated ones. A
 * mobile device never stands for a computer: a ratio of the two would be one of machines.
 */
export function devicesFor(
  product: Product,
  presences: readonly Presence[],
  platform?: Platform,
): readonly FoundDevice[] {
  const found = presences.filter((one): one is FoundDevice => one.status === 'found');
  return standIns[product].flatMap((browser) =>
    found.filter(
      ({ device, target }) =>
        device.browser === browser &&
        isOf(device, platform) &&
        (versions[product]?.test(target.browser.version) ?? true),
    ),
  );
}

function isOf(device: Device, platform: Platform | undefined): boolean {
  return device.emulation === undefined && findPlatform(device) === platform;
}

/** Returns why browsers cannot be compared with each other: they are on different devices; else null. */
export function whyNotOneDevice(found: readonly FoundDevice[]): string | null {
  const machines = new Map(
    found.flatMap(({ device }) => {
      const udid = findSerial(device);
      return udid === undefined ? [] : [[udid, device.id]];
    }),
  );
  if (machines.size < 2) return null;
  return `it compares browsers of one device, and ${[...machines.values()].join(' and ')} are on different ones`;
}

/** The products of which another one is measured, wherever a claim names them. */
const former: Readonly<Partial<Record<Product, string>>> = { chakracore: 'the Edge of its time' };

/** Returns the name of what a claim is about, where a device that is measured is something else; else null. */
export function nameIfOther(product: Product, { device }: FoundDevice): string | null {
  const isOther = product === 'safari' && device.browser !== 'safari';
  return former[product] ?? (isOther ? productNames[product] : null);
}

/** Describes how a device differs from the product of the claim; null if it does not. */
export function standInNote(product: Product, { device }: FoundDevice): string | null {
  if (product !== 'safari' || device.browser === 'safari') return null;
  return `${device.name} stands in for Safari: it shares the engine (JavaScriptCore), not the system, the process model or the build. It is not Safari.`;
}

/** Returns why a product cannot be measured, and what would help. */
export function missingProduct(
  product: Product,
  presences: readonly Presence[],
  platform?: Platform,
): string {
  const able = presences.filter(({ device }) => standIns[product].includes(device.browser));
  const missing = able.find(({ status, device }) => status === 'missing' && isOf(device, platform));
  const name = `${productNames[product]}${platform === undefined ? '' : ` on ${describePlatform(platform)}`}`;
  if (missing?.status === 'missing') {
    return `${name} is missing: ${missing.reason} (${missing.remedy})`;
  }
  const other = able.find(({ device }) => findPlatform(device) !== platform);
  return other === undefined
    ? `${name} is missing: no device of the inventory can stand for it`
    : `${name} is missing: ${other.device.id} is on ${describePlatform(findPlatform(other.device))}, and the claim is about ${describePlatform(platform)}`;
}

interface Variant {
  readonly change: Change;
  readonly presence: FoundDevice;
}

/** Returns the device without a cause; null if its engine has no switch for it. */
export function makeVariant(presence: FoundDevice, cause: string, given?: Change): Variant | null {
  const known = causes.find(({ id }) => id === cause);
  const change = given ?? (known === undefined ? null : changeFor(known, presence.device));
  if (change === null) return null;
  const suffix = given?.cores === undefined ? `without-${cause}` : `cores-${String(given.cores)}`;
  const device = changedDevice(presence.device, suffix, change);
  return { change, presence: { ...presence, device, target: { ...presence.target, device } } };
}

interface VariantSetting {
  readonly presences: readonly Presence[];
  /** Logical cores that may be used here. */
  readonly cores: number;
  readonly makeCase: CaseMaker;
  /** Platform of the mobile devices that the claim is about; computers when left out. */
  readonly platform?: Platform | undefined;
}

/**
 * Finds the device of each arm, pinned or without a cause if the arm asks for that, and records the
 * used ones.
 */
export class DeviceVariants {
  readonly #surroundings: VariantSetting;
  readonly #used = new Map<string, FoundDevice>();

  constructor(surroundings: VariantSetting) {
    this.#surroundings = surroundings;
  }

  find(product: Product): FoundDevice | null {
    const { presences, platform } = this.#surroundings;
    return deviceFor(product, presences, platform);
  }

  used(): readonly FoundDevice[] {
    return [...this.#used.values()];
  }

  arm(template: ArmTemplate, each: Product | null): Arm {
    const { product, benchmark, cores } = template;
    const wanted = product === 'each' ? each : product;
    const found = wanted === null ? null : this.find(wanted);
    if (found === null) throw new RangeError(`no device for ${String(wanted)}`);
    const chosen = typeof cores === 'number' ? this.#pinned(found, cores) : found;
    this.#used.set(chosen.device.id, chosen);
    const parameters = this.#parametersOf(template);
    return { deviceId: chosen.device.id, case: this.#surroundings.makeCase(benchmark, parameters) };
  }

  #parametersOf({ parameters, coresAs }: ArmTemplate): ArmTemplate['parameters'] {
    return coresAs === undefined
      ? parameters
      : { ...parameters, [coresAs]: this.#surroundings.cores };
  }

  /** Returns the arm without a cause; null if its engine has no switch for it. */
  without(cause: string, arm: Arm): { readonly arm: Arm; readonly change: Change } | null {
    const presence = this.#used.get(arm.deviceId);
    if (presence === undefined) return null;
    const variant = makeVariant(presence, cause, cause === 'cores' ? coresChange(1) : undefined);
    if (variant === null) return null;
    const { id } = variant.presence.device;
    this.#used.set(id, variant.presence);
    return { arm: { ...arm, deviceId: id }, change: variant.change };
  }

  #pinned(presence: FoundDevice, cores: number): FoundDevice {
    const device = changedDevice(presence.device, `cores-${String(cores)}`, coresChange(cores));
    return { ...presence, device, target: { ...presence.target, device } };
  }
}

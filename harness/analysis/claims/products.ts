import type { Presence } from '../../model/device.ts';
import type { Product } from './claim.ts';

export type Found = Extract<Presence, { status: 'found' }>;

/** Products of `devices.json` that can stand for a claim's, best first. */
const standIns: Readonly<Record<Product, readonly string[]>> = {
  chromium: ['chromium', 'chrome'],
  firefox: ['firefox'],
  safari: ['safari', 'webkit', 'webkitgtk'],
  edge: ['edge'],
  node: ['node'],
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
  node: 'Node.js',
  deno: 'Deno',
  bun: 'Bun',
  native: 'A native program',
  wasmtime: 'Wasmtime',
};

/** Returns the first found device that can stand for a product, in the order of the inventory. */
export function deviceFor(product: Product, presences: readonly Presence[]): Found | null {
  return devicesFor(product, presences)[0] ?? null;
}

/** Returns every found device that can stand for a product, best first, without emulated ones. */
export function devicesFor(product: Product, presences: readonly Presence[]): readonly Found[] {
  const found = presences.filter((one): one is Found => one.status === 'found');
  return standIns[product].flatMap((browser) =>
    found.filter(({ device }) => device.browser === browser && device.emulation === undefined),
  );
}

/** Describes how a device differs from the product of the claim; null if it does not. */
export function standInNote(product: Product, { device }: Found): string | null {
  if (product !== 'safari' || device.browser === 'safari') return null;
  return `${device.name} stands in for Safari: it shares the engine (JavaScriptCore), not the system, the process model or the build. It is not Safari.`;
}

/** Returns why a product cannot be measured, and what would help. */
export function missingProduct(product: Product, presences: readonly Presence[]): string {
  const candidates = presences.filter(
    (one) => one.status === 'missing' && standIns[product].includes(one.device.browser),
  );
  const [first] = candidates;
  const name = productNames[product];
  return first?.status === 'missing'
    ? `${name} is missing: ${first.reason} (${first.remedy})`
    : `${name} is missing: no device of the inventory can stand for it`;
}

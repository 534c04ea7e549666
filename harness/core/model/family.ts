import { families } from '../results/families.ts';

export { families };

/** Browsers that share an engine, as the first study grouped them. */
export const browserFamilies = [
  'chromium-based',
  'firefox-based',
  'webkit-based',
] as const satisfies readonly Family[];

export type BrowserFamily = (typeof browserFamilies)[number];

export type Family = (typeof families)[number];

const members: Readonly<Record<Family, readonly string[]>> = {
  'chromium-based': ['chromium', 'chrome', 'edge', 'samsung'],
  'firefox-based': ['firefox'],
  'webkit-based': ['webkit', 'webkitgtk', 'wpewebkit', 'safari'],
  runtime: ['node', 'deno', 'bun'],
  shell: ['jsc', 'spidermonkey', 'chakracore'],
  program: ['native', 'wasmtime'],
};

/** Products of `devices.json` that belong to a family. */
export function listProducts(family: Family): readonly string[] {
  return members[family];
}

/** As its owner declared it, else by the product; null for a program of which neither says it. */
export function findFamily(product: string, declared: BrowserFamily | null = null): Family | null {
  if (declared !== null) return declared;
  return families.find((family) => members[family].includes(product)) ?? null;
}

/** By whose names probes know processes and threads: of a program those of the family that its owner declared. */
export function findEngineProduct(target: {
  readonly device: { readonly family?: BrowserFamily };
  readonly browser: { readonly name: string };
}): string {
  const { family } = target.device;
  const [product] = family === undefined ? [] : listProducts(family);
  return product ?? target.browser.name;
}

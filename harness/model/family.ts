/** Browsers that share an engine, as the first study grouped them, and the targets that are none. */
export const families = [
  'chromium-based',
  'firefox-based',
  'webkit-based',
  'runtime',
  'shell',
  'program',
] as const;

export type Family = (typeof families)[number];

const members: Readonly<Record<Family, readonly string[]>> = {
  'chromium-based': ['chromium', 'chrome', 'edge', 'samsung'],
  'firefox-based': ['firefox'],
  'webkit-based': ['webkit', 'webkitgtk', 'safari'],
  runtime: ['node', 'deno', 'bun'],
  shell: ['jsc', 'spidermonkey'],
  program: ['native', 'wasmtime'],
};

/** Products of `devices.json` that belong to a family. */
export function productsOf(family: Family): readonly string[] {
  return members[family];
}

/** Null for a program of which only its owner knows what it is. */
export function familyOf(product: string): Family | null {
  return families.find((family) => members[family].includes(product)) ?? null;
}

import { join, resolve } from 'node:path';
import type { Device } from '../model/device.ts';
import { hasConsent } from './consent.ts';
import { askVersion, findAmong, findOnPath } from './executable.ts';
import { products } from './products.ts';

type WantedRuntime = Pick<Device, 'browser' | 'version'>;

/** The folder of the runtimes that the farm installed: next to its database. */
const ownFolder = (): string => resolve('.farm', 'runtimes');

/** Each version has its own folder, so that several can be installed. */
export function runtimeFolder(
  { browser, version = '' }: WantedRuntime,
  root = ownFolder(),
): string {
  return join(root, `${browser}${version}`);
}

/**
 * The program of a runtime: the Node.js that runs the farm, what is on PATH, or what the farm
 * installed; null when none of them is of the version that is wanted.
 */
export async function findRuntime(
  wanted: WantedRuntime,
  root = ownFolder(),
): Promise<string | null> {
  for (const path of candidates(wanted, root)) {
    if (path !== null && (await isVersion(path, wanted.version))) return path;
  }
  return null;
}

function candidates(wanted: WantedRuntime, root: string): readonly (string | null)[] {
  const { browser, version } = wanted;
  const product = products[browser];
  const names = product?.names ?? [];
  const versioned = version === undefined ? [] : names.map((name) => `${name}${version}`);
  return [
    browser === 'node' ? process.execPath : null,
    findOnPath([...versioned, ...names]),
    installedRuntime(wanted, root),
  ];
}

/**
 * The runtime that the farm itself installed: one that a foreign folder brings along does not
 * count.
 */
function installedRuntime(wanted: WantedRuntime, root: string): string | null {
  const path = runtimeInFolder(wanted, root);
  return path !== null && hasConsent(path) ? path : null;
}

/** The runtime in the farm's folder, from any source. */
export function runtimeInFolder(wanted: WantedRuntime, root = ownFolder()): string | null {
  const programs = products[wanted.browser]?.npm?.programs ?? [];
  return findAmong(programs.map((program) => `${runtimeFolder(wanted, root)}/${program}`));
}

/** True if the program at this path is of the wanted version. */
export async function isVersion(path: string, wanted: string | undefined): Promise<boolean> {
  if (wanted === undefined) return true;
  const version = await askVersion([[path, '--version']]);
  return version === wanted || (version?.startsWith(`${wanted}.`) ?? false);
}

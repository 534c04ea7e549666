import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Driver } from '../../../drivers/driver.ts';
import { farmVersion } from '../../core/project.ts';
import type { Device, Presence } from '../../core/model/device.ts';
import { findAppiumHome, whereabouts } from '../../core/setup/appium.ts';
import { askVersion } from '../../core/setup/executable.ts';

/** Versions of what stands between the farm and the browser, by name. */
export async function listVersions(
  presence: Presence,
  driver: Driver,
): Promise<Readonly<Record<string, string>>> {
  const libraries = (driver.libraries ?? []).map((name) => [name, findLibrary(name)] as const);
  const parts = [...libraries, ...listParts(presence.device, driver)].flatMap(([name, version]) =>
    version === null ? [] : [[name, version] as const],
  );
  const server = await askServer(presence);
  return {
    crossfarm: farmVersion(),
    'Node.js': process.versions.node,
    ...Object.fromEntries(parts),
    ...(server !== null && { 'driver server': server }),
  };
}

const { resolve } = createRequire(import.meta.url);

/** Version of a package as the farm would load it; null where it is not installed. */
function findLibrary(name: string): string | null {
  let folder: string;
  try {
    folder = dirname(resolve(name));
  } catch {
    return null;
  }
  while (!existsSync(join(folder, 'package.json')) || readName(folder) !== name) {
    if (dirname(folder) === folder) return null;
    folder = dirname(folder);
  }
  return readVersion(folder);
}

function listParts(
  device: Device,
  { serverNeeds }: Driver,
): readonly (readonly [string, string | null])[] {
  const packages = serverNeeds?.packages(device.browser, whereabouts(device)) ?? [];
  const { folder } = findAppiumHome(packages);
  return packages.map((name) => [name, readVersion(join(folder, 'node_modules', name))]);
}

interface Manifest {
  readonly name?: unknown;
  readonly version?: unknown;
}

function readManifest(folder: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return {};
  }
}

function readName(folder: string): unknown {
  return readManifest(folder).name;
}

function readVersion(folder: string): string | null {
  const { version } = readManifest(folder);
  return typeof version === 'string' ? version : null;
}

/** A program between driver and browser, such as chromedriver; Appium's is a package. */
async function askServer(presence: Presence): Promise<string | null> {
  if (presence.status === 'missing') return null;
  const { server = '' } = presence.target;
  if (!isAbsolute(server) || server.endsWith('.js')) return null;
  return askVersion([[server, '--version']]);
}

import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FarmError } from '../errors.ts';
import { type Device, findCapabilities } from '../model/device.ts';
import type { OwnPages, RunSetting } from '../model/run.ts';
import { loadInventory } from '../plan/inventory/inventory.ts';
import { pagesFolder } from '../project.ts';
import { giveConsent, hasConsent, requireConsent } from '../setup/consent.ts';
import { manifestFile } from '../setup/build-store.ts';

/**
 * Reads a devices file. One that does more than choose among the browsers which the farm itself
 * finds or installs has to be trusted by its user.
 * @throws FarmError `bad-inventory`; ConsentError
 */
export async function loadTrustedInventory(path: string): Promise<readonly Device[]> {
  const devices = await loadInventory(path);
  const does = devices.flatMap(listActs);
  if (does.length > 0) requireConsent(path, does);
  return devices;
}

/**
 * Has a database trusted before devices run that it alone names: its farm made it here, or its user
 * says so. A stranger's folder may bring one along.
 * @param setting of the run, if one goes on: the pages that it names
 * @throws ConsentError
 */
export function requireTrustedDatabase(
  database: string,
  devices: readonly Device[],
  { pages = pagesFolder(), ownPages }: Partial<Pick<RunSetting, 'pages' | 'ownPages'>> = {},
): void {
  const does = devices.flatMap(listActs);
  const more = [
    ...(pages === pagesFolder() ? [] : [`runs benchmarks of ${quote(pages)}`]),
    ...(ownPages === undefined ? [] : listPageActs(ownPages)),
  ];
  const all = [...does, ...more].map((one) => `a run in it ${one}`);
  if (all.length > 0) requireConsent(database, all);
}

/**
 * Lists what a device does beyond starting a browser of its kind unchanged, in a few words each.
 */
function listActs({ id, ...device }: Device): readonly string[] {
  const { executable, server, remote } = device;
  const { flags, preferences, environment } = device;
  const names = (what: string, values: readonly string[]): readonly string[] =>
    values.length === 0 ? [] : [`gives ${id} the ${what} ${values.map(quote).join(', ')}`];
  return [
    ...(executable === undefined ? [] : [`runs ${quote(executable)}, as ${id}`]),
    ...(server === undefined ? [] : [`uses the server ${quote(server)}, for ${id}`]),
    ...(remote?.ssh === undefined ? [] : [`connects to ${quote(remote.ssh)} by ssh`]),
    ...(remote?.agent === undefined ? [] : [`sends a token to ${quote(remote.agent)}`]),
    ...names('capabilities', Object.keys(findCapabilities(device))),
    ...names('flags', flags),
    ...names('preferences', Object.keys(preferences)),
    ...names('variables', Object.keys(environment)),
  ];
}

function listPageActs({ from, places: { build, server }, versions }: OwnPages): readonly string[] {
  const named = versions.map(({ name }) => quote(name)).join(', ');
  return [
    `opens ${named} from ${quote(from)}`,
    ...[build, server].flatMap((command) =>
      command === undefined ? [] : [`runs ${quote(command)} there`],
    ),
  ];
}

/** A foreign text in a sentence, on one line. */
function quote(text: string): string {
  return JSON.stringify(text);
}

/** Those of these files, and of the builds of a folder, that are there and not trusted. */
export function listUntrusted(folder: string, files: readonly string[]): readonly string[] {
  const builds = join(folder, '.farm', 'builds');
  const manifests = namesIn(builds).flatMap((product) =>
    namesIn(join(builds, product)).map((version) => join(builds, product, version, manifestFile)),
  );
  const all = [...files, ...manifests].map((file) => resolve(folder, file));
  return all.filter((file) => existsSync(file) && !hasConsent(file));
}

/** True for a valid devices file that does nothing that needs trust. */
export async function isHarmlessInventory(path: string): Promise<boolean> {
  const devices = await loadInventory(path).catch((error: unknown) => {
    if (error instanceof FarmError) return null;
    throw error;
  });
  return devices?.flatMap(listActs).length === 0;
}

/** Trusts files as they are now. @returns their real paths @throws FarmError `cannot-write` */
export function trustFiles(files: readonly string[]): readonly string[] {
  return files.map(giveConsent);
}

function namesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

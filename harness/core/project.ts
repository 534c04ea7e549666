import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the farm itself lives: the folder of its package.json, from source or from dist/. */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) {
    folder = dirname(folder);
  }
  return folder;
}

interface Manifest {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')) as Manifest;
}

export function farmVersion(): string {
  return readManifest().version;
}

/** The versions of a package that the farm's own tests use; null when they use none. */
export function testedVersions(name: string): string | null {
  return readManifest().devDependencies[name] ?? null;
}

const systemNames: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'macos',
  linux: 'linux',
  win32: 'windows',
};

/** The system on which the farm runs, as `devices.json` names it. */
export function systemName(): string {
  return systemNames[process.platform] ?? process.platform;
}

/** The benchmark pages that come with the farm. */
export function pagesFolder(): string {
  return join(projectRoot(), 'pages');
}

/** The page that `farm serve` shows. */
export function explorerFolder(): string {
  return join(projectRoot(), 'reports', 'explorer');
}

/** `devices.json` of the current folder, else the farm's own. */
export function defaultInventory(): string {
  const here = resolve('devices.json');
  return existsSync(here) ? here : join(projectRoot(), 'devices.json');
}

export function defaultDatabase(): string {
  return resolve('.farm', 'farm.db');
}

/** Where sessions of this database keep their profiles while they live. */
export function sessionsFolder(database: string): string {
  return join(dirname(database), 'sessions');
}

/**
 * The default place of reports: next to the database, whose run numbers are in their names. Those
 * of the farm's own database are in the farm's own folder of reports.
 */
export function reportsFolder(database: string): string {
  const own = join(projectRoot(), '.farm');
  const folder = dirname(resolve(database));
  return folder === own ? join(projectRoot(), 'reports', 'out') : join(folder, 'reports');
}

/**
 * The folder of this user's state, which no folder of a project can change. XDG_STATE_HOME may place
 * it; a relative one counts for nothing, as XDG has it.
 */
export function stateFolder(): string {
  const { XDG_STATE_HOME: given = '', LOCALAPPDATA: local = '' } = process.env;
  if (isAbsolute(given)) return join(given, 'crossfarm');
  const { platform } = process;
  const usual = platform === 'darwin' ? ['Library', 'Application Support'] : ['.local', 'state'];
  const state = platform === 'win32' && local !== '' ? local : join(homedir(), ...usual);
  return join(state, 'crossfarm');
}

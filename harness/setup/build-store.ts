import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isExecutable } from './executable.ts';

/** A browser or runtime in the store, to be run beside others: copied by a night, or from a registry. */
export interface StoredBuild {
  readonly product: string;
  /** As the build itself says, when it runs. */
  readonly version: string;
  readonly executable: string;
  readonly bytes: number;
  /** ISO 8601, UTC. */
  readonly keptAt: string;
  /** Package of a registry that brings it again, such as `npm:@sparticuz/chromium@110.0.1`; left out for a copy. */
  readonly origin?: string;
  /** Flags without which it does not run here. */
  readonly flags?: readonly string[];
}

/** Some ten of a large browser: the limit of the store, where nobody says another. */
export const defaultStoreBytes = 4 * 2 ** 30;

/**
 * The one folder of builds: beside the database, with the other things of that farm, or the one that
 * several farms share by `CROSSFARM_BUILDS`.
 */
export function buildsFolder(database: string): string {
  const shared = process.env['CROSSFARM_BUILDS'] ?? '';
  return shared === '' ? join(dirname(resolve(database)), 'builds') : resolve(shared);
}

/** The file beside a build; its executable is relative to that folder. */
const manifestFile = 'kept.json';

/** Facts of a new build; its executable is relative to the folder that was filled. */
export type NewBuild = Omit<StoredBuild, 'bytes'>;

/**
 * Adds a build: fills a folder under another name first, so that one that was broken off is never
 * taken for a whole one. Of two farms that add the same build at once, the first one's stays.
 * @param fill fills the folder and says what is in it; what it throws is thrown, and nothing is left
 */
export async function addBuild(
  folder: string,
  fill: (half: string) => Promise<NewBuild>,
): Promise<StoredBuild> {
  await mkdir(folder, { recursive: true });
  const half = join(folder, `${randomBytes(6).toString('hex')}.half`);
  try {
    await mkdir(half);
    const made = await fill(half);
    const manifest: StoredBuild = { ...made, bytes: await bytesOf(half) };
    await writeFile(join(half, manifestFile), JSON.stringify(manifest));
    const place = placeOf(folder, made);
    await mkdir(dirname(place), { recursive: true });
    const kept = await moveTo(place, half);
    return kept ?? { ...manifest, executable: join(place, made.executable) };
  } finally {
    await rm(half, { recursive: true, force: true });
  }
}

/** @returns the build that has this place already, and keeps it */
async function moveTo(place: string, half: string): Promise<StoredBuild | null> {
  try {
    await rename(half, place);
  } catch (error) {
    if (!isOccupied(error)) throw error;
    const kept = await readBuild(place);
    if (kept !== null) return kept;
    // Not a whole one: its executable is gone.
    await rm(place, { recursive: true, force: true });
    await rename(half, place);
  }
  return null;
}

function isOccupied(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    ['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(String(error.code))
  );
}

/** All builds of the store, the oldest first. A folder that holds no whole one is left out. */
export async function listBuilds(folder: string): Promise<readonly StoredBuild[]> {
  const builds: StoredBuild[] = [];
  for (const product of await namesIn(folder)) {
    for (const version of await namesIn(join(folder, product))) {
      const build = await readBuild(join(folder, product, version));
      if (build !== null) builds.push(build);
    }
  }
  return builds.sort((one, other) => (one.keptAt < other.keptAt ? -1 : 1));
}

/** The build of this product and version; null where the store has none. */
export function findInStore(
  folder: string,
  wanted: Pick<StoredBuild, 'product' | 'version'>,
): Promise<StoredBuild | null> {
  return readBuild(placeOf(folder, wanted));
}

async function readBuild(place: string): Promise<StoredBuild | null> {
  const text = await unlessMissing(readFile(join(place, manifestFile), 'utf8'));
  if (text === null) return null;
  const manifest = JSON.parse(text) as StoredBuild;
  const executable = join(place, manifest.executable);
  return isExecutable(executable) ? { ...manifest, executable } : null;
}

/**
 * The version of a build in a store, as it said itself when it was added; null for a program that lies
 * elsewhere. Headless shells of Chromium do not answer `--version`, and some of them never end.
 */
export function versionInStore(executable: string): string | null {
  let folder = dirname(executable);
  for (let above = 0; above < 6; above += 1) {
    const path = join(folder, manifestFile);
    if (existsSync(path)) {
      const manifest = JSON.parse(readFileSync(path, 'utf8')) as StoredBuild;
      return join(folder, manifest.executable) === executable ? manifest.version : null;
    }
    folder = dirname(folder);
  }
  return null;
}

/** Removes a build. */
export async function removeBuild(folder: string, build: StoredBuild): Promise<void> {
  await rm(placeOf(folder, build), { recursive: true, force: true });
}

export interface Room {
  readonly folder: string;
  /** Limit for all builds together. */
  readonly budgetBytes: number;
}

/**
 * Removes builds until the others take no more than the limit: first those that a registry has, as
 * they can be had again, and of these and of the others the oldest first.
 * @param stays never removed
 */
export async function makeRoom(
  { folder, budgetBytes }: Room,
  stays: (build: StoredBuild) => boolean,
): Promise<void> {
  await removeHalves(folder);
  const builds = await listBuilds(folder);
  let total = builds.reduce((sum, { bytes }) => sum + bytes, 0);
  const canBeHad = builds.filter(({ origin }) => origin !== undefined);
  const copies = builds.filter(({ origin }) => origin === undefined);
  for (const build of [...canBeHad, ...copies]) {
    if (total <= budgetBytes) return;
    if (stays(build)) continue;
    await removeBuild(folder, build);
    total -= build.bytes;
  }
}

/** No build takes longer to be added. */
const halfLifeMs = 3_600_000;

/** Removes what farms that died have left half done. */
export async function removeHalves(folder: string): Promise<void> {
  for (const name of (await unlessMissing(readdir(folder))) ?? []) {
    if (!name.endsWith('.half')) continue;
    const path = join(folder, name);
    const made = await unlessMissing(stat(path));
    if (made !== null && Date.now() - made.mtimeMs > halfLifeMs) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

/** Bytes of a file, or of all files in a folder. */
export async function bytesOf(path: string): Promise<number> {
  const entry = await stat(path);
  if (!entry.isDirectory()) return entry.size;
  let sum = 0;
  for (const one of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (one.isFile()) sum += (await stat(join(one.parentPath, one.name))).size;
  }
  return sum;
}

function placeOf(
  folder: string,
  { product, version }: Pick<StoredBuild, 'product' | 'version'>,
): string {
  return join(folder, safeName(product), safeName(version));
}

/** A version comes from a program; as the name of a folder it must not lead anywhere else. */
function safeName(text: string): string {
  return text.replace(/[^\w.-]/g, '_').replace(/^\.+/, '_');
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await unlessMissing(readdir(folder, { withFileTypes: true }));
  return (entries ?? [])
    .filter((entry) => entry.isDirectory() && !entry.name.endsWith('.half'))
    .map(({ name }) => name);
}

/** Null where there is no such file or folder; any other failure stays one. */
async function unlessMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** By their numbers: 9.1 before 10.0. */
export function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

export function megabytes(bytes: number): string {
  return `${String(Math.round(bytes / 2 ** 20))} MiB`;
}

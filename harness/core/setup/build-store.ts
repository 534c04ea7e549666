import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { FarmError } from '../errors.ts';
import { readJsonFile } from '../json-file.ts';
import { makeOwnFolder, requireOwnLinks } from '../own-path.ts';
import { isWithin, jsonIn, requireConsent, trustOwnWork } from './consent.ts';
import { isExecutable } from './executable.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

/**
 * A browser or runtime in the store, to be run next to others: copied by a night, or from a
 * registry.
 */
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

/** Some ten of a large browser: the default limit of the store. */
export const defaultStoreBytes = 4 * 2 ** 30;

/**
 * The one folder of builds: next to the database, with the other things of that farm, or the one
 * that several farms share by `CROSSFARM_BUILDS`.
 */
export function buildsFolder(database: string): string {
  const shared = process.env['CROSSFARM_BUILDS'] ?? '';
  return shared === '' ? join(dirname(resolve(database)), 'builds') : resolve(shared);
}

/** The file next to a build; its executable is relative to that folder. */
export const manifestFile = 'kept.json';

const manifestForm = z.object({
  product: z.string().min(1).max(100),
  version: z.string().min(1).max(100),
  executable: z.string().min(1).max(1000),
  bytes: z.number().min(0),
  keptAt: z.string().max(100),
  origin: z.string().max(1000).optional(),
  flags: z.array(z.string().max(1000)).max(100).optional(),
});

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
  await makeOwnFolder(folder);
  const half = join(folder, `${randomBytes(6).toString('hex')}.half`);
  try {
    await mkdir(half);
    const made = await fill(half);
    const manifest: StoredBuild = { ...made, bytes: await measureBytes(half) };
    await writeFile(join(half, manifestFile), JSON.stringify(manifest));
    const place = placeOf(folder, made);
    await makeOwnFolder(dirname(place));
    const kept = await moveTo(place, half);
    trustOwnWork(join(place, manifestFile));
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

/**
 * All builds of the store, the oldest first. A folder that holds no whole one is left out.
 * @throws FarmError `bad-build` for one whose file is damaged, or names a program outside of its folder
 */
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

/** The build of this product and version; null where the store lacks it. */
export function findInStore(
  folder: string,
  wanted: Pick<StoredBuild, 'product' | 'version'>,
): Promise<StoredBuild | null> {
  return readBuild(placeOf(folder, wanted));
}

async function readBuild(place: string): Promise<StoredBuild | null> {
  const path = join(place, manifestFile);
  if (!existsSync(path)) return null;
  const next = `Remove it: rm -r ${JSON.stringify(place)}; ${npxCrossfarm} engines get fetches builds again.`;
  const kind = { noun: 'file of a build', code: 'bad-build', schema: manifestForm, next } as const;
  const { origin, flags, ...manifest } = await readJsonFile(path, kind);
  const executable = join(place, manifest.executable);
  if (!isExecutable(executable)) return null;
  const more = { ...(origin !== undefined && { origin }), ...(flags !== undefined && { flags }) };
  if (isWithin(realpathSync(place), realpathSync(executable))) {
    return { ...manifest, ...more, executable };
  }
  throw new FarmError('bad-build', {
    what: `The file of a build ${path} names ${JSON.stringify(manifest.executable)}, which is outside of its folder.`,
    next,
  });
}

/**
 * Has a build of a store trusted before it runs: it is, where the farm added it here itself.
 * @throws ConsentError
 */
export function requireTrustedBuild(executable: string): void {
  const found = findManifest(executable);
  if (found === null) return;
  const { flags = [] } = found.manifest;
  const more =
    flags.length === 0 ? '' : ` with ${flags.map((one) => JSON.stringify(one)).join(' ')}`;
  requireConsent(found.path, [`runs ${JSON.stringify(executable)}${more}`]);
}

/**
 * The version of a build in a store, as it said itself when it was added; null for a program that lies
 * elsewhere. Headless shells of Chromium do not answer `--version`, and some of them never end.
 */
export function versionInStore(executable: string): string | null {
  return findManifest(executable)?.manifest.version ?? null;
}

interface FoundManifest {
  readonly path: string;
  readonly manifest: z.infer<typeof manifestForm>;
}

/** The file above a program that names it; null for a program of no store, or a damaged file. */
function findManifest(executable: string): FoundManifest | null {
  let folder = dirname(executable);
  for (let above = 0; above < 6; above += 1) {
    const path = join(folder, manifestFile);
    if (existsSync(path)) {
      const read = manifestForm.safeParse(jsonIn(path));
      const isIts = read.success && join(folder, read.data.executable) === executable;
      return isIts ? { path, manifest: read.data } : null;
    }
    folder = dirname(folder);
  }
  return null;
}

/** Removes a build. */
export async function removeBuild(folder: string, build: StoredBuild): Promise<void> {
  const place = placeOf(folder, build);
  requireOwnLinks(place);
  await rm(place, { recursive: true, force: true });
}

export interface Room {
  readonly folder: string;
  /** Limit for all builds together. */
  readonly budgetBytes: number;
}

/**
 * Removes builds until the others fit the limit: first those that a registry has, since they can be
 * fetched again, and of these and of the others the oldest first.
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
  requireOwnLinks(folder);
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
export async function measureBytes(path: string): Promise<number> {
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

/** Null for a missing file or folder; any other failure stays one. */
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

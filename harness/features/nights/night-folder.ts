import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { requireOwnLinks, writeWholeFile } from '../../core/own-path.ts';
import { FarmError } from '../../core/errors.ts';
import { nightDeclaration, type NightDocument } from './night-document.ts';
import { makeFolder } from '../../core/farm-folder.ts';

/** Nights lie next to their database, in a folder each, named after the time of its beginning. */
export function nightsFolder(database: string): string {
  return join(dirname(resolve(database)), 'nights');
}

/** A night as it was found on the disk. */
export interface KeptNight {
  readonly folder: string;
  readonly document: NightDocument;
}

const folderForm = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(-\d+)?$/;

/**
 * Makes the folder of a night that begins now. Its name sorts by time; where the clock was set back,
 * or two nights began in one second, a number follows.
 * @throws FarmError `cannot-write`.
 */
export async function makeNightFolder(nights: string, startedAt: Date): Promise<string> {
  const name = `${startedAt.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
  try {
    requireOwnLinks(nights);
    await makeFolder(nights, 0o700);
    for (let number = 1; ; number += 1) {
      const folder = join(nights, number === 1 ? name : `${name}-${String(number)}`);
      if (await makeIfNew(folder)) return folder;
    }
  } catch (error) {
    throw new FarmError('cannot-write', {
      what: `The folder of the night cannot be made in ${nights}: ${(error as Error).message}.`,
      next: 'Give a --database in a folder that you may write to, with room left.',
      cause: error,
    });
  }
}

async function makeIfNew(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Whole or not at all, so that a reader finds the state before. */
export function writeNight(folder: string, document: NightDocument): Promise<void> {
  return writeWholeFile(join(folder, 'night.json'), `${JSON.stringify(document, null, 2)}\n`);
}

/** The nights of a database, the newest first. Other files are skipped. */
export async function listNights(database: string): Promise<readonly KeptNight[]> {
  const nights = nightsFolder(database);
  const names = [...(await nightNames(nights))];
  const kept: KeptNight[] = [];
  for (const name of names.sort().reverse()) {
    const folder = join(nights, name);
    const document = await readNight(folder, database);
    if (document !== null) kept.push({ folder, document });
  }
  return kept;
}

/** Names of the folders of nights. */
export async function nightNames(nights: string): Promise<readonly string[]> {
  return (await namesIn(nights)).filter((name) => folderForm.test(name));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * The night of a folder. Null if the folder has no document of this database and form. A newer farm
 * or a full disk may have left another one.
 */
export async function readNight(folder: string, database: string): Promise<NightDocument | null> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, 'night.json'), 'utf8'));
    const parsed = nightDeclaration.safeParse(value);
    const isOurs = parsed.success && resolve(parsed.data.database) === resolve(database);
    return isOurs ? parsed.data : null;
  } catch {
    return null;
  }
}

/**
 * Closes nights that never ended because their farm died: no night stays `running`.
 * @returns the names of their folders.
 */
export async function closeBrokenNights(
  nights: readonly KeptNight[],
  isDead: (mark: string) => boolean,
): Promise<readonly string[]> {
  const broken = nights.filter(({ document }) => isUnended(document) && isDead(document.farm));
  for (const { folder, document } of broken) {
    // Where it cannot be written now, the next night finds it again.
    await writeNight(folder, { ...document, status: 'broken-off', exitCode: 3 }).catch(() => null);
  }
  return broken.map(({ document }) => document.id);
}

/** Also one with a verdict, when its farm died before the notifications. */
export function isUnended({ status, finishedAt }: NightDocument): boolean {
  return status === 'running' || (status !== 'broken-off' && finishedAt === null);
}

/**
 * Removes the folders of nights that began before. Where a night's backup is kept, so is the record
 * of it. @returns how many.
 */
export async function pruneNights(
  nights: readonly KeptNight[],
  { before, except }: { readonly before: string; readonly except: string },
): Promise<number> {
  const old = nights.filter(({ folder, document }) => {
    const { backup } = document.files;
    if (folder === except || isUnended(document)) return false;
    return document.startedAt < before && (backup === null || !existsSync(backup));
  });
  for (const { folder } of old) await rm(folder, { recursive: true, force: true });
  return old.length;
}

/** The copy of the database that a night puts into a folder of backups. */
export function backupPath(folder: string, night: string): string {
  return join(folder, `farm-${night}.db`);
}

/** The number of backups that stay at any age: one may turn out to be bad. */
const spared = 2;

interface BackupRules {
  readonly folder: string;
  /** Those of nights that began before go; ISO 8601, UTC. */
  readonly before: string;
}

/**
 * Removes old copies that nights of this database made; other files of the folder are not the farm's
 * business, such as the copies of another farm.
 * @param nights tonight and those before, the newest first.
 * @returns the paths of those that went.
 */
export async function pruneBackups(
  nights: readonly { readonly id: string; readonly startedAt: string }[],
  { folder, before }: BackupRules,
): Promise<readonly string[]> {
  const there = nights
    .map(({ id, startedAt }) => ({ path: backupPath(folder, id), startedAt }))
    .filter(({ path }) => existsSync(path));
  const old = there.slice(spared).filter(({ startedAt }) => startedAt < before);
  for (const { path } of old) await rm(path, { force: true });
  return old.map(({ path }) => path);
}

/** The farm's name for an unfinished backup, and SQLite's files next to it. */
const halfForm = /\.[0-9a-f]{8}\.half(-journal|-wal|-shm)?$/;

/** A file in progress is written all the time: one untouched for this long is abandoned. */
const staleMs = 3_600_000;

/**
 * Removes what killed prunes, backups and reports have left half written in these folders. A
 * missing folder has no backups; a file that cannot be removed stays, and is tried again next time.
 * @returns how many bytes that frees.
 */
export async function removeHalfFiles(
  folders: readonly string[],
  now: number = Date.now(),
): Promise<number> {
  let freed = 0;
  for (const folder of new Set(folders)) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => halfForm.test(one))) {
      freed += await removeIfStale(join(folder, name), now);
    }
  }
  return freed;
}

async function removeIfStale(path: string, now: number): Promise<number> {
  try {
    const { mtimeMs, size } = await stat(path);
    if (now - mtimeMs < staleMs) return 0;
    await rm(path, { force: true });
    return size;
  } catch {
    // Another process removed it, or the farm may not.
    return 0;
  }
}

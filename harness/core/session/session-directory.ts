import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { Orphan } from '../../../drivers/driver.ts';
import { makeOwnFolder } from '../own-path.ts';
import { farmMark, isOfDeadFarm } from './farm-mark.ts';

/**
 * Where one session keeps what its browser writes. The whole directory is removed with the session.
 */
export interface SessionDirectory {
  readonly id: string;
  readonly path: string;
  readonly profile: string;
  /** The browser's TMPDIR. */
  readonly temporary: string;
}

const recordDeclaration = z.object({ id: z.string(), farm: z.string() });

/** `session.json`: whose session it is, so that a later farm can tell a live one from a leftover. */
export type SessionRecord = z.infer<typeof recordDeclaration>;

/** Names of session directories; nothing else is ever taken for one. */
export const sessionIdForm = /^[0-9a-f]{8}$/;

/** A browser's sockets lie below its TMPDIR, and a socket's path may have 107 bytes on Linux. */
const longestTemporary = 50;

/** True if a browser's sockets have room in a folder, as far as their names are known. */
export function fitsSockets(folder: string): boolean {
  return Buffer.byteLength(folder) <= longestTemporary;
}

export function placeSession(directory: string, id: string): SessionDirectory {
  const path = resolve(directory, id);
  const inside = join(path, 'tmp');
  const temporary = fitsSockets(inside) ? inside : join(tmpdir(), `crossfarm-${id}`);
  return { id, path, profile: join(path, 'profile'), temporary };
}

/**
 * The name of an incomplete directory: its record is missing, or it is partly removed. It names its
 * farm, so that a farm that is killed meanwhile leaves no unknown directory.
 */
function partialName(id: string): string {
  return `.partial-${id}-${Buffer.from(farmMark()).toString('base64url')}`;
}

/** True if an entry next to the sessions is one that a dead farm was making or removing. */
export function isPartialOfDeadFarm(name: string): boolean {
  const [, mark] = /^\.partial-[0-9a-f]{8}-([\w-]+)$/.exec(name) ?? [];
  return mark !== undefined && isOfDeadFarm(Buffer.from(mark, 'base64url').toString());
}

/**
 * Makes the directory of a new session, whole with its record, readable by this user only.
 * @throws the file system's error; it is then removed.
 */
export async function makeSessionDirectory(directory: string): Promise<SessionDirectory> {
  const id = randomBytes(4).toString('hex');
  const place = placeSession(directory, id);
  const partial = partialOf(place);
  await makeOwnFolder(directory, { mode: 0o700 });
  await mkdir(partial, { mode: 0o700 });
  try {
    const record: SessionRecord = { id, farm: farmMark() };
    await writeFile(join(partial, 'session.json'), `${JSON.stringify(record)}\n`);
    await rename(partial, place.path);
    const folders = [place.profile, place.temporary, ...Object.values(xdgFolders(place))];
    for (const folder of folders) await mkdir(folder, { mode: 0o700 });
    await writeFile(join(place.path, 'config', 'user-dirs.dirs'), downloadsInside(place));
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    await removeSessionDirectory(place);
    throw error;
  }
  return place;
}

/** Null when it is missing, as after a disk that failed. */
export async function readSessionRecord(place: SessionDirectory): Promise<SessionRecord | null> {
  try {
    const text = await readFile(join(place.path, 'session.json'), 'utf8');
    const parsed = recordDeclaration.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

const address = z.string().regex(/^https?:\/\//);

const orphanDeclaration: z.ZodType<Orphan> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('webdriver'),
    server: address,
    session: z.string(),
    nodeUri: z.exactOptional(address),
  }),
  z.object({ kind: z.literal('grid'), server: address, name: z.string() }),
  z.object({
    kind: z.literal('adb-reverse'),
    udid: z.exactOptional(z.string()),
    port: z.string().regex(/^\d+$/),
    environment: z.record(z.string(), z.string()),
  }),
]);

const orphansFile = ({ path }: SessionDirectory): string => join(path, 'remains.jsonl');

/** Records what a session has on a server or another machine. A line is written at once, or not at all. */
export async function recordOrphan(place: SessionDirectory, orphan: Orphan): Promise<void> {
  await appendFile(orphansFile(place), `${JSON.stringify(orphan)}\n`);
}

/** In the order in which they were kept; a line that was cut short by a crash is left out. */
export async function readOrphans(place: SessionDirectory): Promise<readonly Orphan[]> {
  const text = await readFile(orphansFile(place), 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    try {
      const parsed = orphanDeclaration.safeParse(JSON.parse(line));
      return parsed.success ? [parsed.data] : [];
    } catch {
      return [];
    }
  });
}

export async function removeSessionDirectory(place: SessionDirectory): Promise<void> {
  // A process that is ending may still write while its directory is removed.
  const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 };
  await rm(place.temporary, options);
  // Where a program still holds it, as on Windows, it is removed in its place.
  await rename(place.path, partialOf(place)).catch(() => undefined);
  await rm(partialOf(place), options);
  await rm(place.path, options);
}

function partialOf({ id, path }: SessionDirectory): string {
  return join(dirname(path), partialName(id));
}

/** Firefox makes its owner a folder ~/Downloads at every start, unless this file names another. */
function downloadsInside({ path }: SessionDirectory): string {
  return `XDG_DOWNLOAD_DIR="${join(path, 'downloads')}"\n`;
}

/** Freedesktop's variables, so that no cache or setting of one session meets another's. */
export function xdgFolders({ path }: SessionDirectory): Readonly<Record<string, string>> {
  return {
    XDG_CACHE_HOME: join(path, 'cache'),
    XDG_CONFIG_HOME: join(path, 'config'),
    XDG_DATA_HOME: join(path, 'data'),
    XDG_RUNTIME_DIR: join(path, 'run'),
    XDG_STATE_HOME: join(path, 'state'),
  };
}

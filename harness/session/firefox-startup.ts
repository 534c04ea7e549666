import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * What Firefox has compiled of itself: its own scripts, nothing of a page. A fresh profile has none,
 * and Firefox 153 then takes 2.5 s to start, with it 1.3 s. So that of the first session of a build is
 * given to its later ones, which start calmer, too. Firefox leaves it aside where it is of another
 * build, as `compatibility.ini` says. It is kept by this process alone, in its memory.
 */
const kept = new Map<string, readonly KeptFile[]>();

interface KeptFile {
  /** Below the profile. */
  readonly name: string;
  readonly bytes: Buffer;
}

const cacheFolder = 'startupCache';

/** Firefox 153 keeps 19 MB. */
const mostBytes = 64 * 2 ** 20;

/** Puts into a new profile what is kept of that build, if anything is. A file that cannot be written is done without. */
export async function giveStartup(executable: string, profile: string): Promise<void> {
  for (const { name, bytes } of kept.get(executable) ?? []) {
    const path = join(profile, name);
    await mkdir(dirname(path), { recursive: true })
      .then(() => writeFile(path, bytes, { mode: 0o600 }))
      .catch(() => undefined);
  }
}

/** Keeps what a session left, unless something is kept. The browser must have ended by itself, or its files may be cut short. */
export async function keepStartup(executable: string, profile: string): Promise<void> {
  if (kept.has(executable)) return;
  const files = await startupFiles(profile).catch(() => []);
  if (files.length > 0) kept.set(executable, files);
}

async function startupFiles(profile: string): Promise<readonly KeptFile[]> {
  const inCache = await readdir(join(profile, cacheFolder));
  const names = ['compatibility.ini', ...inCache.map((name) => join(cacheFolder, name))];
  const sizes = await Promise.all(names.map((name) => stat(join(profile, name))));
  if (sizes.reduce((sum, { size }) => sum + size, 0) > mostBytes) return [];
  return Promise.all(
    names.map(async (name) => ({ name, bytes: await readFile(join(profile, name)) })),
  );
}

import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Target } from '../model/device.ts';

/**
 * Firefox's scripts in compiled form; nothing of a page is in it. A fresh profile lacks it,
 * and Firefox 153 then takes a second longer to start. The first session of a build gives it to the
 * later ones. Firefox itself leaves it aside where `compatibility.ini` names another build. This
 * process keeps it in its memory.
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

/**
 * Puts into a new profile what is kept of its build. Where it cannot be written whole, as on a full
 * disk, Firefox starts without it.
 * @returns keeps what the session leaves, unless something is kept. To be called when the browser has
 *   ended by itself: the files of one that was killed may be cut short.
 */
export async function lendStartup(
  { device, executable }: Target,
  profile: string,
): Promise<() => Promise<void>> {
  if (device.browser !== 'firefox' || executable === '') return () => Promise.resolve();
  try {
    for (const { name, bytes } of kept.get(executable) ?? []) {
      const path = join(profile, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, bytes, { mode: 0o600 });
    }
  } catch {
    await rm(join(profile, cacheFolder), { recursive: true, force: true });
  }
  return () => keepStartup(executable, profile);
}

async function keepStartup(executable: string, profile: string): Promise<void> {
  if (kept.has(executable)) return;
  // A browser that wrote none, or ended before it did, leaves nothing to keep.
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

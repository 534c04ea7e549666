import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { makeOwnFolder } from '../../../core/own-path.ts';
import { farmMark, isOfDeadFarm } from '../../../core/session/farm-mark.ts';

/** The most bytes of all kept builds: the oldest go first. */
const mostBytes = 4 * 2 ** 30;

/** The file next to the folder of a finished build. */
const keptBuild = z.object({
  folder: z.string().regex(/^[\w-]+$/),
  bytes: z.number().nonnegative(),
  /** Milliseconds since 1970. */
  madeAt: z.number().nonnegative(),
});

/**
 * The folder of builds of commits: outside of any repository, where a build would find the packages
 * of the work tree in the folders above it.
 */
export function keptBuildsFolder(): string {
  return cacheFolder('commits');
}

/** The folder of packages that were installed from a registry. */
export function keptPackagesFolder(): string {
  return cacheFolder('packages');
}

function cacheFolder(name: string): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(cache, 'crossfarm', name);
}

interface KeptBuild {
  readonly kept: string;
  /** A build from before this time is made again, in milliseconds since 1970; any is taken when left out. */
  readonly keptSince?: number | undefined;
  /** Fills an empty folder, which keeps its place. */
  readonly make: (folder: string) => Promise<void>;
}

/** Of a build's key: what else its outcome depends on, besides its files and command. */
export function buildEnvironment(): readonly string[] {
  const [major = ''] = process.versions.node.split('.');
  return [`node ${major}`, process.platform, process.arch];
}

/**
 * Returns the folder of an earlier build, or makes one. Of a build that failed, or whose farm died,
 * nothing is kept.
 * @param key letters and digits that stand for the files and the command
 */
export async function withKeptBuild(
  key: string,
  { kept, keptSince = 0, make }: KeptBuild,
): Promise<string> {
  await makeOwnFolder(kept, { mode: 0o700 });
  const found = await readKept(kept, `${key}.json`);
  if (found !== null && found.madeAt >= keptSince) {
    const now = new Date();
    await utimes(join(kept, `${key}.json`), now, now);
    return join(kept, found.folder);
  }
  await sweep(kept);
  const name = `${key}-${String(process.pid)}-${String(Date.now())}`;
  const folder = join(kept, name);
  await writeFile(`${folder}.mark`, farmMark(), { mode: 0o600 });
  try {
    await makeOwnFolder(folder);
    await make(folder);
    const build = { folder: name, bytes: await bytesIn(folder), madeAt: Date.now() };
    const text = JSON.stringify(build);
    await writeFile(`${folder}.part`, text, { mode: 0o600 });
    await rename(`${folder}.part`, join(kept, `${key}.json`));
  } catch (error) {
    await remove(kept, name);
    throw error;
  }
  return folder;
}

async function readKept(kept: string, file: string): Promise<z.infer<typeof keptBuild> | null> {
  const text = await readFile(join(kept, file), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const build = keptBuild.parse(JSON.parse(text));
    const found = await stat(join(kept, build.folder)).catch(() => null);
    return found?.isDirectory() === true ? build : null;
  } catch {
    return null;
  }
}

/** Removes what dead farms left, and the oldest builds beyond the limit. */
async function sweep(kept: string): Promise<void> {
  const names = await readdir(kept);
  const builds = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .map(async (file) => {
        const build = await readKept(kept, file);
        const found = await stat(join(kept, file)).catch(() => null);
        return { file, build, usedAt: found?.mtimeMs ?? 0 };
      }),
  );
  const live = new Set(builds.flatMap(({ build }) => build?.folder ?? []));
  for (const mark of names.filter((name) => name.endsWith('.mark'))) {
    const name = mark.slice(0, -'.mark'.length);
    const text = await readFile(join(kept, mark), 'utf8').catch(() => '');
    if (!live.has(name) && isOfDeadFarm(text)) await remove(kept, name);
  }
  let bytes = 0;
  for (const { file, build } of builds.sort((one, other) => other.usedAt - one.usedAt)) {
    bytes += build?.bytes ?? 0;
    if (build !== null && bytes <= mostBytes) continue;
    await rm(join(kept, file), { force: true });
    if (build !== null) await remove(kept, build.folder);
  }
}

async function remove(kept: string, name: string): Promise<void> {
  for (const end of ['', '.index', '.mark', '.part']) {
    await rm(join(kept, name + end), { recursive: true, force: true }).catch(() => undefined);
  }
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

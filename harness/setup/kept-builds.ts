import { constants } from 'node:fs';
import {
  cp,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { hostOf, type Target } from '../model/device.ts';
import { isHere } from './appium.ts';
import { askVersion, isExecutable } from './executable.ts';

/** A copy of a browser or runtime as it was, to be run beside a later one. */
export interface KeptBuild {
  readonly product: string;
  readonly version: string;
  readonly executable: string;
  readonly bytes: number;
  /** ISO 8601, UTC. */
  readonly keptAt: string;
}

export interface Keeping {
  /** Folder of the copies. */
  readonly folder: string;
  /** Limit for all copies together. */
  readonly budgetBytes: number;
  /** ISO 8601, UTC. */
  readonly now: string;
}

type KeptOrNot =
  | { readonly kind: 'kept'; readonly build: KeptBuild }
  | { readonly kind: 'not-kept'; readonly because: string };

/**
 * Copies the builds of these targets, each version once, and removes the oldest copies that the
 * budget has no room for; never one of these targets. A copy is there whole or not at all.
 *
 * It has to be done before a build is replaced: afterwards there is nothing left to copy.
 * @throws Error of the file system.
 */
export async function keepBuilds(
  targets: readonly Target[],
  keeping: Keeping,
): Promise<readonly KeptOrNot[]> {
  const answers: KeptOrNot[] = [];
  for (const target of targets) answers.push(await keepBuild(target, keeping));
  const current = new Set(
    answers.flatMap((one) => (one.kind === 'kept' ? [keyOf(one.build)] : [])),
  );
  await makeRoom(current, keeping);
  return answers;
}

/** All copies, the oldest first. A folder that holds no whole one is left out. */
export async function listKeptBuilds(folder: string): Promise<readonly KeptBuild[]> {
  const builds: KeptBuild[] = [];
  for (const product of await namesIn(folder)) {
    for (const version of await namesIn(join(folder, product))) {
      const build = await readKept(join(folder, product, version));
      if (build !== null) builds.push(build);
    }
  }
  return builds.sort((one, other) => (one.keptAt < other.keptAt ? -1 : 1));
}

async function keepBuild(target: Target, keeping: Keeping): Promise<KeptOrNot> {
  const { name: product, version } = target.browser;
  const place = join(keeping.folder, safeName(product), safeName(version));
  const there = await readKept(place);
  if (there !== null) return { kind: 'kept', build: there };
  const home = await findBuildHome(target);
  if ('because' in home) return { kind: 'not-kept', because: home.because };
  const bytes = await bytesOf(home.root);
  const tooLarge = await whyTooLarge(bytes, keeping);
  if (tooLarge !== null) return { kind: 'not-kept', because: tooLarge };
  const facts = { product, version, bytes, keptAt: keeping.now };
  const build = await copyTo(place, home, facts);
  const seen = await askVersion([[build.executable, '--version']]);
  if (seen === version) return { kind: 'kept', build };
  await rm(place, { recursive: true, force: true });
  return {
    kind: 'not-kept',
    because: `its copy says that it is ${seen ?? 'nothing'}, not ${version}`,
  };
}

/** The file beside a copy; its executable is relative to that folder. */
type Manifest = KeptBuild;

/** Copies under another name first: a copy that was broken off is never taken for a whole one. */
async function copyTo(
  place: string,
  { root, executable }: BuildHome,
  facts: Omit<KeptBuild, 'executable'>,
): Promise<KeptBuild> {
  const half = `${place}.half`;
  await rm(half, { recursive: true, force: true });
  const inside = join(basename(root), relative(root, executable));
  await mkdir(half, { recursive: true });
  const manifest: Manifest = { ...facts, executable: inside };
  try {
    await cp(root, join(half, basename(root)), {
      recursive: true,
      // Links inside the build stay links; a file system that can share blocks does.
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
    });
    await writeFile(join(half, 'kept.json'), JSON.stringify(manifest));
    await rm(place, { recursive: true, force: true });
    await rename(half, place);
  } catch (error) {
    await rm(half, { recursive: true, force: true });
    throw error;
  }
  return { ...facts, executable: join(place, inside) };
}

async function readKept(place: string): Promise<KeptBuild | null> {
  const text = await unlessMissing(readFile(join(place, 'kept.json'), 'utf8'));
  if (text === null) return null;
  const manifest = JSON.parse(text) as Manifest;
  const executable = join(place, manifest.executable);
  return isExecutable(executable) ? { ...manifest, executable } : null;
}

async function whyTooLarge(
  bytes: number,
  { folder, budgetBytes }: Keeping,
): Promise<string | null> {
  if (bytes > budgetBytes) return `it takes ${megabytes(bytes)} of ${megabytes(budgetBytes)}`;
  await mkdir(folder, { recursive: true });
  const { bavail, bsize } = await statfs(folder);
  // Measuring goes before keeping: most of the disk is left to it.
  if (bytes > (bavail * bsize) / 4) return `the disk has ${megabytes(bavail * bsize)} left`;
  return null;
}

async function makeRoom(current: ReadonlySet<string>, keeping: Keeping): Promise<void> {
  const builds = await listKeptBuilds(keeping.folder);
  let total = builds.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const build of builds) {
    if (total <= keeping.budgetBytes) return;
    if (current.has(keyOf(build))) continue;
    const place = join(keeping.folder, safeName(build.product), safeName(build.version));
    await rm(place, { recursive: true, force: true });
    total -= build.bytes;
  }
}

async function bytesOf(path: string): Promise<number> {
  const entry = await stat(path);
  if (!entry.isDirectory()) return entry.size;
  let sum = 0;
  for (const one of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (one.isFile()) sum += (await stat(join(one.parentPath, one.name))).size;
  }
  return sum;
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

function keyOf({ product, version }: Pick<KeptBuild, 'product' | 'version'>): string {
  return `${product} ${version}`;
}

/** A version comes from a program; as the name of a folder it must not lead anywhere else. */
function safeName(text: string): string {
  return text.replace(/[^\w.-]/g, '_').replace(/^\.+/, '_');
}

function megabytes(bytes: number): string {
  return `${String(Math.round(bytes / 2 ** 20))} MiB`;
}

/** Everything that a build is made of, where it can be copied. */
interface BuildHome {
  /** A folder, or the executable itself where that is all of it. */
  readonly root: string;
  readonly executable: string;
}

interface NoHome {
  readonly because: string;
}

/** Their executables use libraries that lie among those of the system, and are updated with them. */
const spreadOut: ReadonlySet<string> = new Set(['webkitgtk', 'safari']);

/** Folders in which programs of many kinds lie side by side. */
const shared: ReadonlySet<string> = new Set(['bin', 'sbin', 'games']);

/** Where a system's packages keep a browser that a script in /usr/bin starts, as Debian's chromium. */
const packageFolders = ['/usr/lib', '/usr/lib64', '/opt'];

/** Finds the folder to copy to keep a target's build, or why nothing can be copied. */
export async function findBuildHome({ device, executable }: Target): Promise<BuildHome | NoHome> {
  if (!isHere(device) || executable === '') return { because: 'it is not on this machine' };
  if (spreadOut.has(device.browser)) return { because: 'its files lie among those of the system' };
  const host = hostOf(device.browser);
  if (host === 'program') return { because: 'it is made from its source' };
  const real = await realpath(executable);
  // A runtime is one file, whatever lies beside it.
  if (host === 'runtime') return { root: real, executable: real };
  const [application] = /^.*\.app(?=\/Contents\/)/.exec(real) ?? [];
  if (application !== undefined) return { root: application, executable: real };
  const folder = dirname(real);
  if (!shared.has(basename(folder))) return { root: folder, executable: real };
  const name = basename(real);
  const inside = packageFolders.map((one) => join(one, name, name)).find(isExecutable);
  if (inside !== undefined) return { root: dirname(inside), executable: inside };
  return { because: `it is not known which files of ${folder} belong to it` };
}

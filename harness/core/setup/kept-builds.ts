import { constants } from 'node:fs';
import { cp, realpath, statfs } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { findHost, type Target } from '../model/device.ts';
import { makeOwnFolder } from '../own-path.ts';
import { isHere } from './appium.ts';
import {
  addBuild,
  measureBytes,
  findInStore,
  makeRoom,
  megabytes,
  type NewBuild,
  removeBuild,
  type Room,
  type StoredBuild,
} from './build-store.ts';
import { askVersion, isExecutable } from './executable.ts';

export interface Keeping extends Room {
  /** ISO 8601, UTC. */
  readonly now: string;
}

type KeepResult =
  | { readonly kind: 'kept'; readonly build: StoredBuild }
  | { readonly kind: 'not-kept'; readonly because: string };

/**
 * Copies the builds of these targets, each version once, and removes those that the limit of the
 * store has no room for; never one of these targets. A copy is there whole or not at all.
 *
 * It has to be done before a build is replaced: afterwards there is nothing left to copy.
 * @throws Error of the file system.
 */
export async function keepBuilds(
  targets: readonly Target[],
  keeping: Keeping,
): Promise<readonly KeepResult[]> {
  const answers: KeepResult[] = [];
  for (const target of targets) answers.push(await keepBuild(target, keeping));
  const current = new Set(
    answers.flatMap((one) => (one.kind === 'kept' ? [keyOf(one.build)] : [])),
  );
  await makeRoom(keeping, (build) => current.has(keyOf(build)));
  return answers;
}

async function keepBuild(target: Target, keeping: Keeping): Promise<KeepResult> {
  const { name: product, version } = target.browser;
  const there = await findInStore(keeping.folder, { product, version });
  if (there !== null) return { kind: 'kept', build: there };
  const home = await findBuildHome(target);
  if ('because' in home) return { kind: 'not-kept', because: home.because };
  const tooLarge = await whyTooLarge(await measureBytes(home.root), keeping);
  if (tooLarge !== null) return { kind: 'not-kept', because: tooLarge };
  const build = await addBuild(keeping.folder, (half) =>
    copyTo(half, home, { product, version, keptAt: keeping.now }),
  );
  const seen = await askVersion([[build.executable, '--version']]);
  if (seen === version) return { kind: 'kept', build };
  await removeBuild(keeping.folder, build);
  return {
    kind: 'not-kept',
    because: `its copy says that it is ${seen ?? 'nothing'}, not ${version}`,
  };
}

async function copyTo(
  half: string,
  { root, executable }: BuildHome,
  facts: Omit<NewBuild, 'executable'>,
): Promise<NewBuild> {
  await cp(root, join(half, basename(root)), {
    recursive: true,
    // Links inside the build stay links; a file system that can share blocks does.
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
  });
  return { ...facts, executable: join(basename(root), relative(root, executable)) };
}

async function whyTooLarge(
  bytes: number,
  { folder, budgetBytes }: Keeping,
): Promise<string | null> {
  if (bytes > budgetBytes) return `it takes ${megabytes(bytes)} of ${megabytes(budgetBytes)}`;
  await makeOwnFolder(folder);
  const { bavail, bsize } = await statfs(folder);
  // Measuring is more important than keeping: most of the disk is left to it.
  if (bytes > (bavail * bsize) / 4) return `the disk has ${megabytes(bavail * bsize)} left`;
  return null;
}

function keyOf({ product, version }: Pick<StoredBuild, 'product' | 'version'>): string {
  return `${product} ${version}`;
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
  const host = findHost(device.browser);
  if (host === 'program') return { because: 'it is made from its source' };
  const real = await realpath(executable);
  // A runtime is one file, without the files next to it.
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

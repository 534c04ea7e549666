import { rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseMountPoints } from '../../procfs.ts';
import { realFiles, type SystemFiles } from '../../system-files.ts';
import { firstWords, isLeftover, pidNamespace, unmount } from './mounting.ts';

/** The machine on which leftovers are looked for. */
export interface TracefsHost {
  readonly platform: NodeJS.Platform;
  /** Undefined where users have no numbers. */
  readonly userId: number | undefined;
  readonly files: SystemFiles;
  readonly namespace: () => string;
  /** Where mounts are made now; a crashed farm may have had another place. */
  readonly temporary: string;
  readonly unmount: (path: string) => void;
  readonly removeFolder: (path: string) => void;
}

const thisHost = (): TracefsHost => ({
  platform: process.platform,
  userId: process.getuid?.(),
  files: realFiles,
  namespace: pidNamespace,
  temporary: tmpdir(),
  unmount,
  removeFolder: (path) => {
    rmdirSync(path);
  },
});

export interface TracefsSweep {
  /** Instances and mounts that were removed. */
  readonly removed: number;
  /** Paths that could not be removed, each with the reason. */
  readonly left: readonly string[];
}

interface Leftover {
  readonly path: string;
  readonly remove: (path: string) => void;
}

/**
 * Removes the tracefs instances and mounts that crashed farms left. An instance goes on recording until
 * it is removed, and slows every later trial down. Never throws: what another farm removes at this
 * moment is gone, and what is still in use stays.
 */
export function sweepTracefs(host: TracefsHost = thisHost()): TracefsSweep {
  if (host.platform !== 'linux' || host.userId !== 0) return { removed: 0, left: [] };
  try {
    const found = findLeftovers(host);
    const refusals = new Map(found.map((leftover) => [leftover.path, tryToRemove(leftover)]));
    findFolders(host).forEach(tryToRemove);
    // The file's absence decides, not its remover.
    const still = new Set(findLeftovers(host).map(({ path }) => path));
    const left = found.filter(({ path }) => still.has(path));
    return {
      removed: found.length - left.length,
      left: left.map(({ path }) => `${path}: ${refusals.get(path) ?? 'it came back'}`),
    };
  } catch (error) {
    return { removed: 0, left: [`tracefs: ${firstWords(error)}`] };
  }
}

/** Returns why the removal failed, in one line; null when it did not fail. */
function tryToRemove({ path, remove }: Leftover): string | null {
  try {
    remove(path);
    return null;
  } catch (error) {
    return firstWords(error);
  }
}

/** Instances before the mounts by which they are reached. */
function findLeftovers(host: TracefsHost): readonly Leftover[] {
  const points = parseMountPoints(host.files.read('/proc/self/mounts') ?? '', 'tracefs');
  // All mounts show the same instances.
  const [point] = points;
  const instances = point === undefined ? [] : leftoversIn(host, join(point, 'instances'));
  // The name says enough: the folder for temporary files may be another one by now, or a link.
  const mounts = ofDeadFarms(host, points);
  return [
    ...instances.map((path) => ({ path, remove: host.removeFolder })),
    ...mounts.map((path) => ({ path, remove: host.unmount })),
  ];
}

/** A farm may also have ended before it mounted, or after it unmounted; an empty folder does no harm. */
function findFolders(host: TracefsHost): readonly Leftover[] {
  return leftoversIn(host, host.temporary).map((path) => ({ path, remove: host.removeFolder }));
}

function leftoversIn(host: TracefsHost, folder: string): readonly string[] {
  const paths = host.files.list(folder).map((name) => join(folder, name));
  return ofDeadFarms(host, paths);
}

function ofDeadFarms({ files, namespace }: TracefsHost, paths: readonly string[]): string[] {
  const here = namespace();
  return paths.filter((path) => isLeftover(basename(path), files, here));
}

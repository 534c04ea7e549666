import { execFileSync } from 'node:child_process';
import { mkdirSync, readlinkSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseMountPoints, parsePidStat } from '../../procfs.ts';
import { realFiles, type SystemFiles } from '../../system-files.ts';

/** Where distributions mount tracefs; anywhere else it may be gone at any moment. */
const usualPlaces = ['/sys/kernel/tracing', '/sys/kernel/debug/tracing'];

/** `mount` and `umount` take some milliseconds. */
const patienceMs = 5_000;

/** A mounted tracefs. */
export interface MountedTracefs {
  readonly path: string;
  /** Unmounts it if it was mounted for this; the system's mount stays. */
  release(): void;
}

/**
 * Returns the system's tracefs, or mounts one in the folder for temporary files.
 * @throws an Error with what `mount` said: in most containers even root may not.
 */
export function mountTracefs(): MountedTracefs {
  const points = parseMountPoints(realFiles.read('/proc/self/mounts') ?? '', 'tracefs');
  const usual = usualPlaces.find((place) => points.includes(place));
  if (usual !== undefined) return { path: usual, release: () => undefined };
  const path = join(tmpdir(), newOwnedName(realFiles, pidNamespace()));
  mkdirSync(path, { mode: 0o700 });
  try {
    execFileSync('mount', ['-t', 'tracefs', 'nodev', path], { timeout: patienceMs, stdio: 'pipe' });
  } catch (error) {
    rmdirSync(path);
    throw new Error(`tracefs could not be mounted: ${firstWords(error)}`, { cause: error });
  }
  return {
    path,
    release: () => {
      unmount(path);
    },
  };
}

/** Unmounts a tracefs and removes its folder. @throws when it is in use, or gone. */
export function unmount(path: string): void {
  execFileSync('umount', [path], { timeout: patienceMs, stdio: 'pipe' });
  rmdirSync(path);
}

/** Returns the number of the namespace of our pids. */
export function pidNamespace(): string {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
}

/** Returns the first line that a program wrote to standard error. */
export function firstWords(error: unknown): string {
  const said =
    error instanceof Error && 'stderr' in error && error.stderr instanceof Buffer
      ? error.stderr.toString('utf8')
      : String(error);
  return (said.split('\n').find((line) => line.trim() !== '') ?? 'no reason given').slice(0, 200);
}

/**
 * Everything that the farm makes outside its folders is named after the process that made it, so that a
 * later farm can distinguish leftovers of a crashed farm from what a live one uses:
 * `crossfarm-<namespace of pids>-<pid>-<start tick>-<number>`.
 */
const ownerPattern = /^crossfarm-(\d+)-(\d+)-(\d+)-\d+$/;

let made = 0;

/** Returns a name that is unique across processes and within this one. */
export function newOwnedName(files: SystemFiles, namespace: string): string {
  made += 1;
  const start = startTickOf(files, process.pid) ?? 0;
  return ['crossfarm', namespace, process.pid, start, made].map(String).join('-');
}

/**
 * True if the process that gave this name has ended. Names from another namespace of pids, such as
 * a container's, never count as leftovers: their pids mean nothing here.
 */
export function isLeftover(name: string, files: SystemFiles, namespace: string): boolean {
  const [, place, pid, start] = ownerPattern.exec(name) ?? [];
  if (pid === undefined || place !== namespace) return false;
  return startTickOf(files, Number(pid)) !== Number(start);
}

function startTickOf(files: SystemFiles, pid: number): number | null {
  const text = files.read(`/proc/${String(pid)}/stat`);
  return parsePidStat(text ?? '')?.startTick ?? null;
}

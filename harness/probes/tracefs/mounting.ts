import { execFileSync } from 'node:child_process';
import { mkdirSync, readlinkSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseMountPoints, parsePidStat } from '../../procfs.ts';
import { realFiles, type SystemFiles } from '../system-files.ts';

/** Where distributions mount tracefs; anywhere else it may be gone at any moment. */
const usualPlaces = ['/sys/kernel/tracing', '/sys/kernel/debug/tracing'];

/** `mount` and `umount` take some milliseconds. */
const patienceMs = 5_000;

/** The files of tracefs, while they are lent. */
export interface MountedTracefs {
  readonly path: string;
  /** Takes back a mount that was made for this; a system's own stays. */
  release(): void;
}

/**
 * The system's tracefs, or else one that is mounted for us alone in the folder for temporary files.
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

/** Takes a mount of tracefs back, with its folder. @throws when it is in use, or gone. */
export function unmount(path: string): void {
  execFileSync('umount', [path], { timeout: patienceMs, stdio: 'pipe' });
  rmdirSync(path);
}

/** Names the namespace in which our pids have their meaning. */
export function pidNamespace(): string {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
}

/** What a program said on standard error, in one line. */
export function firstWords(error: unknown): string {
  const said =
    error instanceof Error && 'stderr' in error && error.stderr instanceof Buffer
      ? error.stderr.toString('utf8')
      : String(error);
  return (said.split('\n').find((line) => line.trim() !== '') ?? 'no reason given').slice(0, 200);
}

/**
 * Everything that the farm makes outside its own folders bears the name of the process that made
 * it, so that a later farm can tell what a crashed one left behind from what a living one uses:
 * `crossfarm-<namespace of pids>-<pid>-<start tick>-<number>`.
 */
const ownerPattern = /^crossfarm-(\d+)-(\d+)-(\d+)-\d+$/;

let made = 0;

/** A name that no other process, and nothing else in this one, has or will have. */
export function newOwnedName(files: SystemFiles, namespace: string): string {
  made += 1;
  const start = startTickOf(files, process.pid) ?? 0;
  return ['crossfarm', namespace, process.pid, start, made].map(String).join('-');
}

/**
 * Whether this name was given by a process that no longer lives. Names from another namespace of
 * pids, such as a container's, are never called left over: their pids mean nothing here.
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

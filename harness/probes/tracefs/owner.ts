import { parsePidStat } from '../procfs/pid-stat.ts';
import type { SystemFiles } from '../system-files.ts';

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
  return text === null || text === '' ? null : parsePidStat(text).startTick;
}

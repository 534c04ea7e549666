import { readProcfs, readStat } from './procfs.ts';
import { readPs } from './ps.ts';

/** A pid is used again some day; together with its start it is one process for ever. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Comparable only with another start from the same machine. */
  readonly start: string;
}

export interface ProcessEntry extends ProcessIdentity {
  readonly parent: number;
  /** Ended, but not yet collected by its parent. */
  readonly dead: boolean;
  /** Arguments, joined by spaces; a process may overwrite them. */
  readonly command: string;
  /** `NAME=value`; empty where the system or the process hides it. */
  readonly environment: readonly string[];
}

export type TableSupport =
  { readonly supported: true } | { readonly supported: false; readonly because: string };

/** Whether processes can be listed on this platform. */
export function tableSupport(platform: NodeJS.Platform = process.platform): TableSupport {
  return platform === 'win32'
    ? {
        supported: false,
        because: 'Windows has no /proc and no ps: only the processes that a driver names are ended',
      }
    : { supported: true };
}

/** Every process of this machine, now; none where that is not supported. */
export function readProcessTable(): readonly ProcessEntry[] {
  if (process.platform === 'linux') return readProcfs();
  return tableSupport().supported ? readPs() : [];
}

/** The process that has this pid now; null when none lives. */
export function identify(pid: number): ProcessIdentity | null {
  if (process.platform === 'linux') {
    const stat = readStat(pid);
    return stat === null || 'ZX'.includes(stat.state) ? null : { pid, start: stat.start };
  }
  if (!tableSupport().supported) return answersSignal(pid) ? { pid, start: 'unknown' } : null;
  const entry = readPs().find((one) => one.pid === pid && !one.dead);
  return entry === undefined ? null : { pid, start: entry.start };
}

/** Whether exactly this process still lives. */
export function isAlive({ pid, start }: ProcessIdentity): boolean {
  return identify(pid)?.start === start;
}

function answersSignal(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

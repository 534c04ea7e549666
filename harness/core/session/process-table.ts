import { readdirSync, readFileSync } from 'node:fs';
import { execaSync } from 'execa';
import { parseCmdline, parsePidStat, type PidStat } from '../procfs.ts';

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

type TableSupport =
  { readonly supported: true } | { readonly supported: false; readonly because: string };

/** True if processes can be listed on this platform. */
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
    return stat === null || hasEnded(stat) ? null : { pid, start: String(stat.startTick) };
  }
  if (!tableSupport().supported) return answersSignal(pid) ? { pid, start: 'unknown' } : null;
  const entry = readPs().find((one) => one.pid === pid && !one.dead);
  return entry === undefined ? null : { pid, start: entry.start };
}

/** True if exactly this process still lives. */
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

function readStat(pid: number): PidStat | null {
  return parsePidStat(readIfThere(pid, 'stat'));
}

/** Every process of this machine, now. One look at 150 processes takes some 10 ms. */
function readProcfs(): readonly ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readEntry(Number(name)));
}

function hasEnded({ state }: PidStat): boolean {
  return 'ZX'.includes(state);
}

function readEntry(pid: number): readonly ProcessEntry[] {
  const stat = readStat(pid);
  if (stat === null) return [];
  return [
    {
      pid,
      parent: stat.ppid,
      start: String(stat.startTick),
      dead: hasEnded(stat),
      command: parseCmdline(readIfThere(pid, 'cmdline')).join(' '),
      environment: parseCmdline(readIfThere(pid, 'environ')),
    },
  ];
}

/** Processes come and go while they are read, and those of other users keep their environment. */
function readIfThere(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/**
 * The process table where there is no /proc, by POSIX `ps`. It shows no environments, so a helper
 * that was re-parented is found only when its command line names the profile.
 */
export function readPs(): readonly ProcessEntry[] {
  const { stdout } = execaSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,state=,lstart=,args='], {
    env: { LC_ALL: 'C' },
    timeout: 5000,
    reject: false,
  });
  return parsePs(stdout);
}

/** `  18238 18214 S    Sat Nov 21 09:39:26 2026 /usr/bin/chromium --headless` */
const line = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/;

export function parsePs(text: string): readonly ProcessEntry[] {
  return text.split('\n').flatMap((one) => {
    const [, pid, parent, state, start, command] = line.exec(one) ?? [];
    if (pid === undefined || state === undefined || start === undefined) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        start: start.replace(/\s+/g, ' '),
        dead: state.startsWith('Z'),
        command: command ?? '',
        environment: [],
      },
    ];
  });
}

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

/** Every process of this machine, now; on Windows it may be two seconds old, without those that ended. */
export function readProcessTable(): readonly ProcessEntry[] {
  if (process.platform === 'linux') return readProcfs();
  return process.platform === 'win32' ? readWindows() : readPs();
}

/** The process that has this pid now; null when none lives. */
export function identify(pid: number): ProcessIdentity | null {
  if (process.platform === 'linux') {
    const stat = readStat(pid);
    return stat === null || hasEnded(stat) ? null : { pid, start: String(stat.startTick) };
  }
  const entry = readProcessTable().find((one) => one.pid === pid && !one.dead);
  if (entry !== undefined) return { pid, start: entry.start };
  // One that began after the table was read, or a system that refuses to give one.
  const isHidden = process.platform === 'win32' && answersSignal(pid);
  return isHidden ? { pid, start: unknownStart } : null;
}

/** Start of a process of Windows that no table shows. */
const unknownStart = 'unknown';

/** True if exactly this process still lives. */
export function isAlive({ pid, start }: ProcessIdentity): boolean {
  return start === unknownStart ? answersSignal(pid) : identify(pid)?.start === start;
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

/**
 * The table of Windows: `tasklist` tells neither parents nor command lines, and CIM does
 * (learn.microsoft.com, Win32_Process). Environments are hidden, as from `ps`. Not tried on Windows:
 * no such machine was at hand.
 */
const windowsQuery = [
  // Else a profile in the folder of a user called Jörg would not be found.
  '[Console]::OutputEncoding = [Text.Encoding]::UTF8',
  'Get-CimInstance Win32_Process | Select-Object ProcessId, ParentProcessId, CreationDate, CommandLine | ConvertTo-Json -Compress',
].join('; ');

/** PowerShell takes about a second to start, and the farm looks again and again while browsers end. */
const windowsTableMs = 2_000;

let windowsTable: { readonly readAt: number; readonly entries: readonly ProcessEntry[] } | null =
  null;

function readWindows(): readonly ProcessEntry[] {
  const isFresh = windowsTable !== null && performance.now() - windowsTable.readAt < windowsTableMs;
  if (windowsTable === null || !isFresh) {
    const args = ['-NoProfile', '-NonInteractive', '-Command', windowsQuery];
    const { stdout } = execaSync('powershell', args, { timeout: 10_000, reject: false });
    windowsTable = { readAt: performance.now(), entries: parseCim(stdout) };
  }
  return windowsTable.entries.filter(({ pid }) => answersSignal(pid));
}

/** A process as PowerShell writes it; one of another user hides its command line. */
interface CimProcess {
  readonly ProcessId: number;
  readonly ParentProcessId: number;
  /** `/Date(1795253966123)/` of Windows PowerShell 5.1, ISO 8601 of PowerShell 7. */
  readonly CreationDate: string | null;
  readonly CommandLine: string | null;
}

/** Reads the processes that PowerShell lists as JSON; an answer in another form gives an empty list. */
export function parseCim(text: string): readonly ProcessEntry[] {
  const answer = parseJson(text);
  // A list of one is written as the one.
  const listed = (Array.isArray(answer) ? answer : [answer]).filter(isCimProcess);
  const starts = new Map(listed.map((one) => [one.ProcessId, readStart(one.CreationDate)]));
  return listed.map(({ ProcessId: pid, ParentProcessId: parent, CommandLine: command }) => {
    const start = starts.get(pid) ?? null;
    const parentStart = starts.get(parent) ?? null;
    // Windows keeps the number of a parent that has ended, and gives it to another process.
    const isForeign = start !== null && parentStart !== null && parentStart > start;
    return {
      pid,
      parent: isForeign ? 0 : parent,
      start: start === null ? unknownStart : String(start),
      dead: false,
      command: command ?? '',
      environment: [],
    };
  });
}

function isCimProcess(value: unknown): value is CimProcess {
  if (typeof value !== 'object' || value === null) return false;
  const { ProcessId, ParentProcessId } = value as Readonly<Record<string, unknown>>;
  return typeof ProcessId === 'number' && typeof ParentProcessId === 'number';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Milliseconds since 1970. */
function readStart(date: string | null): number | null {
  const [, ms] = /^\/Date\((\d+)\)\/$/.exec(date ?? '') ?? [];
  const start = ms === undefined ? Date.parse(date ?? '') : Number(ms);
  return Number.isNaN(start) ? null : start;
}

/**
 * Linux's /proc, read and parsed apart. Formats: proc_pid_stat(5), proc_pid_environ(5),
 * proc_pid_cmdline(5).
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { ProcessEntry } from './process-table.ts';

export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** One letter; Z and X are dead. */
  readonly state: string;
  /** Start in clock ticks after boot: with the pid it names a process for ever. */
  readonly start: string;
}

/** Null when the text is not of the kernel's form, as when the process went while it was read. */
export function parseStat(text: string): ProcessStat | null {
  // The name stands in parentheses and may itself contain spaces and parentheses: the last one counts.
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return null;
  const pid = Number(text.slice(0, open));
  const fields = text.slice(close + 2).split(' ');
  const [state, parent] = fields;
  // `starttime` is field 22 of the line, and the 20th after the name.
  const start = fields[19];
  if (state === undefined || parent === undefined || start === undefined) return null;
  return { pid, parent: Number(parent), state, start };
}

/** Entries of a NUL-separated file: arguments, or `NAME=value` pairs. */
export function parseList(text: string): readonly string[] {
  return text.split('\0').filter((entry) => entry !== '');
}

export function readStat(pid: number): ProcessStat | null {
  return parseStat(readIfThere(pid, 'stat'));
}

/** Every process of this machine, now. One look at 150 processes takes some 10 ms. */
export function readProcfs(): readonly ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readEntry(Number(name)));
}

function readEntry(pid: number): readonly ProcessEntry[] {
  const stat = readStat(pid);
  if (stat === null) return [];
  const command = parseList(readIfThere(pid, 'cmdline')).join(' ');
  const environment = parseList(readIfThere(pid, 'environ'));
  const { parent, start, state } = stat;
  return [{ pid, parent, start, dead: 'ZX'.includes(state), command, environment }];
}

/** Processes come and go while they are read, and those of other users keep their environment. */
function readIfThere(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

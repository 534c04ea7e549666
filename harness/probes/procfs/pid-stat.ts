/**
 * /proc/<pid>/stat and /proc/<pid>/task/<tid>/stat: one line about a process or a thread.
 * Kernel: Documentation/filesystems/proc.rst, table 1-4 "Contents of the stat fields"; the fields
 * are numbered as in proc(5). Times are in USER_HZ ticks.
 */

export interface PidStat {
  readonly pid: number;
  /** Name of the thread, cut by the kernel at 15 bytes. It may hold spaces and parentheses. */
  readonly name: string;
  readonly ppid: number;
  /** Fields 14 and 15 together: time on CPU; for a process it includes its ended threads. */
  readonly ownTicks: number;
  /** Fields 16 and 17 together: time of ended children that were waited for. */
  readonly childTicks: number;
  /** Field 22: ticks after boot at which it began; with the pid it identifies a process. */
  readonly startTick: number;
  /** Field 39: core that it last ran on. */
  readonly lastCore: number;
}

/** Parses one line; throws when the text is not of the kernel's form. */
export function parsePidStat(text: string): PidStat {
  const open = text.indexOf('(');
  // The name may itself contain ')', so only the last one can be the end of it.
  const close = text.lastIndexOf(')');
  const pid = Number.parseInt(text, 10);
  const fields = text
    .slice(close + 2)
    .split(' ')
    .map(Number);
  // fields[0] is field 3 (state), so field f stands at f − 3.
  const field = (number: number): number => fields[number - 3] ?? Number.NaN;
  const stat = {
    pid,
    name: text.slice(open + 1, close),
    ppid: field(4),
    ownTicks: field(14) + field(15),
    childTicks: field(16) + field(17),
    startTick: field(22),
    lastCore: field(39),
  };
  if (open < 0 || close < open || Number.isNaN(pid) || Number.isNaN(stat.lastCore)) {
    throw new Error(`Not a line of /proc/<pid>/stat: ${JSON.stringify(text.slice(0, 80))}`);
  }
  return stat;
}

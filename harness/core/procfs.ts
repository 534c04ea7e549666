/**
 * /proc/<pid>/stat and /proc/<pid>/task/<tid>/stat: one line about a process or a thread.
 * Kernel: Documentation/filesystems/proc.rst, table 1-4 "Contents of the stat fields"; the fields
 * are numbered as in proc(5). Times are in USER_HZ ticks.
 */

export interface PidStat {
  readonly pid: number;
  /** Name of the thread, cut by the kernel at 15 bytes. It may hold spaces and parentheses. */
  readonly name: string;
  /** One letter: Z and X have ended. */
  readonly state: string;
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

/** Null when the text is not of the kernel's form, as when the process ended while it was read. */
export function parsePidStat(text: string): PidStat | null {
  const open = text.indexOf('(');
  // The name may itself contain ')', so only the last one can be the end of it.
  const close = text.lastIndexOf(')');
  const [state = '', ...numbers] = text.slice(close + 2).split(' ');
  // The state is field 3, so field f stands at f − 4 of what follows it.
  const field = (number: number): number => Number(numbers[number - 4] ?? Number.NaN);
  const stat = {
    pid: Number.parseInt(text, 10),
    name: text.slice(open + 1, close),
    state,
    ppid: field(4),
    ownTicks: field(14) + field(15),
    childTicks: field(16) + field(17),
    startTick: field(22),
    lastCore: field(39),
  };
  const whole =
    open >= 0 && close > open && !Number.isNaN(stat.pid) && !Number.isNaN(stat.lastCore);
  return whole ? stat : null;
}

/**
 * /proc/stat: time of every core since boot.
 * Kernel: Documentation/filesystems/proc.rst, section 1.7 "Miscellaneous kernel statistics in
 * /proc/stat"; the unit is USER_HZ (see `clock-ticks.ts`).
 */

/** Cumulative ticks of one core. */
export interface CoreTicks {
  readonly core: number;
  /** user + nice + system + irq + softirq. Guest time is already inside user and nice. */
  readonly busy: number;
  /** idle + iowait: a core that waits for the disk is free for others. */
  readonly idle: number;
  /** Time that the hypervisor gave to other guests. */
  readonly steal: number;
}

const corePattern = /^cpu(\d+) (.*)\n/gm;

/**
 * Reads the lines of single cores; offline cores have none. A last line without its newline is
 * left out, because the sampler reads only as many bytes as the cores need.
 */
export function parseStat(text: string): readonly CoreTicks[] {
  return Array.from(text.matchAll(corePattern), ([, core, fields]) => {
    const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] =
      (fields ?? '').split(' ').map(Number);
    return {
      core: Number(core),
      busy: user + nice + system + irq + softirq,
      idle: idle + iowait,
      steal,
    };
  });
}

/**
 * /proc/<pid>/status, `Cpus_allowed_list`: the cores that a process may run on, such as `4-6,9`.
 * Kernel: Documentation/filesystems/proc.rst, table 1-2; proc_pid_status(5), cpuset(7).
 */

/** None when the text does not say. */
export function parseAllowedCores(status: string): readonly number[] {
  const [, list = ''] = /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(status) ?? [];
  return list
    .split(',')
    .filter((range) => range !== '')
    .flatMap((range) => {
      const [from = NaN, to = from] = range.split('-').map(Number);
      return Array.from({ length: to - from + 1 }, (_, index) => from + index);
    });
}

/**
 * /proc/<pid>/cmdline: the arguments of a process, each ended by a NUL.
 * Kernel: Documentation/filesystems/proc.rst, table 1-1; proc_pid_cmdline(5), which also says that
 * a process may overwrite it: Chromium's and Firefox's forked children write their whole command
 * line into the first argument, separated by spaces (seen in Chromium 156 and Firefox 153).
 */

/** The arguments as the file holds them; none for kernel threads and for processes that have ended. */
export function parseCmdline(text: string): readonly string[] {
  if (text === '') return [];
  return text.replace(/\0$/, '').split('\0');
}

/**
 * /proc/<pid>/task/<tid>/schedstat: exact run time of one thread.
 * Kernel: Documentation/scheduler/sched-stats.rst, section "/proc/<pid>/schedstat": time spent on
 * the cpu (in nanoseconds), time spent waiting on a runqueue (in nanoseconds), number of
 * timeslices. The process's own file counts its first thread only.
 */

interface SchedStat {
  /** Below 2^53 for 104 days on CPU, so a number holds it exactly. */
  readonly onCpuNs: number;
  readonly waitingNs: number;
}

/** Parses one line; throws when the text is not of the kernel's form. */
export function parseSchedstat(text: string): SchedStat {
  const match = /^(\d+) (\d+) \d+\s*$/.exec(text);
  if (match === null) {
    throw new Error(`Not a line of schedstat: ${JSON.stringify(text.slice(0, 80))}`);
  }
  return { onCpuNs: Number(match[1]), waitingNs: Number(match[2]) };
}

/**
 * /proc/uptime: seconds since boot, with two decimals.
 * Kernel: Documentation/filesystems/proc.rst, table 1-5; proc_uptime(5). It is on the same clock as
 * the start time of a process (field 22 of its stat).
 */

/** Null when the text is not of the kernel's form. */
export function parseUptime(text: string): number | null {
  const match = /^(\d+\.\d+) /.exec(text);
  return match === null ? null : Number(match[1]);
}

/**
 * /proc/loadavg: mean number of tasks that ran, wanted to run or waited for the disk.
 * Kernel: Documentation/filesystems/proc.rst, table 1-5 "Kernel info in /proc"; proc_loadavg(5).
 */

interface LoadAverage {
  readonly load1: number;
  readonly load5: number;
  readonly load15: number;
}

/** Null when the text is not of the kernel's form: the load is then unknown, not zero. */
export function parseLoadavg(text: string): LoadAverage | null {
  const match = /^([\d.]+) ([\d.]+) ([\d.]+) /.exec(text);
  if (match === null) return null;
  return { load1: Number(match[1]), load5: Number(match[2]), load15: Number(match[3]) };
}

/**
 * /proc/pressure/cpu: share of time in which tasks waited for a CPU.
 * Kernel: Documentation/accounting/psi.rst. The averages are percentages of the last 10, 60 and
 * 300 seconds; `some` means that at least one task waited.
 */

interface Pressure {
  /** Shares, 0–1. */
  readonly some10: number;
  readonly some60: number;
  readonly some300: number;
}

const somePattern = /^some avg10=([\d.]+) avg60=([\d.]+) avg300=([\d.]+) total=\d+$/m;

/** Null when the text is not of the kernel's form: the pressure is then unknown, not zero. */
export function parsePressure(text: string): Pressure | null {
  const match = somePattern.exec(text);
  if (match === null) return null;
  const share = (percent: string | undefined): number => Number(percent) / 100;
  return { some10: share(match[1]), some60: share(match[2]), some300: share(match[3]) };
}

/**
 * /proc/meminfo: how the machine's memory is used. Kernel: Documentation/filesystems/proc.rst,
 * section "meminfo". One kB in the file is 1024 bytes.
 */

interface MemoryInfo {
  readonly totalBytes: number | null;
  /** MemAvailable: what new programs can have without swapping; MemFree would leave out caches. */
  readonly availableBytes: number | null;
}

export function parseMeminfo(text: string): MemoryInfo {
  return {
    totalBytes: parseBytes(text, 'MemTotal'),
    availableBytes: parseBytes(text, 'MemAvailable'),
  };
}

/**
 * /proc/<pid>/smaps_rollup: the sums over a process's mappings. Kernel: Documentation/filesystems/
 * proc.rst, section "smaps"; `Pss` counts a page that n processes share as 1/n of it in each. Of
 * that the memory which the process has written, alone or shared; not what it only read of files.
 * @returns null when the text is not of the kernel's form (Linux 5.3), as when the process has ended
 */
export function parseOwnBytes(text: string): number | null {
  const anonymous = parseBytes(text, 'Pss_Anon');
  const shared = parseBytes(text, 'Pss_Shmem');
  return anonymous === null || shared === null ? null : anonymous + shared;
}

function parseBytes(text: string, name: string): number | null {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text);
  return match === null ? null : Number(match[1]) * 1024;
}

/**
 * /proc/cpuinfo, line "cpu MHz": the current frequency of each core, on x86 only.
 * Kernel: Documentation/filesystems/proc.rst, table 1-5; arch/x86/kernel/cpu/proc.c.
 */

/** Mean frequency of all cores in MHz; null where the kernel does not print it (ARM). */
export function parseFrequencyMhz(text: string): number | null {
  const values = Array.from(text.matchAll(/^cpu MHz\s*:\s*([\d.]+)$/gm), (line) => Number(line[1]));
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * /proc/self/mounts: one mounted file system a line, in the form of fstab(5): device, mount point,
 * type, options. Kernel: Documentation/filesystems/proc.rst, section 1.1 ("mounts").
 */

/** Mount points of one type of file system, in the file's order. */
export function parseMountPoints(text: string, type: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const [, point, of] = line.split(' ');
    return point !== undefined && of === type ? [unescapeOctal(point)] : [];
  });
}

/** The kernel writes spaces, tabs, line breaks and backslashes as `\040` and the like. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { realFiles, type SystemFiles } from './system-files.ts';

/**
 * Writes facts of macOS and Windows in the form of Linux's `/proc`, so that one code reads them all. Node.js tells the time of the cores (`os.cpus`), the load and the memory
 * (nodejs.org/api/os.html); `ps` the time of the processes (ps(1) of macOS). A fact that a system does not
 * have is a missing file. Not tried on macOS and Windows: no such machine was at hand.
 */

/** Unit of `/proc/stat` on other systems: 10 ms. */
const msPerTick = 10;

/** Sources of the facts of a system. */
export interface SystemSource {
  readonly platform: NodeJS.Platform;
  readonly cpus: () => readonly { readonly times: os.CpuInfo['times'] }[];
  /** Output of `ps` with `psColumns`; empty without a `ps`. */
  readonly ps: () => string;
  readonly loadavg: () => readonly number[];
  readonly freeBytes: () => number;
  /** Seconds since boot. */
  readonly uptime: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** `TIME` is user and system together, and `LSTART` the start to a second. */
const psColumns = 'pid=,ppid=,time=,lstart=,comm=';

const thisSystem: SystemSource = {
  platform: process.platform,
  cpus: () => os.cpus(),
  ps: () => runPs(),
  loadavg: () => os.loadavg(),
  freeBytes: () => os.freemem(),
  uptime: () => os.uptime(),
  now: () => Date.now(),
};

function runPs(): string {
  try {
    return execFileSync('ps', ['-A', '-ww', '-o', psColumns], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      timeout: 5000,
      maxBuffer: 16 * 2 ** 20,
    });
  } catch {
    return '';
  }
}

/** The files of a system: Linux's own, or what another one tells in their form. */
export function filesOfSystem(
  platform: NodeJS.Platform = process.platform,
  source: SystemSource = { ...thisSystem, platform },
): SystemFiles {
  return platform === 'linux' ? realFiles : new EmulatedFiles(source);
}

class EmulatedFiles implements SystemFiles {
  readonly #source: SystemSource;
  /** Once, so that the start of a process is the same number at each look. */
  readonly #bootMs: number;
  #processes: ReadonlyMap<number, PsEntry> = new Map();

  constructor(source: SystemSource) {
    this.#source = source;
    this.#bootMs = source.now() - source.uptime() * 1000;
  }

  /** A look at `/proc` asks for all processes, which are then read one by one. */
  list(path: string): readonly string[] {
    if (path !== '/proc') return [];
    // Windows has no ps, and its tasklist knows whole seconds alone.
    const text = this.#source.platform === 'win32' ? '' : this.#source.ps();
    this.#processes = new Map(parseCpuTimes(text).map((one) => [one.pid, one]));
    return [...this.#processes.keys()].map(String);
  }

  read(path: string): string | null {
    const { platform, loadavg, freeBytes, uptime } = this.#source;
    const [, pid, file] = /^\/proc\/(\d+)\/(\w+)$/.exec(path) ?? [];
    if (pid !== undefined) return this.#readProcess(Number(pid), file ?? '');
    switch (path) {
      case '/proc/stat':
        return writeStat(this.#source.cpus());
      case '/proc/uptime':
        return `${uptime().toFixed(2)} 0.00\n`;
      case '/proc/loadavg':
        // Node.js gives zeros on Windows.
        return platform === 'win32'
          ? null
          : `${loadavg()
              .map((one) => one.toFixed(2))
              .join(' ')} \n`;
      case '/proc/meminfo':
        // On macOS the free pages alone, without those that programs can have at once.
        return platform === 'win32'
          ? `MemAvailable: ${String(Math.floor(freeBytes() / 1024))} kB\n`
          : null;
      default:
        return null;
    }
  }

  #readProcess(pid: number, file: string): string | null {
    const entry = this.#processes.get(pid);
    if (entry === undefined) return null;
    if (file === 'cmdline') return `${entry.program}\0`;
    if (file !== 'stat') return null;
    // The start is known to a second: the end of it, so that one that begins meanwhile counts as new.
    const startTick = Math.round((entry.startMs + 1000 - this.#bootMs) / msPerTick);
    const fields = Array.from({ length: 36 }, () => '0');
    fields[0] = String(entry.ppid);
    fields[10] = String(entry.cpuMs / msPerTick);
    fields[18] = String(startTick);
    return `${String(pid)} (${entry.program.split('/').at(-1) ?? ''}) S ${fields.join(' ')}\n`;
  }
}

function writeStat(cpus: ReturnType<SystemSource['cpus']>): string {
  return cpus
    .map(({ times: { user, nice, sys, idle, irq } }, core) => {
      const ticks = [user, nice, sys, idle, 0, irq, 0, 0].map((ms) => String(ms / msPerTick));
      return `cpu${String(core)} ${ticks.join(' ')}\n`;
    })
    .join('');
}

interface PsEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly cpuMs: number;
  readonly startMs: number;
  /** With its path. */
  readonly program: string;
}

/** `  345     1   1:02.33 Sat Nov 21 09:39:26 2026     /usr/libexec/logd` */
const psLine = /^\s*(\d+)\s+(\d+)\s+([\d:.-]+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*\S)\s*$/;

/** Reads processes and their CPU time; a line of another form is left out. */
export function parseCpuTimes(text: string): readonly PsEntry[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, ppid, time = '', start = '', program = ''] = psLine.exec(line) ?? [];
    const cpuMs = parseCpuTime(time);
    const startMs = Date.parse(start);
    if (cpuMs === null || Number.isNaN(startMs)) return [];
    return [{ pid: Number(pid), ppid: Number(ppid), cpuMs, startMs, program }];
  });
}

/** `12:34.56` of macOS (minutes, seconds and hundredths), `[dd-]hh:mm:ss` of others; null for another form. */
function parseCpuTime(text: string): number | null {
  const [, days = '0', rest = ''] = /^(?:(\d+)-)?([\d:.]+)$/.exec(text) ?? [];
  if (rest === '') return null;
  const seconds = rest.split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1000;
}

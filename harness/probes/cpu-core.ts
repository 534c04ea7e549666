import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import type { CoreReading, CoreSnapshot } from '../model/reading.ts';
import { clockTicksPerSecond } from './clock-ticks.ts';
import { cpuMsSince } from './own-cost.ts';
import type { AttachedProbe, Probe, Support } from './probe.ts';
import { parseStat, type CoreTicks } from './procfs/stat.ts';

/** The kernel counts in ticks of 10 ms, so sampling faster than every other tick would show nothing. */
const intervalMs = 20;

/** Longest line of one core: its name and ten numbers of up to 20 digits. */
const longestLineBytes = 256;

/** Time of every core, from /proc/stat, sampled through the timed window. */
export function createCpuCoreProbe(platform: NodeJS.Platform = process.platform): Probe {
  return {
    name: 'cpu-core',
    supports: () => supportsStat(platform),
    attach: () => new CoreWatch(clockTicksPerSecond()),
  };
}

function supportsStat(platform: NodeJS.Platform): Support {
  if (platform === 'linux') return { supported: true };
  return {
    supported: false,
    because: `the time of each core is read from Linux's /proc/stat, and this is ${platform}`,
  };
}

interface RawSnapshot {
  readonly atNs: bigint;
  readonly text: string;
}

/** Keeps raw text while the window is open, because parsing would take CPU from what is measured. */
class CoreWatch implements AttachedProbe {
  readonly #ticksPerSecond: number;
  readonly #buffer: Buffer;
  readonly #snapshots: RawSnapshot[] = [];
  #fd: number | null;
  #timer: NodeJS.Timeout | null = null;
  #cpuAtStart: NodeJS.CpuUsage | null = null;
  #costMs: number | null = null;

  constructor(ticksPerSecond: number) {
    this.#ticksPerSecond = ticksPerSecond;
    const cores = parseStat(readFileSync('/proc/stat', 'latin1')).length;
    // Room for the line of the sum, too; the interrupt counters behind the cores are not read.
    this.#buffer = Buffer.alloc((cores + 1) * longestLineBytes);
    this.#fd = openSync('/proc/stat', 'r');
  }

  start(): void {
    this.#snapshots.length = 0;
    this.#costMs = null;
    this.#timer = setInterval(() => {
      this.#sample();
    }, intervalMs).unref();
    this.#cpuAtStart = process.cpuUsage();
    // Last, so that the window begins with it.
    this.#sample();
  }

  stop(): void {
    // First, so that the window ends with it.
    this.#sample();
    // The farm's whole process: an upper bound of what sampling costs. Timing the timer's function
    // would miss most of it: of 0.2 ms per sample on a busy machine (Node.js 20), 0.12 ms went into
    // waking up and 0.08 ms into the read.
    this.#costMs = this.#cpuAtStart === null ? 0 : cpuMsSince(this.#cpuAtStart);
    this.#endTimer();
  }

  collect(): CoreReading {
    if (this.#costMs === null) throw new Error('cpu-core: collect() comes after stop()');
    const snapshots = toSnapshots(this.#snapshots, this.#ticksPerSecond);
    return {
      probe: 'cpu-core',
      wallMs: snapshots.at(-1)?.atMs ?? 0,
      intervalMs,
      snapshots,
      costMs: this.#costMs,
    };
  }

  detach(): void {
    this.#endTimer();
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  #endTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #sample(): void {
    if (this.#fd === null) return;
    // Position 0 makes the kernel write the file anew on the same descriptor.
    const bytes = readSync(this.#fd, this.#buffer, 0, this.#buffer.length, 0);
    this.#snapshots.push({
      atNs: process.hrtime.bigint(),
      text: this.#buffer.toString('latin1', 0, bytes),
    });
  }
}

function toSnapshots(raw: readonly RawSnapshot[], ticksPerSecond: number): CoreSnapshot[] {
  const [first] = raw;
  if (first === undefined) return [];
  const start = parseStat(first.text);
  let last = start;
  return raw.map(({ atNs, text }) => {
    last = carryOver(last, parseStat(text));
    return {
      atMs: Number(atNs - first.atNs) / 1e6,
      busyMs: start.map((core, index) => sinceStart(core.busy, last[index]?.busy)),
      stealMs: start.map((core, index) => sinceStart(core.steal, last[index]?.steal)),
    };
  });

  function sinceStart(then: number, now: number | undefined): number {
    return (Math.max(0, (now ?? then) - then) * 1000) / ticksPerSecond;
  }
}

/** A core that goes offline loses its line: its counters then stand still. */
function carryOver(before: readonly CoreTicks[], now: readonly CoreTicks[]): readonly CoreTicks[] {
  if (before.length === now.length) return now;
  const byCore = new Map(now.map((core) => [core.core, core]));
  return before.map((core) => byCore.get(core.core) ?? core);
}

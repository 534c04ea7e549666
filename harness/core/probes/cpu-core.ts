import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import type { CoreReading, CoreSnapshot } from '../model/reading.ts';
import { type AttachedProbe, cpuMsSince, type Probe, type Support } from './probe.ts';
import { type CoreTicks, parseStat } from '../procfs.ts';
import { clockTicksPerSecond } from '../system-files.ts';

/** The kernel counts in ticks of 10 ms, so sampling faster than every other tick would show nothing. */
const intervalMs = 20;

/** Each of the ten numbers of a line may grow by a digit while the window is open. */
const roomPerLineBytes = 10;

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

/** Keeps raw bytes while the window is open, because parsing would take CPU from what is measured. */
class CoreWatch implements AttachedProbe {
  readonly #ticksPerSecond: number;
  readonly #bytesPerSample: number;
  #samples: RawSamples;
  #fd: number | null;
  #timer: NodeJS.Timeout | null = null;
  #cost = new SamplingCost();
  #costMs: number | null = null;

  constructor(ticksPerSecond: number) {
    this.#ticksPerSecond = ticksPerSecond;
    this.#bytesPerSample = bytesOfCores(readFileSync('/proc/stat', 'latin1'));
    this.#samples = new RawSamples(this.#bytesPerSample);
    this.#fd = openSync('/proc/stat', 'r');
  }

  start(): void {
    this.#samples = new RawSamples(this.#bytesPerSample);
    this.#costMs = null;
    this.#cost = new SamplingCost();
    this.#timer = setInterval(() => {
      this.#sample();
      this.#cost.tick();
    }, intervalMs).unref();
    // Last, so that the window begins with it.
    this.#sample();
  }

  stop(): void {
    // First, so that the window ends with it.
    this.#sample();
    this.#endTimer();
    this.#costMs = this.#cost.totalMs();
  }

  collect(): CoreReading {
    if (this.#costMs === null) throw new Error('cpu-core: collect() comes after stop()');
    const snapshots = toSnapshots(this.#samples.list(), this.#ticksPerSecond);
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
    if (this.#fd !== null) this.#samples.take(this.#fd);
  }
}

/**
 * The cost of sampling: the CPU time of the farm's process from the end of one tick to the end of the
 * next, for every tick. Timing the timer's function would miss most of it, the wake-up: of 0.17 ms per
 * sample on an idle virtual machine (Node.js 20) that takes 0.12 ms, and would take 0.09 ms in a thread
 * that only sleeps; the read takes 0.05 ms, and keeping a text instead of bytes took another 0.02 ms.
 * Work of the farm at the window's edges, such as answering the page, lies outside the first and
 * the last tick.
 */
class SamplingCost {
  readonly #cpuAtStart = process.cpuUsage();
  #cpuAtFirst: NodeJS.CpuUsage | null = null;
  #betweenMs = 0;
  #ticks = 0;

  tick(): void {
    this.#ticks += 1;
    if (this.#cpuAtFirst === null) this.#cpuAtFirst = process.cpuUsage();
    else this.#betweenMs = cpuMsSince(this.#cpuAtFirst);
  }

  /** With fewer than two ticks: of the whole window, edges included, which is an upper bound. */
  totalMs(): number {
    if (this.#ticks < 2) return cpuMsSince(this.#cpuAtStart);
    return (this.#betweenMs / (this.#ticks - 1)) * this.#ticks;
  }
}

/**
 * Length of the lines of all cores and of the sum before them; the interrupt counters after them are
 * not read.
 */
function bytesOfCores(text: string): number {
  const cores = parseStat(text);
  const lines = text.split('\n', cores.length + 1);
  return lines.reduce((sum, line) => sum + line.length + 1 + roomPerLineBytes, 0);
}

interface RawSnapshot {
  readonly atMs: number;
  readonly text: string;
}

interface Slab {
  readonly bytes: Buffer;
  readonly lengths: Uint32Array;
  readonly atMs: Float64Array;
}

/** Ten seconds of samples; a longer window allocates further slabs. */
const samplesPerSlab = 500;

/** Samples as bytes with the instants at which they were read; taking one makes no garbage. */
class RawSamples {
  readonly #slabs: Slab[] = [];
  readonly #bytesPerSample: number;
  #count = 0;

  constructor(bytesPerSample: number) {
    this.#bytesPerSample = bytesPerSample;
    this.#addSlab();
  }

  take(fd: number): void {
    const index = this.#count % samplesPerSlab;
    const slab = this.#slabs.at(-1) ?? this.#addSlab();
    // Position 0 makes the kernel write the file again on the same descriptor.
    const from = index * this.#bytesPerSample;
    slab.lengths[index] = readSync(fd, slab.bytes, from, this.#bytesPerSample, 0);
    slab.atMs[index] = performance.now();
    this.#count += 1;
    if (index === samplesPerSlab - 1) this.#addSlab();
  }

  list(): readonly RawSnapshot[] {
    return Array.from({ length: this.#count }, (_, sample) => {
      const slab = this.#slabs[Math.floor(sample / samplesPerSlab)];
      const index = sample % samplesPerSlab;
      const from = index * this.#bytesPerSample;
      const to = from + (slab?.lengths[index] ?? 0);
      return { atMs: slab?.atMs[index] ?? 0, text: slab?.bytes.toString('latin1', from, to) ?? '' };
    });
  }

  #addSlab(): Slab {
    const slab = {
      bytes: Buffer.alloc(samplesPerSlab * this.#bytesPerSample),
      lengths: new Uint32Array(samplesPerSlab),
      atMs: new Float64Array(samplesPerSlab),
    };
    this.#slabs.push(slab);
    return slab;
  }
}

function toSnapshots(raw: readonly RawSnapshot[], ticksPerSecond: number): CoreSnapshot[] {
  const [first] = raw;
  if (first === undefined) return [];
  const start = parseStat(first.text);
  let last = start;
  return raw.map(({ atMs, text }) => {
    last = carryOver(last, parseStat(text));
    return {
      atMs: atMs - first.atMs,
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

import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { type CpuInfo, cpus } from 'node:os';
import type { CoreReading, CoreSnapshot } from '../model/reading.ts';
import { type AttachedProbe, cpuMsSince, type Probe } from './probe.ts';
import { type CoreTicks, parseStat } from '../procfs.ts';
import { clockTicksPerSecond } from '../system-files.ts';

/** The kernel counts in ticks of 10 ms, so sampling faster than every other tick would show nothing. */
const intervalMs = 20;

/** Each of the ten numbers of a line may grow by a digit while the window is open. */
const roomPerLineBytes = 10;

/**
 * Time of every core, sampled through the timed window: from /proc/stat on Linux, elsewhere as Node.js
 * tells it, with the 10 or 15.6 ms of the system's own counting.
 */
export function createCpuCoreProbe(platform: NodeJS.Platform = process.platform): Probe {
  const isLinux = platform === 'linux';
  return {
    name: 'cpu-core',
    supports: () => ({ supported: true }),
    attach: () => new CoreWatch(isLinux ? new StatSamples() : new NodeSamples()),
  };
}

/** Where samples come from. Taking one is small; they are read when the window is over. */
interface CoreSamples {
  restart(): void;
  take(): void;
  list(): readonly CoreSample[];
  close(): void;
}

interface CoreSample {
  readonly atMs: number;
  readonly cores: readonly CoreTicks[];
  readonly ticksPerSecond: number;
}

class CoreWatch implements AttachedProbe {
  readonly #samples: CoreSamples;
  #timer: NodeJS.Timeout | null = null;
  #cost = new SamplingCost();
  #costMs: number | null = null;

  constructor(samples: CoreSamples) {
    this.#samples = samples;
  }

  start(): void {
    this.#samples.restart();
    this.#costMs = null;
    this.#cost = new SamplingCost();
    this.#timer = setInterval(() => {
      this.#samples.take();
      this.#cost.tick();
    }, intervalMs).unref();
    // Last, so that the window begins with it.
    this.#samples.take();
  }

  stop(): void {
    // First, so that the window ends with it.
    this.#samples.take();
    this.#endTimer();
    this.#costMs = this.#cost.totalMs();
  }

  collect(): CoreReading {
    if (this.#costMs === null) throw new Error('cpu-core: collect() comes after stop()');
    const snapshots = toSnapshots(this.#samples.list());
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
    this.#samples.close();
  }

  #endTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

/** Keeps raw bytes while the window is open, because parsing would take CPU from what is measured. */
class StatSamples implements CoreSamples {
  readonly #ticksPerSecond = clockTicksPerSecond();
  readonly #bytesPerSample = bytesOfCores(readFileSync('/proc/stat', 'latin1'));
  #raw = new RawSamples(this.#bytesPerSample);
  #fd: number | null = openSync('/proc/stat', 'r');

  restart(): void {
    this.#raw = new RawSamples(this.#bytesPerSample);
  }

  take(): void {
    if (this.#fd !== null) this.#raw.take(this.#fd);
  }

  list(): readonly CoreSample[] {
    const ticksPerSecond = this.#ticksPerSecond;
    return this.#raw
      .list()
      .map(({ atMs, text }) => ({ atMs, cores: parseStat(text), ticksPerSecond }));
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }
}

/** Times of Node.js are milliseconds, and do not tell what a hypervisor takes. */
class NodeSamples implements CoreSamples {
  #taken: { readonly atMs: number; readonly cpus: readonly CpuInfo[] }[] = [];

  restart(): void {
    this.#taken = [];
  }

  take(): void {
    this.#taken.push({ cpus: cpus(), atMs: performance.now() });
  }

  list(): readonly CoreSample[] {
    return this.#taken.map(({ atMs, cpus: all }) => ({
      atMs,
      ticksPerSecond: 1000,
      cores: all.map(({ times: { user, nice, sys, irq, idle } }, core) => {
        return { core, busy: user + nice + sys + irq, idle, steal: 0 };
      }),
    }));
  }

  close(): void {
    // Nothing is open.
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

function toSnapshots(samples: readonly CoreSample[]): CoreSnapshot[] {
  const [first] = samples;
  if (first === undefined) return [];
  const start = first.cores;
  let last = start;
  return samples.map(({ atMs, cores }) => {
    last = carryOver(last, cores);
    return {
      atMs: atMs - first.atMs,
      busyMs: start.map((core, index) => sinceStart(core.busy, last[index]?.busy)),
      stealMs: start.map((core, index) => sinceStart(core.steal, last[index]?.steal)),
    };
  });

  function sinceStart(then: number, now: number | undefined): number {
    return (Math.max(0, (now ?? then) - then) * 1000) / (first?.ticksPerSecond ?? 1000);
  }
}

/** A core that goes offline loses its line: its counters then stand still. */
function carryOver(before: readonly CoreTicks[], now: readonly CoreTicks[]): readonly CoreTicks[] {
  if (before.length === now.length) return now;
  const byCore = new Map(now.map((core) => [core.core, core]));
  return before.map((core) => byCore.get(core.core) ?? core);
}

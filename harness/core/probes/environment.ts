import type { EnvironmentReading } from '../model/reading.ts';
import {
  type CoreTicks,
  parseFrequencyMhz,
  parseLoadavg,
  parseMeminfo,
  parsePressure,
  parseStat,
} from '../procfs.ts';
import { type AttachedProbe, cpuMsSince, type Probe, type WatchedSession } from './probe.ts';
import { foreignLimits } from '../model/environment-limits.ts';
import { neighboursSince, readAllTimes } from './neighbours.ts';
import {
  type ProcessTimes,
  readProcessTimes,
  readStartTick,
  usageBetween,
} from './process-times.ts';
import { StandstillWatch } from './standstill.ts';
import { filesOfSystem } from '../other-systems.ts';
import { clockTicksPerSecond, type SystemFiles } from '../system-files.ts';

/**
 * Shares are only given from this length on. The kernel counts whole ticks, so a core's share of 20
 * ticks is known to ± 5 %; of a shorter time it would be noise.
 */
const shortestTicks = 20;

/**
 * The state of the machine around one trial, and the share of other programs: from `attach`, which
 * comes when the page begins to warm up, to the end of the timed window. The window alone is often
 * shorter than 0.2 s, which the kernel's ticks cannot divide (see `shortestTicks`); with the warm-up
 * before it, 27 trials of three engines lasted from 0.35 s on, and both shares agreed within 0.15.
 */
export function createEnvironmentProbe(
  platform: NodeJS.Platform = process.platform,
  files: SystemFiles = filesOfSystem(platform),
): Probe {
  return {
    name: 'environment',
    supports: () => ({ supported: true }),
    attach: (session) => new EnvironmentWatch(session, files, platform === 'linux'),
  };
}

/** Read before the trial, because the benchmark itself raises load and pressure. */
type Surroundings = Pick<
  EnvironmentReading,
  'load1' | 'cpuPressure' | 'freeMemoryBytes' | 'governor'
>;

interface Beginning {
  readonly surroundings: Surroundings;
  readonly throttleEvents: number | null;
  readonly processes: ProcessTimes;
  readonly everybody: ProcessTimes;
  readonly startTick: number;
  readonly costMs: number;
  readonly cores: readonly CoreTicks[];
  readonly farmCpu: NodeJS.CpuUsage;
  readonly atNs: bigint;
}

class EnvironmentWatch implements AttachedProbe {
  readonly #session: WatchedSession;
  readonly #files: SystemFiles;
  readonly #msPerTick: number;
  #beginning: Beginning;
  /** Null where each look would start a program. */
  readonly #standstill: StandstillWatch | null;
  readonly #isLinux: boolean;
  #reading: EnvironmentReading | null = null;

  constructor(session: WatchedSession, files: SystemFiles, isLinux: boolean) {
    this.#session = session;
    this.#isLinux = isLinux;
    this.#files = files;
    this.#msPerTick = 1000 / clockTicksPerSecond();
    this.#standstill = isLinux ? new StandstillWatch(session, files) : null;
    this.#beginning = this.#begin();
  }

  start(): void {
    if (this.#reading !== null) {
      // A second window needs its own readings.
      this.#reading = null;
      this.#beginning = this.#begin();
    }
    this.#standstill?.start();
  }

  stop(): void {
    this.#standstill?.stop();
    const beginning = this.#beginning;
    const lastedMs = Number(process.hrtime.bigint() - beginning.atNs) / 1e6;
    const cores = this.#cores();
    const farmMs = cpuMsSince(beginning.farmCpu);
    const cpu = process.cpuUsage();
    const knownMs = farmMs + this.#sessionMs(beginning);
    const use = { before: beginning.cores, after: cores, lastedMs, knownMs };
    const shares = this.#knownShares(computeShares(use, this.#msPerTick), beginning);
    this.#reading = {
      probe: 'environment',
      ...beginning.surroundings,
      frequencyMhz: readFrequencyMhz(this.#files),
      ...shares,
      cores: cores.length,
      ...this.#neighbours(shares.foreignShare, use, beginning),
      ...(this.#standstill !== null && { standstill: this.#standstill.longest() }),
      throttleEvents: difference(beginning.throttleEvents, readThrottleEvents(this.#files)),
      costMs: beginning.costMs + cpuMsSince(cpu),
    };
  }

  collect(): EnvironmentReading {
    if (this.#reading === null) throw new Error('environment: collect() comes after stop()');
    return this.#reading;
  }

  detach(): void {
    this.#standstill?.detach();
  }

  /** Where no process is told, the session's part is not known; only Linux tells what a hypervisor took. */
  #knownShares(
    { foreignShare, stealShare }: ReturnType<typeof computeShares>,
    { everybody }: Beginning,
  ): ReturnType<typeof computeShares> {
    return {
      foreignShare: everybody.size === 0 ? null : foreignShare,
      stealShare: this.#isLinux ? stealShare : null,
    };
  }

  #begin(): Beginning {
    const cpu = process.cpuUsage();
    // Before the session's processes: elsewhere than on Linux this look finds both.
    const everybody = readAllTimes(this.#files);
    return {
      surroundings: readSurroundings(this.#files),
      throttleEvents: readThrottleEvents(this.#files),
      processes: readProcessTimes(this.#files, this.#session.processTree()),
      everybody,
      startTick: readStartTick(this.#files, this.#msPerTick),
      costMs: cpuMsSince(cpu),
      // From here on the shares are counted.
      farmCpu: process.cpuUsage(),
      cores: this.#cores(),
      atNs: process.hrtime.bigint(),
    };
  }

  #cores(): readonly CoreTicks[] {
    return parseStat(this.#files.read('/proc/stat') ?? '');
  }

  /** Looked for only where there is something to name: it reads a file of every process. */
  #neighbours(
    foreignShare: number | null,
    { lastedMs, after }: Use,
    { everybody, startTick }: Beginning,
  ): Pick<EnvironmentReading, 'neighbours'> {
    if (foreignShare === null || foreignShare < foreignLimits(after.length).caution) return {};
    const capacityTicks = (lastedMs * after.length) / this.#msPerTick;
    const own = this.#session.processTree();
    const seen = { before: everybody, startTick, capacityTicks, own };
    return { neighbours: neighboursSince(seen, this.#files) };
  }

  #sessionMs({ processes, startTick }: Beginning): number {
    if (!this.#isLinux) this.#files.list('/proc');
    const after = readProcessTimes(this.#files, this.#session.processTree());
    return usageBetween({ before: processes, after, startTick }).reduce(
      (sum, used) => sum + (used.ownTicks + used.endedChildrenTicks) * this.#msPerTick,
      0,
    );
  }
}

export interface Use {
  readonly before: readonly CoreTicks[];
  readonly after: readonly CoreTicks[];
  readonly lastedMs: number;
  /** CPU time of the session and of the farm's own process. */
  readonly knownMs: number;
}

/** Foreign = busy − the session − the farm, and never below 0: the parts are rounded. */
export function computeShares(
  use: Use,
  msPerTick: number,
): Pick<EnvironmentReading, 'foreignShare' | 'stealShare'> {
  const capacityMs = use.lastedMs * use.after.length;
  if (capacityMs === 0 || use.lastedMs < shortestTicks * msPerTick) {
    return { foreignShare: null, stealShare: null };
  }
  const grown = (counter: 'busy' | 'steal'): number =>
    (sumOf(use.after, counter) - sumOf(use.before, counter)) * msPerTick;
  return {
    foreignShare: share(grown('busy') - use.knownMs, capacityMs),
    stealShare: share(grown('steal'), capacityMs),
  };
}

function sumOf(cores: readonly CoreTicks[], counter: 'busy' | 'steal'): number {
  return cores.reduce((sum, core) => sum + core[counter], 0);
}

/** Between 0 and 1: a tick that began before can push a sum over its capacity. */
function share(part: number, whole: number): number {
  return Math.min(1, Math.max(0, part / whole));
}

export function readSurroundings(files: SystemFiles): Surroundings {
  return {
    load1: parseLoadavg(files.read('/proc/loadavg') ?? '')?.load1 ?? null,
    cpuPressure: parsePressure(files.read('/proc/pressure/cpu') ?? '')?.some10 ?? null,
    freeMemoryBytes: parseMeminfo(files.read('/proc/meminfo') ?? '').availableBytes,
    governor: files.read(`${frequencyFolder}/scaling_governor`)?.trim() ?? null,
  };
}

/** Kernel: Documentation/admin-guide/pm/cpufreq.rst. The first core stands for all. */
const frequencyFolder = '/sys/devices/system/cpu/cpu0/cpufreq';

/** From cpufreq (in kHz) where the kernel has it, else from /proc/cpuinfo. */
export function readFrequencyMhz(files: SystemFiles): number | null {
  const khz = Number(files.read(`${frequencyFolder}/scaling_cur_freq`) ?? Number.NaN);
  if (khz > 0) return khz / 1000;
  return parseFrequencyMhz(files.read('/proc/cpuinfo') ?? '');
}

/**
 * Times that cores were slowed down because of heat, of the core itself and of its package, since
 * boot. Kernel: Documentation/ABI/testing/sysfs-devices-system-cpu, `thermal_throttle`; only
 * processors of Intel and AMD have it, and virtual machines do not show it.
 */
function readThrottleEvents(files: SystemFiles): number | null {
  const folder = '/sys/devices/system/cpu';
  const counts = files
    .list(folder)
    .filter((name) => /^cpu\d+$/.test(name))
    .flatMap((core) => ['core', 'package'].map((part) => `${core}/thermal_throttle/${part}`))
    .flatMap((counter) => files.read(`${folder}/${counter}_throttle_count`) ?? []);
  return counts.length === 0 ? null : counts.reduce((sum, text) => sum + Number(text), 0);
}

function difference(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before;
}

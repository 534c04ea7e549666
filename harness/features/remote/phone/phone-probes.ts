import type {
  CoreReading,
  EnvironmentReading,
  PhoneFacts,
  ProbeName,
  Reading,
  ThreadReading,
} from '../../../core/model/reading.ts';
import { type CoreTicks, parseLoadavg } from '../../../core/procfs.ts';
import { computeShares } from '../../../core/probes/environment.ts';
import type { AttachedProbe, Probe } from '../../../core/probes/probe.ts';
import type { PhoneState } from './dumpsys.ts';
import {
  type PhoneWindow,
  type TickPoint,
  findInstant,
  msPerTick,
  ticksAt,
} from './phone-clock.ts';
import type { SampleDump } from './sample-parser.ts';
import type { KeptSamples, SampleStream } from './sample-stream.ts';
import { sampleMs } from './sampling-script.ts';
import { type ThreadSetting, threadTotals } from './thread-totals.ts';

interface PhoneProbeOptions {
  readonly stream: SampleStream;
  readonly browser: string;
  readonly app: string;
  /** How the phone was before the trial; null where it was not asked. */
  readonly state: () => PhoneState | null;
}

/**
 * The probes of a browser on a phone: the readings of this machine's own, from one shell on the
 * phone. It begins to sample with the first that is attached, and ends with the last.
 */
export function phoneProbes(options: PhoneProbeOptions): readonly Probe[] {
  const watch = new SharedWatch(options);
  const names: readonly ProbeName[] = ['environment', 'cpu-thread', 'cpu-core'];
  return names.map((name) => ({
    name,
    supports: () => ({ supported: true }),
    attach: () => attachTo(watch, name),
  }));
}

function attachTo(watch: SharedWatch, name: ProbeName): AttachedProbe {
  watch.join();
  let isHere = true;
  return {
    start: () => {
      watch.start();
    },
    stop: () => {
      watch.stop();
    },
    arrived: () => watch.arrived(),
    collect: () => watch.collect(name),
    detach: () => {
      if (isHere) watch.leave();
      isHere = false;
    },
  };
}

interface Instant {
  /** By this machine's clock. */
  readonly atMs: number;
}

/** One watch of one window, which several probes share: the first to come begins and ends it. */
class SharedWatch {
  readonly #options: PhoneProbeOptions;
  #users = 0;
  #started: Instant | null = null;
  #stopped: Instant | null = null;
  #readings: PhoneReadings | string | null = null;

  constructor(options: PhoneProbeOptions) {
    this.#options = options;
  }

  join(): void {
    if (this.#users === 0) this.#begin();
    this.#users += 1;
  }

  leave(): void {
    this.#users -= 1;
    // A trial that failed in its window has not stopped it.
    if (this.#users === 0 && this.#stopped === null) this.#options.stream.stop();
  }

  start(): void {
    // Of a second window the first one's end is known: the others then begin it together, too.
    if (this.#stopped !== null) this.#begin();
    if (this.#started !== null) return;
    this.#started = { atMs: performance.now() };
    this.#options.stream.mark();
  }

  stop(): void {
    if (this.#stopped !== null) return;
    this.#stopped = { atMs: performance.now() };
    this.#options.stream.stop();
  }

  arrived(): Promise<void> {
    return this.#options.stream.stopped();
  }

  collect(name: ProbeName): Reading {
    const readings = (this.#readings ??= this.#read());
    if (typeof readings === 'string') return { probe: name, notSupported: readings };
    switch (name) {
      case 'cpu-core':
        return readings.cores;
      case 'cpu-thread':
        return readings.threads;
      default:
        return readings.environment;
    }
  }

  #begin(): void {
    this.#started = null;
    this.#stopped = null;
    this.#readings = null;
    this.#options.stream.begin();
  }

  #read(): PhoneReadings | string {
    const { stream, browser, app, state } = this.#options;
    if (this.#started === null || this.#stopped === null) {
      throw new Error('phone: collect() comes after stop()');
    }
    const { offsetMs, errorMs } = stream.alignment();
    const window = {
      fromMs: this.#started.atMs + offsetMs,
      toMs: this.#stopped.atMs + offsetMs,
    };
    const phone = { ...factsOf(state()), ...clockFacts(offsetMs, errorMs) };
    return phoneReadings({ kept: stream.kept(), window, browser, app, phone });
  }
}

/** Our own clock here counts from the farm's start; what is stored is against that of the machine. */
function clockFacts(
  offsetMs: number,
  errorMs: number,
): Pick<PhoneFacts, 'clockOffsetMs' | 'clockErrorMs'> {
  const sinceBootMs = Number(process.hrtime.bigint()) / 1e6;
  const clockOffsetMs = offsetMs + performance.now() - sinceBootMs;
  return { clockOffsetMs, clockErrorMs: errorMs };
}

function factsOf(state: PhoneState | null): Omit<PhoneFacts, 'clockOffsetMs' | 'clockErrorMs'> {
  return {
    batteryPercent: state?.batteryPercent ?? null,
    powered: state?.powered ?? null,
    batteryCelsius: state?.batteryCelsius ?? null,
    thermalStatus: state?.thermalStatus ?? null,
  };
}

export interface PhoneReadings {
  readonly cores: CoreReading;
  readonly threads: ThreadReading;
  readonly environment: EnvironmentReading;
}

interface ReadingParts extends ThreadSetting {
  readonly kept: KeptSamples;
  readonly window: PhoneWindow;
  readonly phone: PhoneFacts;
}

/**
 * The dumps of a phone as readings of the timed window, in the form of this machine's. At the window's
 * edges counters are taken between the two nearest dumps, one of which was asked for when the window
 * began or ended, so it lies within some milliseconds.
 * @returns half a sentence where they say nothing.
 */
export function phoneReadings(parts: ReadingParts): PhoneReadings | string {
  const { kept, window } = parts;
  const [first] = kept.dumps;
  const last = kept.dumps.at(-1);
  if (first?.word !== 'go' || findInstant(first) > window.fromMs) {
    return 'the phone was not yet watched when the timed window began';
  }
  if (last?.word !== 'stop') return 'the last reading of the phone did not come in time';
  const wallMs = window.toMs - window.fromMs;
  return {
    cores: coreReading(kept.dumps, window),
    // One shell reads everything: what it costs stands with the cores.
    threads: { probe: 'cpu-thread', wallMs, ...threadTotals(parts), costMs: 0 },
    environment: environmentReading(parts, { first, last }),
  };
}

function coreReading(dumps: readonly SampleDump[], { fromMs, toMs }: PhoneWindow): CoreReading {
  const ids = (dumps[0]?.cores ?? []).map(({ core }) => core);
  const points = corePoints(dumps, ids);
  const start = ticksAt(points, fromMs) ?? [];
  const inside = points.map(({ atMs }) => atMs).filter((atMs) => atMs > fromMs && atMs < toMs);
  const snapshots = [fromMs, ...inside, toMs].map((atMs) => {
    const grown = (ticksAt(points, atMs) ?? start).map((ticks, index) =>
      Math.max(0, (ticks - (start[index] ?? ticks)) * msPerTick),
    );
    return {
      atMs: atMs - fromMs,
      busyMs: grown.slice(0, ids.length),
      stealMs: grown.slice(ids.length),
    };
  });
  return {
    probe: 'cpu-core',
    wallMs: toMs - fromMs,
    intervalMs: sampleMs,
    snapshots,
    costMs: ownCostMs(dumps, { fromMs, toMs }),
  };
}

/** Busy ticks of every core, then stolen ones. A core that is switched off keeps what it had. */
function corePoints(dumps: readonly SampleDump[], ids: readonly number[]): readonly TickPoint[] {
  const known = new Map<number, CoreTicks>();
  return dumps.map((dump) => {
    for (const core of dump.cores) known.set(core.core, core);
    const of = (counter: 'busy' | 'steal'): readonly number[] =>
      ids.map((id) => known.get(id)?.[counter] ?? 0);
    return { atMs: findInstant(dump), ticks: [...of('busy'), ...of('steal')] };
  });
}

/** Of the shell on the phone, with the programs that it started. */
function ownCostMs(dumps: readonly SampleDump[], { fromMs, toMs }: PhoneWindow): number {
  const points = dumps.flatMap((dump) => {
    const { own } = dump;
    return own === null
      ? []
      : [{ atMs: findInstant(dump), ticks: [own.ownTicks + own.childTicks] }];
  });
  const [before = 0] = ticksAt(points, fromMs) ?? [];
  const [after = before] = ticksAt(points, toMs) ?? [];
  return Math.max(0, after - before) * msPerTick;
}

interface Ends {
  readonly first: SampleDump;
  readonly last: SampleDump;
}

function environmentReading(
  { kept: { facts }, phone }: ReadingParts,
  { first, last }: Ends,
): EnvironmentReading {
  const known = knownTicks(last, first) * msPerTick;
  const lastedMs = last.atMs - first.atMs;
  const use = { before: first.cores, after: last.cores, lastedMs, knownMs: known };
  const kilobytes = numberOf(facts.get('available'));
  const khz = numberOf(facts.get('khz'));
  return {
    probe: 'environment',
    load1: parseLoadavg(facts.get('loadavg') ?? '')?.load1 ?? null,
    cpuPressure: null,
    freeMemoryBytes: kilobytes === null ? null : kilobytes * 1024,
    governor: facts.get('governor') ?? null,
    frequencyMhz: khz === null ? null : khz / 1000,
    ...computeShares(use, msPerTick),
    throttleEvents: null,
    costMs: 0,
    phone,
  };
}

function numberOf(text: string | undefined): number | null {
  const value = Number(text ?? Number.NaN);
  return Number.isFinite(value) ? value : null;
}

/** CPU time of app and sampler between two dumps; a new process is counted from 0. */
function knownTicks(last: SampleDump, first: SampleDump): number {
  const used = ({ ownTicks, childTicks }: { ownTicks: number; childTicks: number }): number =>
    ownTicks + childTicks;
  const own = last.own !== null && first.own !== null ? used(last.own) - used(first.own) : 0;
  const app = [...(last.processes ?? [])].reduce((sum, [pid, { process }]) => {
    const before = first.processes?.get(pid)?.process;
    const known = before?.startTick === process.startTick ? before.ownTicks : 0;
    return sum + Math.max(0, process.ownTicks - known);
  }, 0);
  return own + app;
}

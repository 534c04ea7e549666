import type { PhoneFacts, ProbeName, Reading } from '../../../model/reading.ts';
import type { AttachedProbe, Probe } from '../../probe.ts';
import type { PhoneState } from './dumpsys.ts';
import { phoneReadings, type PhoneReadings } from './phone-readings.ts';
import type { SampleStream } from './sample-stream.ts';

export interface PhoneProbeOptions {
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
  /** Of our own clock. */
  readonly atMs: number;
}

/** One watch of one window, which several probes share: whoever comes first begins and ends it. */
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

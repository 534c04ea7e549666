import { errorText } from '../errors.ts';
import type { NotSupported, ProbeName, Reading } from '../model/reading.ts';
import type { AttachedProbe, Probe } from '../probes/probe.ts';
import type { OwnClock } from './own-clock.ts';
import type { RunnerSession } from './session-keeper.ts';

/** One probe at work. A failure costs its reading, and nothing else. */
interface Watching {
  readonly name: ProbeName;
  readonly probe: AttachedProbe;
  /** The reason why its reading is missing. */
  lost: string | null;
}

/**
 * Stands between the page's marks and the probes. A trial is what its page measured: a probe that
 * throws loses its reading, which says why, and the trial and the other readings stay.
 */
export class ProbeWatch {
  readonly clock: OwnClock;
  private watchedBefore = false;
  private watching: Watching[] = [];
  private readings: Reading[] = [];
  private readonly failures = new Set<string>();
  private readonly probes: readonly Probe[];
  private readonly browser: string;
  private readonly session: RunnerSession;

  constructor(
    probes: readonly Probe[],
    browser: string,
    { session, clock }: { readonly session: RunnerSession; readonly clock: OwnClock },
  ) {
    this.clock = clock;
    this.probes = probes;
    this.browser = browser;
    this.session = session;
  }

  /** Called while the page warms up, so that finding the process tree costs the window nothing. */
  attach(): void {
    this.clock.watch();
    const watched = { browser: this.browser, processTree: () => this.session.processTree() };
    for (const wanted of this.probes) {
      const { name } = wanted;
      try {
        const probe = this.probeThere(wanted);
        if (typeof probe === 'string') this.readings.push({ probe: name, notSupported: probe });
        else this.watching.push({ name, probe: probe.attach(watched), lost: null });
      } catch (error) {
        this.readings.push(this.lose(name, 'attach', error));
      }
    }
  }

  private attachAnew(): void {
    for (const failure of this.detach()) this.failures.add(failure);
    this.watching = [];
    this.readings = [];
    this.attach();
  }

  /**
   * The probe that sees the browser, or why none does. Readings of this machine say nothing of a
   * remote browser.
   */
  private probeThere(wanted: Probe): Probe | string {
    const { unseen, probes } = this.session;
    const own = probes?.find(({ name }) => name === wanted.name);
    if (own === undefined && unseen !== undefined) return unseen;
    const probe = own ?? wanted;
    const support = probe.supports();
    return support.supported ? probe : support.because;
  }

  /** For each window: a page announces another one where the speed changed in the one before. */
  onStart(): void {
    if (this.watchedBefore) this.attachAnew();
    this.watchedBefore = true;
    this.clock.start();
    for (const one of this.watching) this.guard(one, 'start');
  }

  onEnd(): void {
    this.clock.end();
    for (const one of this.watching.toReversed()) this.guard(one, 'stop');
  }

  async collect(): Promise<readonly Reading[]> {
    const collected = await Promise.all(this.watching.map((one) => this.collectFrom(one)));
    return [...this.readings, ...collected];
  }

  /** @returns what went wrong, in sentences: it changes no outcome. */
  detach(): readonly string[] {
    this.clock.stop();
    for (const { name, probe } of this.watching.toReversed()) {
      try {
        probe.detach();
      } catch (error) {
        this.failures.add(`a probe could not be detached (${name}): ${errorText(error)}`);
      }
    }
    return [...this.failures];
  }

  private guard(one: Watching, what: 'start' | 'stop'): void {
    if (one.lost !== null) return;
    try {
      one.probe[what]();
    } catch (error) {
      one.lost = this.lose(one.name, what, error).notSupported;
    }
  }

  private async collectFrom({ name, probe, lost }: Watching): Promise<Reading> {
    if (lost !== null) return { probe: name, notSupported: lost };
    try {
      await probe.arrived?.();
      return probe.collect();
    } catch (error) {
      return this.lose(name, 'collect', error);
    }
  }

  private lose(name: ProbeName, what: string, error: unknown): NotSupported {
    const why = `it failed (${what}): ${errorText(error)}`;
    this.failures.add(`the probe ${name} gave no reading of a trial: ${why}`);
    return { probe: name, notSupported: why.slice(0, longestReason) };
  }
}

/** Exported runs and bundles take no more. */
const longestReason = 1_000;

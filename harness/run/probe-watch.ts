import { errorText } from '../errors.ts';
import type { Reading } from '../model/reading.ts';
import type { AttachedProbe, Probe } from '../probes/probe.ts';
import type { OwnClock } from './own-clock.ts';
import type { RunnerSession } from './session-keeper.ts';

/**
 * Stands between the page's marks and the probes. A probe that throws spoils the trial's readings,
 * so the trial fails by name instead of being stored half-watched.
 */
export class ProbeWatch {
  failure: string | null = null;
  readonly clock: OwnClock;
  private watchedBefore = false;
  private attached: AttachedProbe[] = [];
  private readings: Reading[] = [];
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
    for (const wanted of this.probes) {
      const probe = this.probeThere(wanted);
      if (typeof probe === 'string') {
        this.readings.push({ probe: wanted.name, notSupported: probe });
        continue;
      }
      this.guard(probe.name, () => {
        const watched = { browser: this.browser, processTree: () => this.session.processTree() };
        this.attached.push(probe.attach(watched));
      });
    }
  }

  private attachAnew(): void {
    const [failure] = this.detach();
    if (failure !== undefined) this.failure ??= failure;
    this.attached = [];
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

  /** Of each window anew: a page announces another one where the speed changed in the one before. */
  onStart(): void {
    if (this.watchedBefore) this.attachAnew();
    this.watchedBefore = true;
    this.clock.start();
    for (const probe of this.attached)
      this.guard('start', () => {
        probe.start();
      });
  }

  onEnd(): void {
    this.clock.end();
    for (const probe of this.attached.toReversed())
      this.guard('stop', () => {
        probe.stop();
      });
  }

  async collect(): Promise<readonly Reading[]> {
    await Promise.all(this.attached.map((probe) => probe.arrived?.()));
    return [...this.readings, ...this.attached.map((probe) => probe.collect())];
  }

  /** @returns what could not be detached: the readings are taken by then, so no trial fails of it. */
  detach(): readonly string[] {
    this.clock.stop();
    return this.attached.toReversed().flatMap((probe) => {
      try {
        probe.detach();
        return [];
      } catch (error) {
        return [`a probe could not be detached: ${errorText(error)}`];
      }
    });
  }

  private guard(what: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.failure ??= `${what}: ${errorText(error)}`;
    }
  }
}

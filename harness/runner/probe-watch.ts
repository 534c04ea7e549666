import type { Reading } from '../model/reading.ts';
import type { AttachedProbe, Probe } from '../probes/probe.ts';
import type { OpenSession } from './session-keeper.ts';

/**
 * Stands between the page's marks and the probes. A probe that throws spoils the trial's readings,
 * so the trial fails by name instead of being stored half-watched.
 */
export class ProbeWatch {
  failure: string | null = null;
  private readonly attached: AttachedProbe[] = [];
  private readonly readings: Reading[] = [];
  private readonly probes: readonly Probe[];
  private readonly browser: string;
  private readonly session: OpenSession;

  constructor(probes: readonly Probe[], browser: string, session: OpenSession) {
    this.probes = probes;
    this.browser = browser;
    this.session = session;
  }

  /** Called while the page warms up, so that finding the process tree costs the window nothing. */
  attach(): void {
    for (const asked of this.probes) {
      const probe = this.remoteProbe(asked) ?? asked;
      const because = this.reasonAgainst(probe);
      if (because !== null) {
        this.readings.push({ probe: probe.name, notSupported: because });
        continue;
      }
      this.guard(probe.name, () => {
        const watched = { browser: this.browser, processTree: () => this.session.processTree() };
        this.attached.push(probe.attach(watched));
      });
    }
  }

  /** What gives the same reading of the machine or phone on which the browser is. */
  private remoteProbe({ name }: Probe): Probe | undefined {
    return this.session.probes?.find((one) => one.name === name);
  }

  /** What a probe reads of this machine says nothing of a browser elsewhere. */
  private reasonAgainst(probe: Probe): string | null {
    const isRemote = this.session.probes?.includes(probe) ?? false;
    if (this.session.unseen !== undefined && !isRemote) return this.session.unseen;
    const support = probe.supports();
    return support.supported ? null : support.because;
  }

  onStart(): void {
    for (const probe of this.attached)
      this.guard('start', () => {
        probe.start();
      });
  }

  onEnd(): void {
    for (const probe of this.attached.toReversed())
      this.guard('stop', () => {
        probe.stop();
      });
  }

  /** Waits for what is still under way from another machine; never long, and never rejects. */
  async settle(): Promise<void> {
    await Promise.all(this.attached.map((probe) => probe.settle?.()));
  }

  collect(): readonly Reading[] {
    return [...this.readings, ...this.attached.map((probe) => probe.collect())];
  }

  /** @returns what could not be detached: the readings are taken by then, so no trial fails of it. */
  detach(): readonly string[] {
    return this.attached.toReversed().flatMap((probe) => {
      try {
        probe.detach();
        return [];
      } catch (error) {
        return [`a probe could not be detached: ${wordsOf(error)}`];
      }
    });
  }

  private guard(what: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.failure ??= `${what}: ${wordsOf(error)}`;
    }
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

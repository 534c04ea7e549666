import type { Assignment } from '../../pages/protocol.d.ts';
import { DriverError } from '../../drivers/driver.ts';
import type { Metric } from '../model/case.ts';
import type { Target } from '../model/device.ts';
import { judgeEnvironment } from '../model/environment-limits.ts';
import type { Job, Plan } from '../model/plan.ts';
import type { Reading } from '../model/reading.ts';
import type { Failure, Outcome } from '../model/trial.ts';
import type { AttachedProbe, Probe } from '../probes/probe.ts';
import type { PageOutcome, PageServer } from '../server/page-server.ts';
import type { LiveSession } from '../session/session.ts';
import { undeclared } from './declared-metrics.ts';
import { DeadlinePassed, within } from './deadline.ts';
import type { Limits } from './limits.ts';

export type AttemptOutcome =
  | Extract<Outcome, { kind: 'completed' }>
  | { readonly kind: 'failed' | 'timed-out'; readonly failure: Failure };

export interface AttemptSetting {
  readonly plan: Plan;
  readonly target: Target;
  readonly session: LiveSession;
  readonly server: PageServer;
  readonly probes: readonly Probe[];
  readonly limits: Limits;
  /** Takes sentences about what the attempt left behind; its outcome is not changed by them. */
  readonly complain: (sentence: string) => void;
  readonly signal: AbortSignal;
}

/**
 * One try at one trial in a session that is already open: issue a token, open the page, let the
 * probes watch its timed window, take what it posts.
 * @throws only the signal's reason; every other ending is an outcome.
 */
export async function attemptTrial(job: Job, setting: AttemptSetting): Promise<AttemptOutcome> {
  const { server, session, signal } = setting;
  const watch = new ProbeWatch(setting.probes, setting.target.browser.name, session);
  const ticket = server.issue(pagePath(job), assignmentOf(job, setting.plan), watch);
  try {
    await session.open(ticket.url, { signal, timeoutMs: setting.limits.loadMs });
    const ended = session.ended.then((why) => Promise.reject(new DriverError('browser-died', why)));
    const died = ended as Promise<never>;
    died.catch(() => undefined);
    await within(Promise.race([ticket.begun, ticket.outcome, died]), {
      what: 'Loading the page',
      ms: setting.limits.loadMs,
      signal,
    });
    watch.attach();
    const outcome = await within(Promise.race([ticket.outcome, died]), {
      what: 'The trial',
      ms: setting.limits.trialMs,
      signal,
    });
    return conclude(outcome, { watch, metrics: job.case.benchmark.metrics });
  } catch (error) {
    signal.throwIfAborted();
    return failureOf(error);
  } finally {
    ticket.revoke();
    for (const failure of watch.detach()) setting.complain(failure);
  }
}

function pagePath(job: Job): string {
  return `${job.case.benchmark.id}/${job.case.benchmark.page}`;
}

function assignmentOf(job: Job, plan: Plan): Assignment {
  return {
    protocol: 1,
    benchmark: job.case.benchmark.id,
    parameters: job.case.parameters,
    measurement: plan.measurement,
  };
}

interface Conclusion {
  readonly watch: ProbeWatch;
  readonly metrics: readonly Metric[];
}

function conclude(outcome: PageOutcome, { watch, metrics }: Conclusion): AttemptOutcome {
  switch (outcome.kind) {
    case 'result': {
      const strange = undeclared(outcome.result, metrics);
      if (strange !== null) return failed('bad-message', strange);
      if (watch.failure) return failed('probe-failed', watch.failure);
      const readings = watch.collect();
      const quarantine = judgeEnvironment(readings);
      return { kind: 'completed', result: outcome.result, readings, quarantine };
    }
    case 'error': {
      const { phase, message } = outcome.error;
      return failed(phase === 'check' ? 'wrong-result' : 'page-error', `${phase}: ${message}`);
    }
    case 'bad-message':
      return failed('bad-message', outcome.message);
  }
}

function failed(code: Failure['code'], message: string): AttemptOutcome {
  return { kind: 'failed', failure: { code, message } };
}

/** What an exception of a driver or a deadline says of the trial. */
export function failureOf(error: unknown): AttemptOutcome {
  const message = wordsOf(error);
  if (error instanceof DeadlinePassed) {
    return { kind: 'timed-out', failure: { code: 'timed-out', message } };
  }
  if (!(error instanceof DriverError)) return failed('farm-error', message);
  if (error.code === 'timed-out') {
    return { kind: 'timed-out', failure: { code: 'timed-out', message } };
  }
  return failed(error.code === 'not-supported' ? 'launch-failed' : error.code, message);
}

/**
 * Stands between the page's marks and the probes. A probe that throws spoils the trial's readings,
 * so the trial fails by name instead of being stored half-watched.
 */
class ProbeWatch {
  failure: string | null = null;
  private readonly attached: AttachedProbe[] = [];
  private readonly readings: Reading[] = [];
  private readonly probes: readonly Probe[];
  private readonly browser: string;
  private readonly session: LiveSession;

  constructor(probes: readonly Probe[], browser: string, session: LiveSession) {
    this.probes = probes;
    this.browser = browser;
    this.session = session;
  }

  /** Called while the page warms up, so that finding the process tree costs the window nothing. */
  attach(): void {
    for (const probe of this.probes) {
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

  /** What a probe reads of this machine says nothing of a browser elsewhere. */
  private reasonAgainst(probe: Probe): string | null {
    if (this.session.unseen !== undefined) return this.session.unseen;
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

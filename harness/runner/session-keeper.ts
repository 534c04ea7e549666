import type { Target } from '../model/device.ts';
import type { Job } from '../model/plan.ts';
import type { Probe } from '../probes/probe.ts';
import type { PageServer } from '../server/page-server.ts';
import type { LiveSession } from '../session/session.ts';

/** A session with what it has of its own, because its browser is on another machine. */
export interface RunnerSession extends LiveSession {
  /** Serves the pages where its browser reaches them; the run's server when left out. */
  readonly server?: PageServer;
  /** Those that see its browser, in place of the run's probes of the same names. */
  readonly probes?: readonly Probe[];
}

/** Starts a target's browser; with a path it writes its trace there when it ends. */
export type SessionStarter = (target: Target, trace?: string) => Promise<RunnerSession>;

/**
 * Holds the one session that is open. Consecutive jobs with one session key share it;
 * anything else, and any failure, ends it first. Browsers never run beside each other.
 */
export class SessionKeeper {
  private current: { readonly key: string; readonly session: RunnerSession } | null = null;
  private readonly start: SessionStarter;
  private readonly complain: (sentence: string) => void;

  constructor(start: SessionStarter, complain: (sentence: string) => void) {
    this.start = start;
    this.complain = complain;
  }

  async take(job: Job, target: Target, trace?: string): Promise<RunnerSession> {
    if (this.current?.key === job.sessionKey) return this.current.session;
    await this.end();
    const session = await this.start(target, trace);
    this.current = { key: job.sessionKey, session };
    return session;
  }

  /** A session that leaves something behind is told, and the run goes on: the next run sweeps it. */
  async end(): Promise<void> {
    const ending = this.current;
    this.current = null;
    try {
      await ending?.session.close();
    } catch (error) {
      this.complain(error instanceof Error ? error.message : String(error));
    }
  }
}

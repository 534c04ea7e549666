import { errorText } from '../errors.ts';
import type { SiteAccess } from '../../../drivers/driver.ts';
import { findExternalPlace } from '../model/case.ts';
import type { Target } from '../model/device.ts';
import type { Job } from '../model/plan.ts';
import type { ClockAlignment } from '../model/trial.ts';
import type { Probe } from '../probes/probe.ts';
import type { PageServer } from '../server/page-server.ts';
import type { LiveSession } from '../session/session.ts';

/** A session with its own server and probes, if its browser is on another machine. */
export interface RunnerSession extends LiveSession {
  /** Serves the pages where its browser reaches them; the run's server when left out. */
  readonly server?: PageServer;
  /** Those that see its browser, in place of the run's probes of the same names. */
  readonly probes?: readonly Probe[];
  /** How the clock of that machine was when the session began. */
  readonly clock?: ClockAlignment;
}

/** A trace that the browser writes when it ends. */
export interface TraceWish {
  /** Absolute path of the file. */
  readonly path: string;
  /** It is for a profile. */
  readonly stacks?: true | undefined;
  /** It is of one page, in a browser that goes on. */
  readonly ofPage?: true | undefined;
}

interface SessionWish {
  readonly trace?: TraceWish | undefined;
  readonly access?: SiteAccess | undefined;
  /** Its pages are opened with a script that comes first. */
  readonly first?: true | undefined;
}

/** Starts a target's browser. */
export type SessionStarter = (target: Target, wish?: SessionWish) => Promise<RunnerSession>;

/**
 * Holds the one session that is open on a machine. Consecutive jobs with one session key share it;
 * anything else, and any failure, ends it first. Browsers never run at the same time there.
 */
export class SessionKeeper {
  private current: { readonly key: string; readonly session: RunnerSession } | null = null;
  private readonly start: SessionStarter;
  private readonly complain: (sentence: string) => void;

  constructor(start: SessionStarter, complain: (sentence: string) => void) {
    this.start = start;
    this.complain = complain;
  }

  /** Ends a session that the job does not share; whether there is one that it does. */
  async makeRoom(job: Job): Promise<boolean> {
    if (this.current?.key === job.sessionKey) return true;
    await this.end();
    return false;
  }

  async take(job: Job, target: Target, trace?: TraceWish): Promise<RunnerSession> {
    if (this.current?.key === job.sessionKey) return this.current.session;
    await this.end();
    const place = findExternalPlace(job.case)?.place;
    const wish = place?.kind === 'url' ? { access: place.access, first: true as const } : {};
    const session = await this.start(target, { trace, ...wish });
    this.current = { key: job.sessionKey, session };
    return session;
  }

  /**
   * Reports a leftover of the session, and lets the run go on: the next run sweeps it. The end of a
   * browser that hangs takes no longer than it must.
   */
  async end({ hangs = false }: { readonly hangs?: boolean } = {}): Promise<void> {
    const ending = this.current;
    this.current = null;
    if (hangs) ending?.session.giveUp?.();
    try {
      await ending?.session.close();
    } catch (error) {
      this.complain(errorText(error));
    }
  }
}

/** The keeper of each machine. */
export class SessionKeepers {
  private readonly keepers = new Map<string, SessionKeeper>();
  private readonly start: SessionStarter;
  private readonly complain: (sentence: string) => void;

  constructor(start: SessionStarter, complain: (sentence: string) => void) {
    this.start = start;
    this.complain = complain;
  }

  of(machine: string): SessionKeeper {
    const keeper = this.keepers.get(machine) ?? new SessionKeeper(this.start, this.complain);
    this.keepers.set(machine, keeper);
    return keeper;
  }

  async end(): Promise<void> {
    await Promise.all(Array.from(this.keepers.values(), (keeper) => keeper.end()));
  }
}

import type { Probe } from '../probes/probe.ts';
import type { TraceFolder } from '../probes/trace.ts';
import type { PageServer } from '../server/page-server.ts';
import type { Limits } from './limits.ts';
import type { RunListener } from './listener.ts';
import type { SessionStarter } from './session-keeper.ts';

/** What the runner needs beside a plan. */
export interface Equipment {
  readonly server: PageServer;
  readonly probes: readonly Probe[];
  readonly startSession: SessionStarter;
  /** Where browsers write their traces; left out when nobody wants them. */
  readonly traces?: TraceFolder;
  readonly limits: Limits;
  readonly listener: RunListener;
  /** Aborting ends the run after at most the trials in flight, which leave no outcome. */
  readonly signal: AbortSignal;
}

import type { TrialResult } from '../../../pages/protocol.d.ts';
import { fastMeasurement } from '../../core/plan/catalog/measurement.ts';
import { rejectOnDeath, within } from '../../core/run/deadline.ts';
import type { Limits } from '../../core/run/limits.ts';
import type { RunnerSession } from '../../core/run/session-keeper.ts';
import type { PageServer } from '../../core/server/page-server.ts';

export type OpenPage = NonNullable<RunnerSession['navigate']>;

interface VisitOptions {
  readonly server: PageServer;
  readonly limits: Pick<Limits, 'loadMs'>;
  readonly signal: AbortSignal;
  /** How the page is asked for; the session opens it when left out. */
  readonly open?: OpenPage | undefined;
}

/** A page that is loaded has answered by then. */
const answerMs = 60_000;

/**
 * Opens the page of the report, and takes what it posts.
 * @throws DriverError, DeadlinePassed, Error with the words of the page, or the signal's reason
 */
export async function visitPage(
  session: RunnerSession,
  { server, limits, signal, open = (url, bounds) => session.open(url, bounds) }: VisitOptions,
): Promise<TrialResult> {
  const assignment = {
    protocol: 1,
    benchmark: 'device-check',
    parameters: {},
    measurement: fastMeasurement,
  } as const;
  const unwatched = { onStart: () => undefined, onEnd: () => undefined };
  const { client, server: own = server } = session;
  const trial = own.issue('device-check/index.html', assignment, unwatched, client);
  try {
    await open(trial.url, { signal, timeoutMs: limits.loadMs });
    const outcome = await within(Promise.race([trial.outcome, rejectOnDeath(session)]), {
      what: 'The page of the report',
      ms: limits.loadMs + answerMs,
      signal,
    });
    switch (outcome.kind) {
      case 'result':
        return outcome.result;
      case 'error':
        throw new Error(`${outcome.error.phase}: ${outcome.error.message}`);
      case 'bad-message':
        throw new Error(outcome.message);
    }
  } finally {
    trial.revoke();
  }
}

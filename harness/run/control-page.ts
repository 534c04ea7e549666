import { errorText } from '../errors.ts';
import type { Target } from '../model/device.ts';
import type { Job } from '../model/plan.ts';
import { controlPage } from '../server/control-page.ts';
import { rejectOnDeath, within } from './deadline.ts';
import { unwatched } from './external-page.ts';
import type { JobSetting } from './job.ts';

type Setting = Pick<JobSetting, 'plan' | 'keeper' | 'backOff' | 'equipment'>;

/**
 * Tries a page of the farm's own in a fresh session, where pages of several benchmarks ended badly: that
 * tells a browser that works no more from pages that no browser survives.
 * @returns why the browser does not open it; null when it does, or the run was aborted.
 */
export async function tryControlPage(
  job: Job,
  target: Target,
  { plan, keeper, backOff, equipment }: Setting,
): Promise<string | null> {
  const { limits, server, signal } = equipment;
  const { measurement } = plan;
  await backOff.wait(job.deviceId, signal);
  if (signal.aborted) return null;
  try {
    const own = { ...job, sessionKey: `${job.sessionKey}/control page` };
    const session = await keeper.take(own, target);
    const assignment = {
      protocol: 1,
      benchmark: controlPage,
      parameters: {},
      measurement,
    } as const;
    const pages = session.server ?? server;
    const page = pages.issue(controlPage, assignment, unwatched, session.client);
    try {
      await session.open(page.url, { signal, timeoutMs: limits.loadMs });
      const opened = Promise.race([page.begun, rejectOnDeath(session)]);
      await within(opened, { what: 'Its page', ms: limits.loadMs, signal });
      return null;
    } finally {
      page.revoke();
    }
  } catch (error) {
    return signal.aborted ? null : errorText(error);
  } finally {
    await keeper.end();
  }
}

import { DriverError } from '../../drivers/driver.ts';
import type { LiveSession } from '../session/session.ts';

/** Rejects when the browser or the page dies; to be raced with what is waited for. */
export function deathOf(session: Pick<LiveSession, 'ended'>): Promise<never> {
  const died = session.ended.then<never>((why) => {
    throw new DriverError('browser-died', why);
  });
  // The race may be over before the browser ends: then it is nobody's business.
  died.catch(() => undefined);
  return died;
}

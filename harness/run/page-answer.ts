import { DriverError } from '../../drivers/driver.ts';
import { errorText } from '../errors.ts';
import type { ExternalPage } from '../model/case.ts';
import type { PageOutcome } from '../server/trial-registry.ts';

/** How the server of a page at a URL answers, and what is said of its address. */

/** What an address is called: a user and password in it are nobody's to read. */
export function withoutCredentials(url: string): string {
  return url.replace(/^(https?:\/\/)[^/?#]*@/i, '$1');
}

/** Drivers name the address that they could not open. */
export function withoutSecret(error: unknown, url: string): unknown {
  if (!(error instanceof DriverError) || withoutCredentials(url) === url) return error;
  return new DriverError(
    error.code,
    errorText(error)
      .replaceAll(url, withoutCredentials(url))
      .replaceAll(new URL(url).href, withoutCredentials(url)),
  );
}

/** The status of its answer, once there is one; 0 where the browser does not tell. */
export const statusOfPage = `(() => {
  const [navigation] = performance.getEntriesByType('navigation');
  if (navigation?.responseStatus > 0) return navigation.responseStatus;
  return document.readyState === 'loading' ? null : 0;
})()`;

interface Told {
  /** By the browser; 0 where it does not tell. */
  readonly told: number;
  readonly signal: AbortSignal;
}

/** An answer that says an error is no page to measure; null for one that is. */
export async function refusalByStatus(
  url: string,
  { acceptStatus = [], discover }: ExternalPage,
  { told, signal }: Told,
): Promise<PageOutcome | null> {
  const isLook = discover !== undefined;
  const status = told === 0 && isLook ? await statusByRequest(url, signal) : told;
  if (status < 400 || acceptStatus.includes(status)) return null;
  const code = String(status);
  const message = `${withoutCredentials(url)} answers ${code}: that is no page to measure (--accept-status ${code}, if it is)`;
  return { kind: 'error', error: { phase: 'load', message } };
}

/** Of a browser that does not tell the status of its page; 0 without an answer. */
async function statusByRequest(url: string, signal: AbortSignal): Promise<number> {
  const { username, password } = new URL(url);
  const user = [username, password].map(decodeURIComponent).join(':');
  const secret = Buffer.from(user).toString('base64');
  const headers = { ...(username !== '' && { authorization: `Basic ${secret}` }) };
  const answer = await fetch(withoutCredentials(url), { headers, signal }).catch(() => null);
  await answer?.body?.cancel();
  signal.throwIfAborted();
  return answer?.status ?? 0;
}

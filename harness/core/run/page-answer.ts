import http from 'node:http';
import https from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { DriverError, type SiteAccess } from '../../../drivers/driver.ts';
import { errorText } from '../errors.ts';
import type { ExternalPage, ExternalPlace } from '../model/case.ts';
import type { PageOutcome } from '../server/trial-registry.ts';

/** The answer of a page's server at a URL, its redirects, and the text of its address. */

/** The printed form of an address: without its user and password. */
export function withoutCredentials(url: string): string {
  return url.replace(/^(https?:\/\/)[^/?#]*@/i, '$1');
}

/** Drivers name the address that they could not open. */
export function withoutSecret(error: unknown): unknown {
  if (!(error instanceof DriverError)) return error;
  const text = errorText(error);
  const clean = text.replace(/(https?:\/\/)[^\s/?#]*@/gi, '$1');
  return clean === text ? error : new DriverError(error.code, clean);
}

/**
 * The browser's facts about the answer, once it arrived; the status is 0 if unknown. By WebDriver
 * the navigation may not have begun yet.
 */
export const answerOfPage = `(() => {
  if (document.URL === 'about:blank') return null;
  const [navigation] = performance.getEntriesByType('navigation');
  const { responseStatus = 0, name = '' } = navigation ?? {};
  if (responseStatus === 0 && document.readyState === 'loading') return null;
  const address = /^https?:/.test(name) ? name : document.URL;
  return { status: responseStatus, address };
})()`;

export interface PageAnswer {
  readonly status: number;
  /** The address after redirects, before the page changed it. */
  readonly address: string;
}

/** A page's answer is hostile until it is parsed. */
export function parseAnswer(told: unknown): PageAnswer {
  const { status, address } = Object(told) as Readonly<Record<string, unknown>>;
  return { status: Number(status) || 0, address: String(address) };
}

export type UrlPlace = Extract<ExternalPlace, { kind: 'url' }>;

interface ToldStatus {
  /** By the browser; 0 where it does not tell. */
  readonly told: number;
  readonly signal: AbortSignal;
}

/** Refuses a page whose answer is an error; null for a usable one. */
export async function refusalByStatus(
  place: UrlPlace,
  { acceptStatus = [], discover }: ExternalPage,
  { told, signal }: ToldStatus,
): Promise<PageOutcome | null> {
  const isLook = discover !== undefined;
  const asked = told === 0 && isLook ? await statusByRequest(place, signal) : told;
  if (typeof asked === 'string') return untrusted(place, asked);
  const status = asked;
  if (status < 400 || acceptStatus.includes(status)) return null;
  const code = String(status);
  const remedy =
    status === 401 ? '--basic-auth user:password' : `--accept-status ${code}, if it is`;
  return asError(
    `${withoutCredentials(place.url)} answers ${code}: that is no page to measure (${remedy})`,
  );
}

function untrusted({ url }: UrlPlace, why: string): PageOutcome {
  return asError(`${withoutCredentials(url)} has a certificate that is not trusted: ${why}`);
}

/** A browser that has told nothing by then may be one that shows nothing of a certificate. */
const silentMs = 8_000;

/** Why a browser tells nothing of a page, as far as its certificate is why; else it never resolves. */
export async function whySilent(place: UrlPlace, signal: AbortSignal): Promise<PageOutcome> {
  const why = await pause(silentMs, undefined, { signal, ref: false })
    .then(() => statusByRequest(place, signal))
    // The page was there in time.
    .catch(() => 0);
  return typeof why === 'string' ? untrusted(place, why) : new Promise(() => undefined);
}

const mostRedirects = 10;

/**
 * Requests the status for a browser that does not tell it; 0 without an answer, and a sentence for
 * a bad certificate, where browsers show their own page.
 */
async function statusByRequest(
  { url, access }: UrlPlace,
  signal: AbortSignal,
): Promise<number | string> {
  const { username, password } = new URL(url);
  const user = { name: decodeURIComponent(username), password: decodeURIComponent(password) };
  const own = access ?? { origin: new URL(url).origin, ...(username !== '' && { user }) };
  let address = new URL(withoutCredentials(url));
  for (let redirects = 0; redirects < mostRedirects; redirects += 1) {
    const isOurs = address.origin === own.origin;
    const answer = await ask(address, {
      ...(isOurs && collectSecrets(own)),
      rejectUnauthorized: own.certificates !== 'any',
      signal,
    }).catch((error: unknown) => (isUntrusted(error) ? errorText(error) : null));
    signal.throwIfAborted();
    if (typeof answer === 'string') return answer;
    const { status = 0, location } = answer ?? {};
    if (status < 300 || status > 399 || location === undefined) return status;
    address = new URL(location, address);
  }
  return 0;
}

function collectSecrets({ headers, cookies = {}, user }: SiteAccess): https.RequestOptions {
  const pairs = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  return {
    headers: { ...headers, ...(pairs.length > 0 && { cookie: pairs.join('; ') }) },
    ...(user && { auth: `${user.name}:${user.password}` }),
  };
}

interface Answer {
  readonly status: number | undefined;
  readonly location: string | undefined;
}

function isUntrusted(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return /CERT|SIGNATURE/.test(code);
}

function ask(address: URL, options: https.RequestOptions): Promise<Answer> {
  const { get } = address.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const request = get(address, options, ({ statusCode, headers }) => {
      request.destroy();
      resolve({ status: statusCode, location: headers.location });
    });
    request.once('error', reject);
  });
}

function asError(message: string): PageOutcome {
  return { kind: 'error', error: { phase: 'load', message } };
}

/** Longest host and path, in characters. */
const longestPath = 90;

/** Host and path of an address, as they are compared and shown. */
export function shortenAddress(address: string): string {
  if (!URL.canParse(address)) return '';
  const { host, pathname } = new URL(address);
  return `${host}${pathname}`.slice(0, longestPath);
}

/** The reason why the browser shows its own page in place of this one; null where it does not. */
export function refusalByAddress({ url }: UrlPlace, address: string): PageOutcome | null {
  if (/^https?:/.test(address)) return null;
  return asError(
    `${withoutCredentials(url)} cannot be opened: the browser shows an error of its own instead (no answer, or a certificate that is not trusted)`,
  );
}

/** Why a page is another than the first look saw, by where its server led; null where it is not. */
export function refusalByPath({ url, leadsTo }: UrlPlace, address: string): PageOutcome | null {
  const path = shortenAddress(address);
  if (leadsTo === undefined || leadsTo.some((one) => isSamePath(one, path))) return null;
  const led = `${withoutCredentials(url)} led to ${path}`;
  return asError(`${led}, and the first look to ${leadsTo.join(' and ')}: that is another page`);
}

/** Sessions have ids in paths, and servers numbers in their names, which are others each time. */
function isSamePath(one: string, other: string): boolean {
  return withoutIds(one) === withoutIds(other);
}

function withoutIds(path: string): string {
  const [host = '', ...names] = path
    .replace(/;[^/]*/g, '')
    .replace(/\/$/, '')
    .split('/');
  return [host.replace(/\d+/g, ''), ...names.map((name) => (isId(name) ? '*' : name))].join('/');
}

const fewestOfId = 6;

function isId(name: string): boolean {
  return name.length >= fewestOfId && /\d/.test(name) && /^[\w.~()%-]+$/.test(name);
}

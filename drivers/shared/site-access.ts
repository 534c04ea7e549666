import {
  type Ability,
  cannot,
  can,
  type LaunchOptions,
  type Session,
  type SiteAccess,
  type Whereabouts,
} from '../driver.ts';
import { isChromium } from './launch-recipes.ts';

/** How browsers are given what lets them in at one site, as far as several drivers do it alike. */

/** True if a browser accepts keys of certificates. */
export function certificateKeys(browser: string, { server, phone }: Whereabouts = {}): Ability {
  if (!isChromium(browser)) {
    return cannot(`${browser} takes no certificate for one session (--insecure takes any)`);
  }
  return /^https?:|^wss?:/.test(server ?? '') || phone !== undefined
    ? cannot('the browser is started elsewhere, and takes its certificates there')
    : can;
}

/** Headers of all requests to the site. A server that has to ask for the user first costs a request more. */
export function makeHeaders({ headers = {}, user }: SiteAccess): Readonly<Record<string, string>> {
  if (user === undefined) return headers;
  const secret = Buffer.from(`${user.name}:${user.password}`).toString('base64');
  return { authorization: `Basic ${secret}`, ...headers };
}

/** True if a request leads to the site. */
export function isSameSite({ origin }: SiteAccess, url: string): boolean {
  return URL.canParse(url) && new URL(url).origin === origin;
}

/** The headers that a request has, with those of the site in place of others of their names. */
export function withHeaders(
  own: Readonly<Record<string, string>>,
  added: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const names = new Set(Object.keys(added).map((name) => name.toLowerCase()));
  const kept = Object.entries(own).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...added };
}

/** A session of the DevTools protocol with a page, as a library lends it. */
export interface PageProtocol {
  send(method: string, parameters?: object): Promise<unknown>;
  on(event: string, listener: (parameters: unknown) => void): void;
}

interface PausedRequest {
  readonly requestId: string;
  readonly request: { readonly headers: Readonly<Record<string, string>> };
}

/**
 * Of a page of Chromium: only requests to the site are held, for as long as it takes to add their headers.
 * The library's own interception would hold all of them, and switch the browser's cache off. A request that
 * is redirected to another site was seen to lose them again (Chromium 156).
 */
export async function giveAccess(page: PageProtocol, access: SiteAccess): Promise<void> {
  for (const [name, value] of Object.entries(access.cookies ?? {})) {
    await page.send('Network.setCookie', { name, value, url: access.origin });
  }
  const added = makeHeaders(access);
  if (Object.keys(added).length === 0) return;
  page.on('Fetch.requestPaused', (event) => {
    const { requestId, request } = event as PausedRequest;
    const all = Object.entries(withHeaders(request.headers, added));
    const headers = all.map(([name, value]) => ({ name, value }));
    // The page may be gone, and its request with it.
    page.send('Fetch.continueRequest', { requestId, headers }).catch(() => undefined);
  });
  await page.send('Fetch.enable', { patterns: [{ urlPattern: `${access.origin}/*` }] });
}

type Launch = (options: LaunchOptions, abandoned: AbortSignal) => Promise<Session>;

/** Sessions whose pages are opened with user and password in their address, where nothing else sends them. */
export function launchingAsUser(launch: Launch): Launch {
  return async (options, abandoned) => {
    const session = await launch(options, abandoned);
    const { access } = options;
    if (access?.user === undefined) return session;
    const { navigate } = session;
    return {
      ...session,
      open: (url, bounds) => session.open(addressWithUser(url, access), bounds),
      ...(navigate !== undefined && {
        navigate: (url, bounds) => navigate(addressWithUser(url, access), bounds),
      }),
    };
  };
}

function addressWithUser(url: string, access: SiteAccess): string {
  const { user } = access;
  if (user === undefined || !isSameSite(access, url)) return url;
  const address = new URL(url);
  address.username = encodeURIComponent(user.name);
  address.password = encodeURIComponent(user.password);
  return address.href;
}

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import type { Assignment } from '../../../pages/protocol.d.ts';
import { closeInTime, createServer, listen, type ServerCertificate } from '../http-server.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { headBefore } from './adapter.ts';
import { addControlPage } from './control-page.ts';
import {
  addFiles,
  addExternalPages,
  type ExternalFolders,
  type ExternalPageWatch,
} from './files.ts';
import { addGuards, leaveOpen } from './guards.ts';
import { emptyRoute, OwnOrigins } from './own-origins.ts';
import { addTrustedRoute, type Authority, startTrustPage, type TrustPage } from './trust-page.ts';
import {
  type PageOutcome,
  type RegisteredTrial,
  TrialRegistry,
  type WindowListener,
} from './trial-registry.ts';
import { addTrialProtocol } from './trial-routes.ts';

/** A trial that a page may run: its URL, and its outcome. */
export interface PageTrial {
  readonly url: string;
  /** Settles once, unless the trial is revoked before; never rejects. */
  readonly outcome: Promise<PageOutcome>;
  /** Resolves when the page has fetched its assignment: it is alive. */
  readonly begun: Promise<void>;
  /**
   * Gives the farm's head of a page that is not ours to a driver, which has it run before the page's
   * scripts: from here on it stands in no page of this trial. Only at an origin of the page's own.
   */
  readonly takeHead?: () => Promise<string>;
  /** Forgets the token; later messages of the page are answered with 404. */
  revoke(): void;
}

/** Serves `pages/` with isolation headers, and the trial protocol. */
export interface PageServer {
  /** For example `http://127.0.0.1:41234`. */
  readonly origin: string;
  /** Where a device learns to trust the certificate; left out where it need not. */
  readonly trust?: TrustPage;
  /**
   * An origin of this machine at which the folder of pages that are not ours stands alone, for one
   * session of a browser of this machine.
   */
  originOf(mount: string, session: string): Promise<string>;
  /** True for an address that it answers: at its own origin, or at that of a session. */
  serves(url: string): boolean;
  /**
   * `page` is relative to `pages/`, as `fib/index.html`, or an external page:
   * `guest/<id>/index.html?auto=1`, or a whole address at a separate origin. With a client only its
   * device may speak for the trial.
   */
  issue(page: string, assignment: Assignment, listener: WindowListener, client?: string): PageTrial;
  /** Ends every connection, the idle ones too. Takes two seconds at most. */
  close(): Promise<void>;
}

/** Of one core since the machine began. */
export interface CoreTime {
  readonly busyMs: number;
  readonly idleMs: number;
}

/** The certificate of a page server. */
export interface PageCertificate extends ServerCertificate {
  /** The name that it is for, where that is not the address of the server. */
  readonly name?: string;
  /** The authority behind it that no device trusts by itself. */
  readonly authority?: Authority;
}

interface PageServerOptions {
  /** The folder `pages/`. */
  readonly pages: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Address of this machine to listen on, and to be reached at. */
  readonly host?: string;
  /** Serves over HTTPS; over plain HTTP when left out. */
  readonly tls?: PageCertificate | undefined;
  /** Addresses that lead here for browsers of other machines: see `reachedAt`. */
  readonly publicOrigins?: readonly string[];
  /** Pages that are not ours. */
  readonly guests?: ExternalFolders;
  /** How long each core of this machine was busy and idle so far: told to its own pages. */
  readonly coreTimes?: () => readonly CoreTime[];
  /** Adds what comes before all other routes, such as a hook that lets only some devices in. */
  readonly door?: (app: FastifyInstance) => Promise<void>;
  /** Adds routes to the page over plain HTTP at which devices learn to trust this server, if it has one. */
  readonly porch?: (app: FastifyInstance) => Promise<void>;
}

/** @throws FarmError `port-in-use`, or `bad-argument` for an invalid port. */
export async function startPageServer({
  pages,
  port,
  host = '127.0.0.1',
  tls,
  publicOrigins = [],
  guests = new Map(),
  coreTimes,
  door,
  porch,
}: PageServerOptions): Promise<PageServer> {
  const registry = new TrialRegistry();
  const { name = host, authority } = tls ?? {};
  const originAt = (at: number): string =>
    `${tls === undefined ? 'http' : 'https'}://${name}:${String(at)}`;
  const own: OwnOrigins = new OwnOrigins({
    address: host,
    originAt,
    accept: (socket) => app.server.emit('connection', socket),
  });
  const app = await createServer({ tls, rewriteUrl: (request) => own.rewrite(request) });
  addGuards(app, { address: host, name: tls?.name, publicOrigins });
  if (authority !== undefined) addTrustedRoute(app);
  await door?.(app);
  addTrialProtocol(app, registry);
  addOriginRoutes(app, own, guests);
  if (coreTimes !== undefined) app.get('/machine/cores', () => ({ cores: coreTimes() }));
  await addFiles(app, resolve(pages));
  await addExternalPages(app, guests, watchPages(registry, own));
  await listen(app, { port, host });
  const ended = new AbortController();
  keepListening(app.server, ended.signal);
  const origin = originAt((app.server.address() as AddressInfo).port);
  const trust = authority && (await startTrustPage({ host, authority, site: origin, door: porch }));
  return {
    origin,
    ...(trust && { trust }),
    originOf: (mount, session) => own.at(mount, session),
    serves: (url) => url.startsWith(`${origin}/`) || own.ofAddress(url) !== undefined,
    issue: (page, ...wanted) =>
      issueTrial(page, registry.register(...wanted), { own, registry, origin }),
    async close() {
      ended.abort();
      own.close();
      await Promise.all([closeInTime(app), trust?.close()]);
    },
  };
}

interface Issuing {
  readonly own: OwnOrigins;
  readonly registry: TrialRegistry;
  readonly origin: string;
}

function issueTrial(
  page: string,
  { token, outcome, begun }: RegisteredTrial,
  { own, registry, origin }: Issuing,
): PageTrial {
  const revoke = (): void => {
    registry.revoke(token);
  };
  const alone = own.ofAddress(page);
  if (alone === undefined) {
    // Not by URLSearchParams, which would write the query of a page that is not ours in its own way.
    const query = `${page.includes('?') ? '&' : '?'}trial=${token}`;
    return { url: new URL(page + query, origin).href, outcome, begun, revoke };
  }
  alone.token = token;
  alone.isBare = false;
  const takeHead = (): Promise<string> => {
    alone.isBare = true;
    return headBefore(page, { token, isLook: registry.isLook(token) });
  };
  return { url: page, outcome, begun, takeHead, revoke };
}

/** Routes of ours at the origins of pages that are not ours, and the control page. */
function addOriginRoutes(app: FastifyInstance, own: OwnOrigins, guests: ExternalFolders): void {
  addControlPage(app);
  // Of a page that a service worker has kept, whose own token is of another trial.
  app.post('/trial-of-origin', ({ socket }, reply) => {
    const { token = null } = own.ofPort(socket.localPort) ?? {};
    return token === null ? reply.code(404).send() : token;
  });
  // So that a browser has a process for the origin before the page is loaded.
  app.get(emptyRoute, ({ socket }, reply) => {
    const { mount = '' } = own.ofPort(socket.localPort) ?? {};
    if (guests.get(mount)?.isolated === false) leaveOpen(reply);
    return reply.type('text/html').send('<!doctype html><link rel="icon" href="data:,">');
  });
}

/** Tells the registry what pages that are not ours are asked for, and lack. */
function watchPages(registry: TrialRegistry, own: OwnOrigins): ExternalPageWatch {
  const alone = ({ socket }: FastifyRequest): string | null =>
    own.ofPort(socket.localPort)?.token ?? null;
  return {
    trialOf(request) {
      const { trial } = request.query as { trial?: unknown };
      const token = alone(request) ?? trial;
      if (typeof token !== 'string' || !registry.knows(token)) return null;
      registry.begin(token);
      return { token, isLook: registry.isLook(token) };
    },
    isBare: ({ socket }) => own.ofPort(socket.localPort)?.isBare ?? false,
    missed(request, path, why) {
      registry.miss(alone(request) ?? '', path, why);
    },
  };
}

/** The same server for a browser that reaches it at another address, one of its public origins. */
export function reachedAt(server: PageServer, origin: string): PageServer {
  return {
    ...server,
    origin,
    issue(...wanted) {
      const pageTrial = server.issue(...wanted);
      return { ...pageTrial, url: pageTrial.url.replace(server.origin, origin) };
    },
  };
}

/**
 * A server that loses its port by itself takes the same port again: open pages know no other.
 * Connections that were lost with it are the loss of the trials they served.
 */
export function keepListening(server: Server, ended: AbortSignal): void {
  const { address, port } = server.address() as AddressInfo;
  server.on('close', () => {
    if (!ended.aborted) server.listen(port, address);
  });
}

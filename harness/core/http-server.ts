import type { Server, ServerOptions as HttpOptions } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type {
  fastify as makeFastify,
  FastifyHttpOptions,
  FastifyInstance,
  FastifyServerFactory,
} from 'fastify';
import { FarmError } from './errors.ts';

/** How much of a server one client may hold. */
interface Bounds {
  /** Milliseconds after which an incomplete request is ended. */
  readonly arrivalMs: number;
  /** How often it is looked for such requests: one is ended so much later at most. */
  readonly lookMs: number;
  /** How long a connection may rest between two requests. */
  readonly idleMs: number;
  /** Further ones are closed at once, until others end. */
  readonly connections: number;
  /** Connections of one address, so that no single client shuts out all others. */
  readonly ofOneAddress: number;
}

/** A browser opens six connections to one host; a farm has some tens of browsers at most. */
const usualBounds: Bounds = {
  arrivalMs: 20_000,
  lookMs: 5_000,
  idleMs: 60_000,
  connections: 256,
  ofOneAddress: 128,
};

/** A certificate, with those between it and its authority, and its key; both in PEM. */
export interface ServerCertificate {
  readonly certificate: string;
  readonly key: string;
}

interface ServerOptions extends FastifyHttpOptions<Server> {
  /** Speaks HTTPS with it; plain HTTP when left out. */
  readonly tls?: ServerCertificate | undefined;
}

/**
 * Makes every server of the farm. A client cannot hold a connection by sending nothing, or byte by
 * byte. Routes are for the caller to add.
 */
export async function createServer(
  { tls, ...options }: ServerOptions = {},
  { arrivalMs, lookMs, idleMs, connections, ofOneAddress }: Bounds = usualBounds,
): Promise<FastifyInstance> {
  const { fastify } = await loadFastify();
  const http = { headersTimeout: arrivalMs, connectionsCheckingInterval: lookMs };
  const times = { requestTimeout: arrivalMs, keepAliveTimeout: idleMs };
  const app = fastify({
    ...options,
    ...times,
    forceCloseConnections: true,
    http,
    ...(tls !== undefined && { serverFactory: httpsServers(tls, { ...http, ...times }) }),
  });
  app.server.maxConnections = connections;
  boundAddresses(app.server, ofOneAddress);
  return app;
}

/** Makes servers that speak HTTP/1.1 alone, by which pages load on the loopback, too. */
function httpsServers(
  { certificate: cert, key }: ServerCertificate,
  times: HttpOptions & { readonly requestTimeout: number },
): FastifyServerFactory<Server> {
  const handshakeTimeout = times.requestTimeout;
  return (handler) =>
    createHttpsServer({ ...times, cert, key, handshakeTimeout, minVersion: 'TLSv1.2' }, handler);
}

/**
 * It stands among the optional packages for yarn 1 alone, which refuses all of it on Node.js 20 for the
 * sake of `cookie`, a part that only tests of servers use. A package manager goes on without an optional
 * package, or without a part of it, where its registry fails for a moment.
 */
async function loadFastify(): Promise<{ readonly fastify: typeof makeFastify }> {
  try {
    return await import('fastify');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    // The second one is that of the package's own parts.
    if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(code)) throw error;
    throw new FarmError('setup-failed', {
      what: `The package fastify, or a part of it, is not installed: optional packages were left out (${message.split('\n')[0] ?? ''}).`,
      next: 'npm install fastify',
      cause: error,
    });
  }
}

/** Further connections of an address are closed at once, whether its others have asked for anything or not. */
function boundAddresses(server: Server, most: number): void {
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    const count = open.get(address) ?? 0;
    if (count >= most) {
      socket.destroy();
      return;
    }
    open.set(address, count + 1);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}

/** @throws FarmError `port-in-use`, or `bad-argument` for an invalid port. */
export async function listen(
  app: FastifyInstance,
  at: { port: number; host: string },
): Promise<void> {
  try {
    await app.listen(at);
  } catch (error) {
    await app.close();
    throw listenError(error, at.port);
  }
}

function listenError(error: unknown, port: number): unknown {
  const next = 'Choose another with --port, or --port 0 to let the system choose.';
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EADDRINUSE': {
      const what = `Port ${String(port)} of this machine is in use by another program.`;
      return new FarmError('port-in-use', { what, next, cause: error });
    }
    case 'EACCES': {
      const what = `Port ${String(port)} of this machine is kept for the administrator.`;
      return new FarmError('port-in-use', { what, next, cause: error });
    }
    case 'ERR_SOCKET_BAD_PORT': {
      const what = `${String(port)} is no port: ports go from 0 to 65535.`;
      return new FarmError('bad-argument', { what, next, cause: error });
    }
    default:
      return error;
  }
}

const closeTimeoutMs = 2_000;

/** Ends every connection, the idle ones too. Takes two seconds at most. */
export async function closeInTime(app: FastifyInstance): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((settle) => {
    timer = setTimeout(settle, closeTimeoutMs);
  });
  await Promise.race([app.close(), deadline]);
  clearTimeout(timer);
}

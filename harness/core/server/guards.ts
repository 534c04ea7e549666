import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Headers that make a page cross-origin isolated, which gives it the fine clock and shared memory.
 */
const isolation = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
};

/** Sends an answer without what isolates its page from other origins. */
export function leaveOpen(reply: FastifyReply): void {
  for (const name of Object.keys(isolation)) reply.removeHeader(name);
}

/**
 * On every answer, errors included. Without `no-store` a second trial would measure the first one's
 * cached page.
 */
export const pageHeaders = {
  ...isolation,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const loopback = '127.0.0.1';

/** Names by which a server may be addressed. */
interface KnownAs {
  /** Address of this machine that it listens on; the loopback when left out. */
  readonly address?: string;
  /** The name that its certificate is for, where that is not the address. */
  readonly name?: string | undefined;
  /** Addresses that lead here, as through a proxy or a tunnel: `https://farm.example`. */
  readonly publicOrigins?: readonly string[];
}

/** Sets the headers of every answer, and refuses requests that another site made a browser send. */
export function addGuards(app: FastifyInstance, knownAs: KnownAs): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(pageHeaders);
    // A folder of foreign pages has a separate port.
    const why = reasonToRefuse(request, request.socket.localPort ?? readPort(app), knownAs);
    if (why !== null) await reply.code(403).header('connection', 'close').send(why);
  });
}

export function readPort(app: FastifyInstance): number {
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * The route that a request leads to, as it was declared; empty when it is missing. This decides
 * about access: an address can be written in many ways, of which a pattern would miss some.
 */
export function findRoute({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? '';
}

/**
 * Segments `.` and `..`, and separators that are encoded or turned round. The router, the sender of
 * files and a browser each understand them in their own way, and no link of ours has any.
 */
const unclear = /(^|\/)(\.|%2e){1,2}(\/|$)|%2f|%5c|\\/i;

/**
 * A foreign `Host` means that a name of another site was pointed at this machine (DNS rebinding):
 * its scripts would count as ours. A foreign `Origin` or `Sec-Fetch-Site` means that the request
 * was sent by another site's page. Runtimes send neither of the two.
 */
export function reasonToRefuse(
  request: FastifyRequest,
  port: number,
  knownAs: KnownAs = {},
): string | null {
  if (unclear.test(request.url.replace(/[?#].*$/s, ''))) {
    return 'An address with ".", ".." or an encoded "/" between its names leads nowhere here.';
  }
  const hosts = hostsOf(port, knownAs);
  const { host = '', origin } = request.headers;
  if (!hosts.includes(host)) return `This server is ${hosts.join(' or ')} and no other host.`;
  // Some proxies ask in the name of the server behind them; the page's own origin stays.
  const origins = [undefined, `${request.protocol}://${host}`, ...(knownAs.publicOrigins ?? [])];
  if (!origins.includes(origin)) return 'This server answers its own pages only.';
  const site = request.headers['sec-fetch-site'] ?? 'same-origin';
  const ours = /^\/(?:trial|client|machine|visits)(?:\/|$)/.test(findRoute(request));
  return ours && site !== 'same-origin' && site !== 'none'
    ? 'This server answers its own pages only.'
    : null;
}

function hostsOf(
  port: number,
  { address = loopback, name, publicOrigins = [] }: KnownAs,
): readonly string[] {
  const names = [
    ...(address === loopback ? [loopback, 'localhost'] : [address]),
    ...(name === undefined ? [] : [name]),
  ];
  return [
    ...names.map((name) => `${name}:${String(port)}`),
    ...publicOrigins.map((one) => new URL(one).host),
  ];
}

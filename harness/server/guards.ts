import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * On every answer, errors included. The first three make a page cross-origin isolated, which gives
 * it the fine clock and shared memory; without `no-store` a second trial would measure the first
 * one's cached page.
 */
const headers = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const loopback = '127.0.0.1';

/** Names by which a server may be addressed. */
interface KnownAs {
  /** Address of this machine that it listens on; the loopback when left out. */
  readonly address?: string;
  /** Addresses that lead here, as through a proxy or a tunnel: `https://farm.example`. */
  readonly publicOrigins?: readonly string[];
}

/** Sets the headers of every answer, and refuses requests that another site made a browser send. */
export function addGuards(app: FastifyInstance, knownAs: KnownAs): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    const why = reasonToRefuse(request, portOf(app), knownAs);
    if (why !== null) await reply.code(403).header('connection', 'close').send(why);
  });
}

export function portOf(app: FastifyInstance): number {
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * A foreign `Host` means that a name of another site was pointed at this machine (DNS rebinding):
 * its scripts would count as ours. A foreign `Origin` or `Sec-Fetch-Site` means that the request
 * was sent by another site's page. Runtimes send neither of the two.
 */
export function reasonToRefuse(
  request: FastifyRequest,
  port: number,
  { address = loopback, publicOrigins = [] }: KnownAs = {},
): string | null {
  const names = address === loopback ? [loopback, 'localhost'] : [address];
  const hosts = [
    ...names.map((name) => `${name}:${String(port)}`),
    ...publicOrigins.map((one) => new URL(one).host),
  ];
  const { host = '', origin } = request.headers;
  if (!hosts.includes(host)) return `This server is ${hosts.join(' or ')} and no other host.`;
  // Some proxies ask in the name of the server behind them; the page's own origin stays.
  const origins = [undefined, `http://${host}`, ...publicOrigins];
  if (!origins.includes(origin)) return 'This server answers its own pages only.';
  const site = request.headers['sec-fetch-site'] ?? 'same-origin';
  const ours = /^\/(?:trial|client)\//.test(request.url);
  return ours && site !== 'same-origin' && site !== 'none'
    ? 'This server answers its own pages only.'
    : null;
}

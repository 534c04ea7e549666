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

/** Sets the headers of every answer, and refuses requests that another site made a browser send. */
export function addGuards(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    const why = reasonToRefuse(request, portOf(app));
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
export function reasonToRefuse(request: FastifyRequest, port: number): string | null {
  const hosts = [`127.0.0.1:${String(port)}`, `localhost:${String(port)}`];
  const { host = '', origin } = request.headers;
  if (!hosts.includes(host)) return `This server is ${hosts.join(' or ')} and no other host.`;
  if (origin !== undefined && origin !== `http://${host}`) {
    return 'This server answers its own pages only.';
  }
  const site = request.headers['sec-fetch-site'] ?? 'same-origin';
  const trial = request.url.startsWith('/trial/');
  return trial && site !== 'same-origin' && site !== 'none'
    ? 'This server answers its own pages only.'
    : null;
}

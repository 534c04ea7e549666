import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readPort, reasonToRefuse, findRoute } from '../guards.ts';
import { Problem, sendProblem } from './problems.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

/**
 * On every answer. No other origin is ever let in, the page runs nothing but its own files, and
 * nothing may frame it.
 */
const headers = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

/** Sets the headers of every answer, and refuses requests that another site made a browser send. */
export function addDoorkeeping(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    const why = reasonToRefuse(request, readPort(app)) ?? reasonToRefuseSite(request);
    if (why !== null) {
      reply.header('connection', 'close');
      await sendProblem(
        reply,
        new Problem(403, why, `Open the address that ${npxCrossfarm} serve printed.`),
      );
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      // Before a body is read: no path takes one.
      reply.header('connection', 'close').header('allow', 'GET, HEAD');
      await sendProblem(reply, new Problem(405, 'The farm can only be read from here.'));
    }
  });
}

/**
 * Another site's page may link to the explorer, as a report does, and may ask for nothing else. A
 * page of another port of this machine is another site here, though browsers call it the same.
 */
function reasonToRefuseSite(request: FastifyRequest): string | null {
  const { headers: sent } = request;
  const site = sent['sec-fetch-site'] ?? 'none';
  if (site === 'same-origin' || site === 'none') return null;
  const isLink = sent['sec-fetch-mode'] === 'navigate' && sent['sec-fetch-dest'] === 'document';
  return isLink && !findRoute(request).startsWith('/api/')
    ? null
    : 'This server answers its own pages only.';
}

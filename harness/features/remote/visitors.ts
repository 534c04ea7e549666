import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { lanAddress } from '../../core/app/run/lan-address.ts';
import { openCertificate, type TlsOptions } from '../../core/app/tls/certificate.ts';
import { findRoute } from '../../core/server/guards.ts';
import { startPageServer } from '../../core/server/page-server.ts';
import { clientCookie, readClientSecret } from '../../core/server/trial-routes.ts';
import { addVisits, type VisitOptions } from './visit-routes.ts';

/** Benchmark pages for people of the local network, who may keep what they measured. */
export interface VisitorServer {
  /** Lets whoever opens it in; over a page by which a device trusts this server, if it has to. */
  readonly url: string;
  /** The same for a device that trusts it. */
  readonly page: string;
  close(): Promise<void>;
}

interface VisitorOptions extends Pick<VisitOptions, 'database' | 'pages'>, TlsOptions {
  /** An address of this machine, or true for the first. */
  readonly lan: string | true;
}

/** Where a visit begins. */
const firstPage = '/fib/try.html';

/** Cookies of one host are shared by its ports: a device that joined keeps its own. */
const cookie = 'crossfarm-visitor';

/** Devices that one server lets in. */
const mostVisitors = 500;

/**
 * Serves the benchmark pages to the local network. A visitor sees nothing of the explorer, and no
 * load of the farm's cores, which are not those of the visitor's device.
 * @throws FarmError `bad-argument` without such an address.
 */
export async function serveVisitors({
  database,
  pages,
  lan,
  ...options
}: VisitorOptions): Promise<VisitorServer> {
  const code = randomBytes(16).toString('base64url');
  const host = lanAddress(lan);
  const server = await startPageServer({
    pages,
    port: 0,
    host,
    tls: await openCertificate(options, host),
    door: async (app) => {
      await admitVisitors(app, code);
      await addVisits(app, { database, pages, explorer: () => null });
    },
  });
  const page = `${server.origin}/visit/${code}`;
  return { url: server.trust?.wayTo(page) ?? page, page, close: () => server.close() };
}

/** Serves a server's pages to devices that opened `/visit/<code>` alone: each gets its own secret. */
export async function admitVisitors(app: FastifyInstance, code: string): Promise<void> {
  const visitors = new Set<string>();
  const isVisitor = (request: FastifyRequest): boolean =>
    visitors.has(readClientSecret(request, cookie) ?? '');
  app.addHook('onRequest', async (request, reply) => {
    if (reply.sent || findRoute(request) === '/visit/:code' || isVisitor(request)) return;
    await reply
      .code(403)
      .header('connection', 'close')
      .send('Scan the code of the farm first, and choose to try it yourself.');
  });
  const { fastifyRateLimit } = await import('@fastify/rate-limit');
  await app.register(async (door) => {
    await door.register(fastifyRateLimit, { global: false });
    const limited = { config: { rateLimit: { max: 60, timeWindow: '1 minute' } } };
    door.get<{ Params: { code: string } }>('/visit/:code', limited, (request, reply) => {
      if (!isSame(request.params.code, code)) return reply.code(404).send('There is no such code.');
      if (isVisitor(request)) return sendOn(reply);
      if (visitors.size >= mostVisitors) {
        return reply.code(503).send('This server has let enough devices in. Ask its owner.');
      }
      const secret = randomBytes(16).toString('base64url');
      visitors.add(secret);
      return sendOn(reply.header('set-cookie', clientCookie(request, secret, cookie)));
    });
  });
}

/** By a page of ours: after a redirect from another site a browser would hold the cookie back. */
function sendOn(reply: FastifyReply): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${firstPage}">
<title>crossfarm</title>
<p><a href="${firstPage}">Go on</a></p>
</html>
`);
}

function isSame(given: string, code: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(code)];
  return one.length === other.length && timingSafeEqual(one, other);
}

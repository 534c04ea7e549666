import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { CallCommand } from '../../core/cli/io.ts';
import { errorText, FarmError } from '../../core/errors.ts';
import { createServer } from '../../core/http-server.ts';
import { reasonToRefuse, readPort } from '../../core/server/guards.ts';
import { loginPage, refusalPage } from './account-pages.ts';
import { type FarmPage, type Surroundings } from './farm-layout.ts';
import { FarmVisits } from './farm-visits.ts';
import type { JobQueue } from './jobs.ts';
import { submitOrder } from './order.ts';
import { orderPage } from './order-page.ts';
import type { FarmServer } from './server.ts';
import { findVisitor, mayDo, type Role, type Visitor } from './tokens.ts';
import { splitWords } from './split-words.ts';

export interface SiteOptions {
  readonly server: FarmServer;
  readonly queue: JobQueue;
  readonly call: CallCommand;
  /** The https origin of the proxy in front; null where this machine alone is answered, without accounts. */
  readonly publicOrigin: string | null;
  /** A header by which the proxy says who it has let in; null where tokens do. */
  readonly userHeader: string | null;
  /** Takes what only the owner of the server should read. */
  readonly say: (text: string) => void;
}

const headers = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // With less a browser says no origin when it sends a form.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Loopback needs no login: a user who can connect can also read the database. */
const localVisitor: Visitor = { name: 'this machine', role: 'administrator' };

const cookieName = 'crossfarm_token';
const mostBytesOfForm = 20_000;
const monthS = 30 * 86_400;

/** An application that listens nowhere yet, and what is to be called now and then. */
interface FarmSite {
  readonly app: FastifyInstance;
  /** Ends comparisons that their hosts have decided together. */
  readonly settle: () => Promise<void>;
}

/** Makes the explorer of a farm. */
export async function createSite(options: SiteOptions): Promise<FarmSite> {
  const app = await createServer({ bodyLimit: mostBytesOfForm });
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      done(null, Object.fromEntries(new URLSearchParams(String(body))));
    },
  );
  const site = new Site(app, options);
  site.addRoutes();
  return { app, settle: () => site.settle() };
}

type Answer = (request: FastifyRequest, around: Surroundings) => Promise<FarmPage | Redirect>;

interface Redirect {
  readonly to: string;
}

class Site {
  readonly #app: FastifyInstance;
  readonly #options: SiteOptions;
  readonly #visits: FarmVisits;

  constructor(app: FastifyInstance, options: SiteOptions) {
    this.#app = app;
    this.#options = options;
    this.#visits = new FarmVisits(options);
  }

  settle(): Promise<void> {
    return this.#visits.settle();
  }

  addRoutes(): void {
    this.#guard();
    this.#addAccounts();
    const visits = this.#visits;
    this.#get('/', (_request, around) => visits.home(around));
    this.#get('/runs', ({ query }, around) => visits.runs(around, runsQuery.parse(query)));
    this.#get('/runs/:id', ({ params }, around) => visits.run(around, numbered.parse(params).id));
    this.#get('/cases', (_request, around) => visits.cases(around));
    this.#get('/cases/*', ({ params, query }, around) =>
      visits.case(around, named.parse(params)['*'], runsQuery.parse(query).host),
    );
    this.#get('/nights', (_request, around) => visits.nights(around));
    this.#get('/jobs/:id', ({ params }, around) => visits.job(around, numbered.parse(params).id));
    this.#get('/runs/:id/report', ({ params }) => visits.report(numbered.parse(params).id));
    this.#get('/order', (_request, around) => visits.order(around, null), 'submit');
    this.#post('/order', (request, around) => this.#order(request, around));
    this.#post('/jobs/:id/cancel', async ({ params }, around) => {
      const { id } = numbered.parse(params);
      await visits.cancel(around, id);
      return { to: `/jobs/${String(id)}` };
    });
    this.#post('/jobs/:id/more', async ({ params }, around) => {
      const { id } = numbered.parse(params);
      await visits.measureMore(around, id);
      return { to: `/jobs/${String(id)}` };
    });
  }

  async #order({ body }: FastifyRequest, around: Surroundings): Promise<FarmPage | Redirect> {
    const { command, on, with: having, night } = orderForm.parse(body);
    const order = { command, on: having === '' ? on : having, night: night === '1' };
    try {
      const words = splitWords(command.replace(/^\s*(npx\s+)?crossfarm\s+/, ''));
      const where = order.on === '' ? undefined : order.on;
      const wanted = { words, on: where, night: order.night, askedBy: nameOf(around) };
      const [job] = await submitOrder(this.#options, wanted);
      return { to: `/jobs/${String(job?.id)}` };
    } catch (error) {
      if (!(error instanceof FarmError) || error.code === 'farm-unreachable') throw error;
      return orderPage(around, {
        hosts: await this.#visits.hostNames(),
        order,
        refusal: errorText(error),
      });
    }
  }

  #guard(): void {
    const { publicOrigin } = this.#options;
    const publicOrigins = publicOrigin === null ? [] : [publicOrigin];
    this.#app.addHook('onRequest', async (request, reply) => {
      reply.headers(headers);
      const why =
        reasonToRefuse(request, readPort(this.#app), { publicOrigins }) ?? refuseSite(request);
      if (why !== null) await reply.code(403).header('connection', 'close').send(why);
    });
    this.#app.setNotFoundHandler((_request, reply) => {
      const page = refusalPage(this.#around(null), 'There is no such page', 'Begin at its home: /');
      return send(reply.code(404), page);
    });
    this.#app.setErrorHandler((error, request, reply) => this.#refuse(error, request, reply));
  }

  async #refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const around = this.#around(await this.#findVisitor(request).catch(() => null));
    if (error instanceof z.ZodError || statusOf(error) < 500) {
      return send(
        reply.code(400),
        refusalPage(around, 'This address or form cannot be used', 'Go back and begin again.'),
      );
    }
    if (error instanceof FarmError) {
      const isAway = error.code === 'farm-unreachable';
      const page = refusalPage(around, error.message, error.next);
      return send(reply.code(isAway ? 503 : 400), page);
    }
    this.#options.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return send(
      reply.code(500),
      refusalPage(
        around,
        'This could not be answered',
        'The terminal of crossfarm serve says why.',
      ),
    );
  }

  #around(visitor: Visitor | null): Surroundings {
    const { server, publicOrigin } = this.#options;
    return { farm: server.name, visitor, hasAccounts: publicOrigin !== null };
  }

  async #findVisitor(request: FastifyRequest): Promise<Visitor | null> {
    const { server, publicOrigin, userHeader } = this.#options;
    if (publicOrigin === null) return localVisitor;
    if (userHeader !== null) {
      const user = request.headers[userHeader];
      return typeof user === 'string' && user !== ''
        ? { name: user.slice(0, 100), role: 'submit' }
        : null;
    }
    const token = readToken(request);
    return token === null ? null : findVisitor(server, token);
  }

  #get(url: string, answer: Answer, needed: Role = 'read'): void {
    this.#app.get(url, (request, reply) => this.#answer(request, reply, { answer, needed }));
  }

  #post(url: string, answer: Answer): void {
    this.#app.post(url, (request, reply) =>
      this.#answer(request, reply, { answer, needed: 'submit' }),
    );
  }

  async #answer(
    request: FastifyRequest,
    reply: FastifyReply,
    { answer, needed }: { readonly answer: Answer; readonly needed: Role },
  ): Promise<unknown> {
    const visitor = await this.#findVisitor(request);
    if (visitor === null) return reply.code(303).header('location', '/login').send();
    const around = this.#around(visitor);
    if (!mayDo(visitor, needed)) {
      const page = refusalPage(
        around,
        `${visitor.name} may read, and not measure`,
        'An administrator gives another token: npx crossfarm queue tokens NAME --role submit',
      );
      return send(reply.code(403), page);
    }
    const answered = await answer(request, around);
    if ('to' in answered) return reply.code(303).header('location', answered.to).send();
    return send(reply, answered);
  }

  #addAccounts(): void {
    const { server, publicOrigin } = this.#options;
    const secure = publicOrigin === null ? '' : '; Secure';
    const cookie = (value: string, ageS: number): string =>
      `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${String(ageS)}${secure}`;
    this.#app.get('/login', (_request, reply) => send(reply, loginPage(this.#around(null), null)));
    this.#app.post('/login', async ({ body }, reply) => {
      const { token } = loginForm.parse(body);
      const visitor = await findVisitor(server, token);
      if (visitor === null) {
        const why = 'This token is unknown, or was revoked.';
        return send(reply.code(403), loginPage(this.#around(null), why));
      }
      return reply
        .code(303)
        .headers({ location: '/', 'set-cookie': cookie(token, monthS) })
        .send();
    });
    this.#app.post('/logout', (_request, reply) =>
      reply
        .code(303)
        .headers({ location: '/login', 'set-cookie': cookie('', 0) })
        .send(),
    );
  }
}

/** Another site may link to a page, and ask for nothing else. */
function refuseSite({ method, headers: sent }: FastifyRequest): string | null {
  const site = sent['sec-fetch-site'] ?? 'none';
  if (site === 'same-origin' || site === 'none') return null;
  const isLink = sent['sec-fetch-mode'] === 'navigate' && sent['sec-fetch-dest'] === 'document';
  return isLink && method === 'GET' ? null : 'This server answers its own pages only.';
}

function readToken({ headers: { authorization, cookie = '' } }: FastifyRequest): string | null {
  const [, bearer] = /^Bearer ([\w-]{1,200})$/.exec(authorization ?? '') ?? [];
  const [, kept] = new RegExp(`(?:^|; )${cookieName}=([\\w-]{1,200})(?:;|$)`).exec(cookie) ?? [];
  return bearer ?? kept ?? null;
}

function nameOf({ visitor }: Surroundings): string {
  return visitor?.name ?? 'nobody';
}

function statusOf(error: unknown): number {
  const { statusCode } = error as { readonly statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : 500;
}

function send(reply: FastifyReply, { html, policy, isLive }: FarmPage): FastifyReply {
  if (isLive === true) reply.header('refresh', '10');
  return reply
    .header('content-security-policy', `${policy}; frame-ancestors 'none'`)
    .type('text/html; charset=utf-8')
    .send(html);
}

const numbered = z.object({
  id: z.coerce
    .number()
    .int()
    .min(1)
    .max(2 ** 31 - 1),
});
const named = z.object({ '*': z.string().min(1).max(500) });
const runsQuery = z.object({
  host: z.string().max(63).optional(),
  before: z.iso.datetime().optional(),
});
const orderForm = z.object({
  command: z.string().max(5_000),
  on: z.string().max(500).default(''),
  with: z.string().max(500).default(''),
  night: z.string().optional(),
});
const loginForm = z.object({ token: z.string().max(200) });

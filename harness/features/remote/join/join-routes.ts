import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { findRoute } from '../../../core/server/guards.ts';
import { escapeHtml, htmlPage } from '../../../core/server/html-page.ts';
import { parseMessage } from '../../../core/server/messages.ts';
import { clientCookie, readClientSecret } from '../../../core/server/trial-routes.ts';
import type { Refusal, ClientRegistry } from './client-registry.ts';

/** Joining by a code: its routes are `/join/…`; the code itself is shown at `/invite/<secret>`. */
interface JoinOptions {
  readonly registry: ClientRegistry;
  /** The page of the owner's screen, as HTML, for anybody who has its secret. */
  readonly invite: { readonly secret: string; readonly show: () => Promise<string> };
  /** Where a person may try pages instead of joining. */
  readonly visitors?: string | undefined;
  /** True where pages come over plain HTTP from another machine: they are then no secure context. */
  readonly insecure?: boolean;
}

const bodyLimit = 4 * 1024;

/** What a person calls a device. */
export const deviceName = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(60)
  .regex(/^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069<>]*$/u, 'must be plain text');

const claimForm = z.strictObject({ name: deviceName });
const askForm = z.strictObject({
  holding: z.int().min(1).nullable(),
  // The reader parses it, so that an odd answer keeps no device from measuring.
  drawing: z.unknown().optional(),
});
const lostForm = z.strictObject({ why: z.enum(['hidden', 'left']) });

const lostWords: Readonly<Record<z.infer<typeof lostForm>['why'], string>> = {
  hidden: 'its screen was locked, or something else was shown, while it measured',
  left: 'its page was closed while it measured',
};

const refusals: Readonly<Record<Refusal, readonly [status: number, text: string]>> = {
  unknown: [404, 'There is no such code.'],
  expired: [410, 'This code has expired.'],
  taken: [409, 'This code has been used by another device: each is good for one.'],
};

/** Every guess at a code counts, independent of the request's claims about its sender. */
const limited = { config: { rateLimit: { max: 20, timeWindow: '1 minute' } } };

type InviteRequest = FastifyRequest<{ Params: { invitation: string } }>;

/** Lets devices join at a server of ours, before its other routes. Strangers see how to join alone. */
export async function addJoin(
  app: FastifyInstance,
  { registry, invite, ...site }: JoinOptions,
): Promise<void> {
  keepOutStrangers(app, registry);
  const { fastifyRateLimit } = await import('@fastify/rate-limit');
  await app.register(async (join) => {
    await join.register(fastifyRateLimit, { global: false });
    join.removeAllContentTypeParsers();
    join.addContentTypeParser('*', { parseAs: 'string', bodyLimit }, (_request, text, parsed) => {
      parsed(null, text);
    });
    join.get('/join/:invitation', limited, (request: InviteRequest, reply) =>
      welcome({ registry, ...site }, request, reply),
    );
    join.post('/join/:invitation', limited, (request: InviteRequest, reply) =>
      client(registry, request, reply),
    );
    join.post('/client/next', (request, reply) => answer(registry, request, reply));
    join.post('/client/lost', (request, reply) => takeLoss(registry, request, reply));
  });
  await addInvitePage(app, invite);
  for (const file of joinFiles) app.get(`/${file}`, (_request, reply) => reply.sendFile(file));
}

/** Shows the code of the moment to whoever has the secret of the owner's screen. */
export async function addInvitePage(
  app: FastifyInstance,
  invite: JoinOptions['invite'],
): Promise<void> {
  const { fastifyRateLimit } = await import('@fastify/rate-limit');
  await app.register(async (screen) => {
    await screen.register(fastifyRateLimit, { global: false });
    screen.get('/invite/:secret', limited, async (request, reply) => {
      const { secret } = request.params as { secret: string };
      if (secret !== invite.secret) return reply.code(404).send('There is no such page.');
      return sendHtml(reply, htmlPage('Scan to join', await invite.show()));
    });
  });
}

/** Files that the pages of joining need. */
const joinFiles = ['kit/drawing.js', 'kit/join.js', 'kit/page.css'];

/** Routes for everybody. */
const open: ReadonlySet<string> = new Set([
  ...['/join/:invitation', '/invite/:secret'],
  ...joinFiles.map((file) => `/${file}`),
]);

/** A request without a client sees how to join, and nothing else of this server. */
function keepOutStrangers(app: FastifyInstance, registry: ClientRegistry): void {
  app.addHook('onRequest', async (request, reply) => {
    if (reply.sent || open.has(findRoute(request))) return;
    if (registry.clientOf(readClientSecret(request)) !== null) return;
    await reply.code(403).header('connection', 'close').send('Join first: scan the code.');
  });
}

function sendHtml(reply: FastifyReply, html: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(html);
}

function welcome(
  { registry, ...site }: Omit<JoinOptions, 'invite'>,
  request: InviteRequest,
  reply: FastifyReply,
): FastifyReply {
  const secret = readClientSecret(request);
  const state = registry.look(request.params.invitation, secret);
  if (state === 'own' || state === 'open') {
    const joinedAs = state === 'own' ? (registry.clientOf(secret)?.name ?? null) : null;
    return sendHtml(reply, joinPage(joinedAs, site));
  }
  const [status, text] = refusals[state];
  return sendHtml(reply.code(status), refusalPage(text));
}

function client(
  registry: ClientRegistry,
  request: InviteRequest,
  reply: FastifyReply,
): FastifyReply {
  const parsed = parseMessage('name', textOf(request), claimForm);
  if (!parsed.ok) return reply.code(400).send(parsed.why);
  const userAgent = (request.headers['user-agent'] ?? '').slice(0, 500);
  const claim = registry.claim(request.params.invitation, { name: parsed.value.name, userAgent });
  if (claim.kind === 'refused') {
    const [status, text] = refusals[claim.why];
    return reply.code(status).send(text);
  }
  return reply
    .header('set-cookie', clientCookie(request, claim.client.secret))
    .send({ name: claim.client.name });
}

/** Open as long as there is nothing to do: nothing is sent to a device that measures. */
async function answer(
  registry: ClientRegistry,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const client = registry.clientOf(readClientSecret(request));
  if (client === null) return reply.code(403).send('Join first: scan the code.');
  const parsed = parseMessage('question', textOf(request), askForm);
  if (!parsed.ok) return reply.code(400).send(parsed.why);
  if (parsed.value.drawing !== undefined) client.drawing = parsed.value.drawing;
  const gone = new AbortController();
  reply.raw.on('close', () => {
    gone.abort();
  });
  return reply.send(await client.ask(parsed.value.holding, gone.signal));
}

function takeLoss(
  registry: ClientRegistry,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const client = registry.clientOf(readClientSecret(request));
  const parsed = parseMessage('loss', textOf(request), lostForm);
  if (client === null || !parsed.ok) return reply.code(400).send('That is no loss of a trial.');
  client.lose(lostWords[parsed.value.why]);
  return reply.code(204).send();
}

function textOf({ body }: FastifyRequest): string {
  return typeof body === 'string' ? body : '';
}

/** The pages of joining. All text from outside is escaped; their one script is `pages/kit/join.js`. */

/** The page that a device shows after it scanned the code. With a name it has joined before, and goes on. */
function joinPage(
  joinedAs: string | null,
  { visitors, insecure = false }: Pick<JoinOptions, 'visitors' | 'insecure'>,
): string {
  const other =
    visitors === undefined
      ? ''
      : `<p id="try">Or do not join: <a href="${escapeHtml(visitors)}">try it yourself</a>. You choose functions, watch their curves grow, and keep the results only if you want to.</p>`;
  return htmlPage(
    'Join the farm',
    `<p id="about">This device will run benchmarks, one after the other, in this tab. Keep the screen on and this page in front; when it is locked or loses the network it goes on when it is back.</p>
${insecure ? cautionOfHttp : ''}
<form id="join"${joinedAs === null ? '' : ` hidden data-joined="${escapeHtml(joinedAs)}"`}>
<p><label for="name">What do you call this device?</label>
<input id="name" name="name" maxlength="60" required autocomplete="off" placeholder="Pixel 7"></p>
<p><button>Join</button></p>
${other}
</form>
<p id="status" role="status"></p>
<progress id="progress" value="0" max="1" hidden aria-label="Trials that are done"></progress>
<div id="stage"></div>
<script src="/kit/drawing.js"></script>
<script type="module" src="/kit/join.js"></script>`,
  );
}

function refusalPage(why: string): string {
  return htmlPage('Not joined', `<p>${escapeHtml(why)} Ask for a new one at the farm.</p>`);
}

const cautionOfHttp =
  '<p class="caution">This page came over plain HTTP. So your browser gives benchmarks a coarse clock and no shared memory, and may let the screen go dark. You can go on without: those of threads fail, the others run. For all of it, ask the farm’s owner to add <code>--tls</code>.</p>';

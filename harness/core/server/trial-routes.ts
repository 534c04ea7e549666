import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PageReply, TrialRegistry } from './trial-registry.ts';

/** A result of 20,000 samples has about 200 kB. */
const bodyLimit = 1024 * 1024;

type TrialRequest = FastifyRequest<{ Params: { token: string } }>;

/** The four routes of `pages/protocol.d.ts`. The trial registry gives them their meaning. */
export function addTrialProtocol(app: FastifyInstance, registry: TrialRegistry): void {
  void app.register((trial, _options, done) => {
    refuseStrangers(trial, registry);
    // The registry parses, because invalid JSON ends the trial instead of only being refused.
    trial.removeAllContentTypeParsers();
    trial.addContentTypeParser('*', { parseAs: 'string', bodyLimit }, (_request, text, parsed) => {
      parsed(null, text);
    });
    settleTooLarge(trial, registry);

    trial.get('/trial/:token/assignment', (request: TrialRequest, reply) =>
      answer(reply, registry.assign(request.params.token)),
    );
    trial.post('/trial/:token/window', (request: TrialRequest, reply) =>
      answer(reply, registry.mark(request.params.token, textOf(request))),
    );
    trial.post('/trial/:token/result', { bodyLimit }, (request: TrialRequest, reply) =>
      answer(reply, registry.finish(request.params.token, textOf(request))),
    );
    trial.post('/trial/:token/error', { bodyLimit }, (request: TrialRequest, reply) =>
      answer(reply, registry.fail(request.params.token, textOf(request))),
    );
    done();
  });
}

function textOf(request: TrialRequest): string {
  return typeof request.body === 'string' ? request.body : '';
}

function answer(reply: FastifyReply, { status, body }: PageReply): FastifyReply {
  if (status === 413) reply.header('connection', 'close');
  return reply.code(status).send(body);
}

/** Before the body is read: only a request with a token makes the server read one. */
function refuseStrangers(trial: FastifyInstance, registry: TrialRegistry): void {
  trial.addHook('onRequest', async (request, reply) => {
    const { token } = (request as TrialRequest).params;
    if (!registry.knows(token)) {
      reply.code(404).header('connection', 'close');
      await reply.send('There is no such trial: it has ended, or never was.');
    } else if (registry.isAnothers(token, readClientSecret(request))) {
      reply.code(403).header('connection', 'close');
      await reply.send('This trial is of another device.');
    }
  });
}

function settleTooLarge(trial: FastifyInstance, registry: TrialRegistry): void {
  trial.setErrorHandler((error: FastifyError, request, reply) => {
    if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') {
      return reply.code(error.statusCode ?? 500).send(error.message);
    }
    const declared = Number(request.headers['content-length']);
    const size = Number.isFinite(declared) ? `${String(declared)} bytes` : 'more';
    const why = `The page sent ${size}; the limit is ${String(bodyLimit)} bytes.`;
    const { token } = (request as TrialRequest).params;
    return answer(reply, registry.refuse(token, { status: 413, why }));
  });
}

const cookieName = 'crossfarm-client';

/** The secret of a client that a request carries, or null. */
export function readClientSecret(
  { headers: { cookie = '' }, protocol }: FastifyRequest,
  name = cookieName,
): string | null {
  const form = new RegExp(`(?:^|;\\s*)${nameCookie(name, protocol)}=([\\w-]{22})(?:;|$)`);
  return form.exec(cookie)?.[1] ?? null;
}

/** Ports share cookies, and a page over plain HTTP cannot set one of the name that HTTPS has. */
function nameCookie(name: string, protocol: FastifyRequest['protocol']): string {
  return protocol === 'https' ? `__Host-${name}` : name;
}

/**
 * A cookie that is kept for a day, out of reach of scripts, and never sent for another site's page;
 * one of HTTPS is not sent over plain HTTP, either.
 */
export function clientCookie(
  { protocol }: Pick<FastifyRequest, 'protocol'>,
  secret: string,
  name = cookieName,
): string {
  const secure = protocol === 'https' ? '; Secure' : '';
  return `${nameCookie(name, protocol)}=${secret}; Path=/; Max-Age=86400; HttpOnly; SameSite=Strict${secure}`;
}

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { seatSecretOf } from './join/seat.ts';
import type { Answer, TicketOffice } from './ticket-office.ts';

/** A result of 20,000 samples has about 200 kB. */
const bodyLimit = 1024 * 1024;

type TrialRequest = FastifyRequest<{ Params: { token: string } }>;

/** The four routes of `pages/protocol.d.ts`. What they mean is the ticket office's. */
export function addTrialProtocol(app: FastifyInstance, office: TicketOffice): void {
  void app.register((trial, _options, done) => {
    refuseStrangers(trial, office);
    // The office parses, because JSON that is none ends the trial instead of only being refused.
    trial.removeAllContentTypeParsers();
    trial.addContentTypeParser('*', { parseAs: 'string', bodyLimit }, (_request, text, parsed) => {
      parsed(null, text);
    });
    settleTooLarge(trial, office);

    trial.get('/trial/:token/assignment', (request: TrialRequest, reply) =>
      answer(reply, office.assign(request.params.token)),
    );
    trial.post('/trial/:token/window', (request: TrialRequest, reply) =>
      answer(reply, office.mark(request.params.token, textOf(request))),
    );
    trial.post('/trial/:token/result', { bodyLimit }, (request: TrialRequest, reply) =>
      answer(reply, office.finish(request.params.token, textOf(request))),
    );
    trial.post('/trial/:token/error', { bodyLimit }, (request: TrialRequest, reply) =>
      answer(reply, office.fail(request.params.token, textOf(request))),
    );
    done();
  });
}

function textOf(request: TrialRequest): string {
  return typeof request.body === 'string' ? request.body : '';
}

function answer(reply: FastifyReply, { status, body }: Answer): FastifyReply {
  if (status === 413) reply.header('connection', 'close');
  return reply.code(status).send(body);
}

/** Before the body is read: nobody without a token of their own makes the server read one. */
function refuseStrangers(trial: FastifyInstance, office: TicketOffice): void {
  trial.addHook('onRequest', async (request, reply) => {
    const { token } = (request as TrialRequest).params;
    if (!office.knows(token)) {
      reply.code(404).header('connection', 'close');
      await reply.send('There is no such trial: it has ended, or never was.');
    } else if (office.isAnothers(token, seatSecretOf(request))) {
      reply.code(403).header('connection', 'close');
      await reply.send('This trial is of another device.');
    }
  });
}

function settleTooLarge(trial: FastifyInstance, office: TicketOffice): void {
  trial.setErrorHandler((error: FastifyError, request, reply) => {
    if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') {
      return reply.code(error.statusCode ?? 500).send(error.message);
    }
    const declared = Number(request.headers['content-length']);
    const size = Number.isFinite(declared) ? `${String(declared)} bytes` : 'more';
    const why = `The page sent ${size}; the limit is ${String(bodyLimit)} bytes.`;
    const { token } = (request as TrialRequest).params;
    return answer(reply, office.refuse(token, { status: 413, why }));
  });
}

import { timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { answerQuestion } from './agent-files.ts';

/** What `farm agent` serves: a few small files of this machine, to whoever has the token. */
export interface Agent {
  /** For example `http://127.0.0.1:8720`. */
  readonly address: string;
  close(): Promise<void>;
}

interface AgentOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly token: string;
}

/** A question names some hundred files at most. */
const longestQuestion = 256 * 1024;

/** @throws the system's error when it cannot listen there. */
export async function startAgent({ host, port, token }: AgentOptions): Promise<Agent> {
  const { fastify } = await import('fastify');
  const app = fastify({ forceCloseConnections: true, bodyLimit: longestQuestion });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, text, parsed) => {
    parsed(null, text);
  });
  // Before the body is read: a stranger makes the agent read nothing.
  app.addHook('onRequest', async (request, reply) => {
    if (isSame(request.headers.authorization ?? '', `Bearer ${token}`)) return;
    await reply.code(401).header('connection', 'close').send('This agent takes a token.');
  });
  app.post('/ask', (request, reply) => {
    const answer = answerQuestion(typeof request.body === 'string' ? request.body : '');
    return 'refusal' in answer ? reply.code(400).send(answer.refusal) : reply.send(answer.text);
  });
  await app.listen({ host, port });
  const address = `http://${host}:${String((app.server.address() as AddressInfo).port)}`;
  return { address, close: () => app.close() };
}

/** Takes as long for a token that is almost right as for one that is not. */
function isSame(seen: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(seen), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { execa } from 'execa';

/**
 * A hub or a node of a small Selenium Grid, as a separate process that can be killed. It answers
 * what the farm asks of a real one, starts faster than a Java machine, and has a real browser at
 * its end. As with a real one the node's sessions outlive the hub, and a restarted hub knows only
 * sessions that it made itself.
 *
 *     node grid-program.js hub PORT NODE-PORT
 *     node grid-program.js node PORT DRIVER-PORT
 */

interface Request {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

interface GridReply {
  readonly status: number;
  readonly body: unknown;
}

interface CreatedSession {
  readonly value?: { readonly sessionId?: string; readonly capabilities?: object };
}

type Capabilities = Readonly<Record<string, unknown>>;

const stereotype = { browserName: 'chrome', platformName: 'linux', 'crossfarm:node': 'a' };

const fine = (value: unknown): GridReply => ({ status: 200, body: { value } });
const refuse = (status: number, error: string, message: string): GridReply => ({
  status,
  body: { value: { error, message, stacktrace: '' } },
});

/** A node with one slot, in front of chromedriver. */
function nodeOf(driverPort: number): (request: Request) => Promise<GridReply> {
  const held = new Map<string, Capabilities>();
  let begins = false;
  // Ends with this program; who kills that has to end its browsers.
  void execa('chromedriver', [`--port=${String(driverPort)}`], { stdio: 'ignore', reject: false });
  const begin = async (body: string): Promise<GridReply> => {
    if (begins || held.size > 0) return refuse(500, 'session not created', 'no slot is free');
    begins = true;
    try {
      const { ours, theirs } = divide(body);
      const answer = await pass(driverPort, { method: 'POST', url: '/session', body: theirs });
      const { sessionId, capabilities = {} } = (answer.body as CreatedSession).value ?? {};
      if (sessionId !== undefined) held.set(sessionId, { ...ours, ...capabilities });
      return answer;
    } finally {
      begins = false;
    }
  };
  return async ({ method, url, body }) => {
    if (url === '/status') return fine({ ready: true, message: '' });
    if (url === '/held') {
      return fine([...held].map(([sessionId, capabilities]) => ({ sessionId, capabilities })));
    }
    const path = url.replace('/se/grid/node/session/', '/session/');
    if (method === 'POST' && path === '/session') return begin(body);
    const answer = await pass(driverPort, { method, url: path, body });
    const ended = /^\/session\/([^/]+)$/.exec(path)?.[1];
    if (method === 'DELETE' && ended !== undefined) held.delete(ended);
    return answer;
  };
}

/** Divides the capabilities: a grid keeps its own, and chromedriver refuses unknown ones. */
function divide(body: string): { readonly ours: Capabilities; readonly theirs: string } {
  const asked = JSON.parse(body) as { capabilities: { alwaysMatch: Capabilities } };
  const all = Object.entries(asked.capabilities.alwaysMatch);
  const isOurs = ([name]: readonly [string, unknown]): boolean => /^(se|crossfarm):/.test(name);
  const alwaysMatch = Object.fromEntries(all.filter((one) => !isOurs(one)));
  return {
    ours: Object.fromEntries(all.filter(isOurs)),
    theirs: JSON.stringify({ capabilities: { alwaysMatch, firstMatch: [{}] } }),
  };
}

function hubOf(nodePort: number): (request: Request) => Promise<GridReply> {
  const known = new Set<string>();
  return async (request) => {
    if (request.url === '/status') return fine(await statusOf(nodePort));
    const id = /^\/session\/([^/]+)/.exec(request.url)?.[1];
    if (id !== undefined && !known.has(id)) return refuse(404, 'invalid session id', 'not known');
    const answer = await pass(nodePort, request);
    const begun =
      request.url === '/session' ? (answer.body as CreatedSession).value?.sessionId : null;
    if (typeof begun === 'string') known.add(begun);
    return answer;
  };
}

/** A dead node stays in the list, as in a real grid for minutes. */
async function statusOf(nodePort: number): Promise<unknown> {
  const { body } = await pass(nodePort, { method: 'GET', url: '/held', body: '' });
  const { value } = body as { value: unknown };
  const [session = null] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const uri = `http://127.0.0.1:${String(nodePort)}`;
  return { ready: true, message: '', nodes: [{ id: 'n', uri, slots: [{ stereotype, session }] }] };
}

async function pass(port: number, { method, url, body }: Request): Promise<GridReply> {
  try {
    const answer = await fetch(`http://127.0.0.1:${String(port)}${url}`, {
      method,
      ...(body !== '' && { body, headers: { 'content-type': 'application/json' } }),
    });
    return { status: answer.status, body: await answer.json() };
  } catch (error) {
    return refuse(500, 'unknown error', String(error));
  }
}

function serve(port: number, answerTo: (request: Request) => Promise<GridReply>): void {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '' } = request;
    const { status, body } = await answerTo({ method, url, body: await text(request) });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  }).listen(port, '127.0.0.1');
}

const [role, port, next] = process.argv.slice(2);
serve(Number(port), role === 'hub' ? hubOf(Number(next)) : nodeOf(Number(next)));
// Exits when its parent has gone for any reason.
process.stdin.on('end', () => process.exit()).resume();

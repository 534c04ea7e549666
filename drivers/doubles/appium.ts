import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** A server that speaks W3C WebDriver as Appium does, without a browser: for tests. */
export interface AppiumDouble {
  readonly address: string;
  /** `METHOD path`, in the order of their arrival. */
  readonly asked: readonly string[];
  /** Bodies of the requests for a session. */
  readonly wanted: readonly unknown[];
  close(): Promise<void>;
}

export interface DoubleScript {
  /** The answer to `/status`; that of Appium 3.1.0 when left out. */
  readonly status?: string;
  /** The message of a session that is refused. */
  readonly refusal?: string;
  /** The session is only answered when this is resolved. */
  readonly before?: Promise<unknown>;
}

export function makeStatus(version: string): string {
  return JSON.stringify({ value: { ready: true, build: { version } } });
}

/** Starts a server that records all requests, and answers until it is closed. */
export async function startDouble(script: DoubleScript = {}): Promise<AppiumDouble> {
  const asked: string[] = [];
  const wanted: unknown[] = [];
  const server = createServer((request, response) => {
    void answer(request, script, { asked, wanted }).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  return { ...(await listen(server)), asked, wanted };
}

interface ServerRecord {
  readonly asked: string[];
  readonly wanted: unknown[];
}

interface AppiumReply {
  readonly status: number;
  readonly body: string;
}

async function answer(
  request: IncomingMessage,
  { status = makeStatus('3.1.0'), refusal, before }: DoubleScript,
  { asked, wanted }: ServerRecord,
): Promise<AppiumReply> {
  const { method = '', url = '' } = request;
  asked.push(`${method} ${url}`);
  const body = await text(request);
  if (url.endsWith('/status')) return { status: 200, body: status };
  if (method !== 'POST' || url !== '/session') return fine(valueOf(method, url));
  wanted.push(JSON.parse(body));
  await before;
  if (refusal === undefined) {
    return fine({
      sessionId: `s${String(wanted.length)}`,
      capabilities: { browserVersion: '9.8.7' },
    });
  }
  const value = { error: 'session not created', message: refusal, stacktrace: '' };
  return { status: 500, body: JSON.stringify({ value }) };
}

function fine(value: unknown): AppiumReply {
  return { status: 200, body: JSON.stringify({ value }) };
}

function valueOf(method: string, url: string): unknown {
  if (url.endsWith('/window/new')) return { handle: 'two', type: 'tab' };
  // A session whose last window was closed would end.
  return method === 'DELETE' && url.endsWith('/window') ? ['two'] : null;
}

async function listen(server: Server): Promise<Pick<AppiumDouble, 'address' | 'close'>> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${String(port)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

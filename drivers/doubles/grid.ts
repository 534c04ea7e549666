import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** A hub of a Selenium Grid and its only node in one, without a browser: for tests. */
export interface GridDouble {
  readonly address: string;
  /** `METHOD path`, in the order of their arrival; looks at the status are left out. */
  readonly asked: readonly string[];
  /** The capabilities of each session that was asked for. */
  readonly wanted: readonly Readonly<Record<string, unknown>>[];
  /** True if the only slot holds another client's session. */
  taken: boolean;
  /** True if the hub forgot its sessions, as after a new start; the node still has them. */
  forgetful: boolean;
  /** True if a session that is asked for never begins and no answer comes. */
  silent: boolean;
  /** True if the hub dies while its node begins the session that was asked for. */
  breaksOff: boolean;
  /** True if the only slot holds a session that a client asked for. */
  readonly holds: boolean;
  /** True if the node's own status is answered. */
  nodeLives: boolean;
  /** How often that was asked for. */
  readonly looks: number;
  /** Address of the node as the hub reports it, if not next to the hub. */
  nodeAddress: string | null;
  close(): Promise<void>;
}

export interface GridScript {
  readonly browserName?: string;
  /** The node's `crossfarm:node`; none when left out. */
  readonly name?: string;
  /** A WebDriver server that knows no nodes. */
  readonly isGrid?: boolean;
  /** Any free one when left out. */
  readonly port?: number;
}

const session = 'c0ffee';

export async function startGridDouble(script: GridScript = {}): Promise<GridDouble> {
  const asked: string[] = [];
  const wanted: Readonly<Record<string, unknown>>[] = [];
  const state: State = {
    taken: false,
    forgetful: false,
    silent: false,
    breaksOff: false,
    nodeLives: true,
    holds: false,
    looks: 0,
    nodeAddress: null,
  };
  const server = createServer((request, response) => {
    void answer(request, script, { asked, wanted, state, address: addressOf(server) }).then(
      ({ status, value }) => {
        if (status === 0) {
          request.socket.destroy();
          return;
        }
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ value }));
      },
    );
  });
  const close = await listen(server, script.port);
  return Object.assign(state, { address: addressOf(server), asked, wanted, close });
}

interface State {
  taken: boolean;
  forgetful: boolean;
  silent: boolean;
  breaksOff: boolean;
  nodeLives: boolean;
  holds: boolean;
  looks: number;
  nodeAddress: string | null;
}

interface HubRecord {
  readonly asked: string[];
  readonly wanted: Readonly<Record<string, unknown>>[];
  readonly state: State;
  readonly address: string;
}

interface HubReply {
  /** 0: no answer, and the connection breaks. */
  readonly status: number;
  readonly value: unknown;
}

async function answer(
  request: IncomingMessage,
  script: GridScript,
  kept: HubRecord,
): Promise<HubReply> {
  const { method = '', url = '' } = request;
  const body = await text(request);
  const { state } = kept;
  if (url === '/status') return { status: 200, value: statusOf(script, kept) };
  // The node has the hub's address here, with its own path.
  if (url === '/node/status') {
    state.looks += 1;
    return state.nodeLives ? { status: 200, value: ready } : { status: 503, value: 'no status' };
  }
  kept.asked.push(`${method} ${url}`);
  if (method === 'POST' && url === '/session') return beginSession(body, kept);
  if (url === `/node/se/grid/node/session/${session}`) {
    state.holds = false;
    return { status: 200, value: null };
  }
  if (state.forgetful) {
    return { status: 404, value: { error: 'invalid session id', message: 'gone', stacktrace: '' } };
  }
  if (method === 'DELETE') state.holds = false;
  return { status: 200, value: null };
}

async function beginSession(body: string, { state, wanted }: HubRecord): Promise<HubReply> {
  type SessionRequest = { capabilities: { alwaysMatch: Readonly<Record<string, unknown>> } };
  wanted.push((JSON.parse(body) as SessionRequest).capabilities.alwaysMatch);
  if (state.silent) return new Promise(() => undefined);
  Object.assign(state, { holds: true, forgetful: false });
  if (state.breaksOff) return { status: 0, value: null };
  return { status: 200, value: { sessionId: session, capabilities: { browserVersion: '9.8' } } };
}

const ready = { ready: true, message: 'Ready' };

function statusOf(
  { browserName = 'chrome', name, isGrid = true }: GridScript,
  { state, address, wanted }: HubRecord,
): unknown {
  if (!isGrid) return ready;
  const stereotype = {
    browserName,
    platformName: 'linux',
    ...(name !== undefined && { 'crossfarm:node': name }),
  };
  const held = state.taken ? { sessionId: 'else', stereotype } : null;
  const capabilities = { ...wanted.at(-1), browserVersion: '9.8' };
  const ours = state.holds ? { sessionId: session, stereotype, capabilities } : held;
  const slot = { id: { hostId: '7f', id: '1' }, session: ours, stereotype };
  const uri = state.nodeAddress ?? `${address}/node`;
  return { ...ready, nodes: [{ id: '7f', uri, slots: [slot] }] };
}

function addressOf(server: Server): string {
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${String(port)}`;
}

async function listen(server: Server, port = 0): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return () =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      for (const socket of sockets) socket.destroy();
    });
}

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a forge got. */
export interface ForgeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
}

interface ForgeComment {
  readonly id: number;
  body: string;
  readonly user: { readonly id: number; readonly type: string };
}

/** A small stand-in of the APIs of GitHub, Gitea and GitLab, as far as comments and checks go. */
export interface StandInForge {
  readonly api: string;
  readonly requests: ForgeRequest[];
  readonly comments: ForgeComment[];
  /** Answers with this status instead, while it gives one. */
  refuse: (request: ForgeRequest) => number | null;
  /** Sends who asks to this address. */
  redirect?: string;
  /** Account of the token; null for GitHub's token of a job, which may not ask. */
  owner: number | null;
  close(): Promise<void>;
}

export const [jobBot, stranger] = [41_898_282, 7];

/** Starts it on a free port of this machine. */
export async function aForge(): Promise<StandInForge> {
  const server = createServer((request, response) => {
    void readRequest(request).then((read) => {
      forge.requests.push(read);
      if (forge.redirect !== undefined) {
        response.writeHead(307, { location: `${forge.redirect}${read.path}` }).end();
        return;
      }
      const status = forge.refuse(read);
      const answered = status === null ? answerRequest(forge, read) : { status, answer: {} };
      response.writeHead(answered.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answered.answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const forge: StandInForge = {
    api: `http://127.0.0.1:${String(port)}`,
    requests: [],
    comments: [],
    owner: null,
    refuse: () => null,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return forge;
}

async function readRequest(request: IncomingMessage): Promise<ForgeRequest> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const { method = '', url: path = '', headers } = request;
  const body = (text === '' ? {} : JSON.parse(text)) as ForgeRequest['body'];
  return { method, path, headers, body };
}

interface Answer {
  readonly status: number;
  readonly answer: unknown;
}

function answerRequest(forge: StandInForge, { method, path, body }: ForgeRequest): Answer {
  const { pathname, searchParams } = new URL(path, forge.api);
  if (pathname === '/user') {
    return forge.owner === null
      ? { status: 403, answer: {} }
      : { status: 200, answer: { id: forge.owner } };
  }
  if (method === 'GET') return { status: 200, answer: pageOf(forge.comments, searchParams) };
  const text = String(body['body'] ?? '');
  if (/\/(comments|notes)$/.test(pathname)) return addComment(forge, text);
  if (method === 'POST') return { status: 201, answer: {} };
  const changed = forge.comments.find(({ id }) => pathname.endsWith(`/${String(id)}`));
  if (changed === undefined) return { status: 404, answer: {} };
  changed.body = text;
  return { status: 200, answer: changed };
}

function pageOf(comments: readonly ForgeComment[], wanted: URLSearchParams): unknown {
  const size = Number(wanted.get('per_page'));
  const begin = size * (Number(wanted.get('page')) - 1);
  return comments.slice(begin, begin + size);
}

function addComment({ comments, owner }: StandInForge, body: string): Answer {
  const user = { id: owner ?? jobBot, type: owner === null ? 'Bot' : 'User' };
  comments.push({ id: comments.length + 1, body, user });
  return { status: 201, answer: comments.at(-1) };
}

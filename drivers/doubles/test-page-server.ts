import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** Facts that a page reports to the server of test pages. */
export interface PageReport {
  readonly userAgent: string;
  readonly isolated: boolean;
  readonly sharedMemory: boolean;
  readonly visible: boolean;
  /** Left by an earlier page of the same tab in the session storage; null when there is nothing. */
  readonly inherited: string | null;
}

/** A tiny HTTP server that sees which pages a browser opens, and when they go. */
export interface TestPageServer {
  readonly origin: string;
  /** URL of a page that reports itself as `name`. */
  page(name: string): string;
  /** URL that takes the request and never answers. */
  readonly silent: string;
  /** Resolves when the page of that name has reported. */
  seen(name: string): Promise<PageReport>;
  /** Resolves when the server was asked for this page or path, whether it has scripts or not. */
  asked(name: string): Promise<void>;
  /** Resolves when a page that had reported is closed. */
  gone(name: string): Promise<void>;
  close(): Promise<void>;
}

const html = `<!doctype html><title>Test page</title><script type="module">
const name = new URLSearchParams(location.search).get('name');
fetch('/alive?name=' + name).catch(() => undefined);
const report = {
  userAgent: navigator.userAgent,
  isolated: crossOriginIsolated,
  sharedMemory: typeof SharedArrayBuffer === 'function',
  visible: document.visibilityState === 'visible',
  inherited: sessionStorage.getItem('name'),
};
sessionStorage.setItem('name', name);
await fetch('/seen?name=' + name, { method: 'POST', body: JSON.stringify(report) });
</script>`;

/** @param host address of this machine to listen on. */
export async function startTestPageServer(host = '127.0.0.1'): Promise<TestPageServer> {
  const reports = new Appointments<PageReport>();
  const requests = new Appointments<void>();
  const greetings = new Appointments<void>();
  const farewells = new Appointments<void>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://testPages');
    const name = url.searchParams.get('name') ?? '';
    if (url.pathname === '/page') {
      requests.keep(name, undefined);
      sendPage(response);
    } else if (url.pathname === '/seen') {
      // A page that was seen has greeted, too: only then is its farewell noticed.
      void Promise.all([readBody(request), greetings.wait(name)]).then(([text]) => {
        reports.keep(name, JSON.parse(text) as PageReport);
        response.writeHead(204).end();
      });
    } else if (url.pathname === '/alive') {
      greetings.keep(name, undefined);
      response.on('close', () => {
        farewells.keep(name, undefined);
      });
    } else if (url.pathname === '/silent') {
      requests.keep('silent', undefined);
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const origin = `http://${host}:${String(port)}`;
  return {
    origin,
    page: (name) => `${origin}/page?name=${name}`,
    silent: `${origin}/silent`,
    seen: (name) => reports.wait(name),
    asked: (name) => requests.wait(name),
    gone: (name) => farewells.wait(name),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sendPage(response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    // A device that joined shows its pages in a frame.
    'cross-origin-resource-policy': 'cross-origin',
  });
  response.end(html);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

/** Things that are waited for by name, before or after they have happened. */
class Appointments<T> {
  private readonly entries = new Map<string, { promise: Promise<T>; keep: (value: T) => void }>();

  wait(name: string): Promise<T> {
    return this.entry(name).promise;
  }

  keep(name: string, value: T): void {
    this.entry(name).keep(value);
  }

  private entry(name: string): { promise: Promise<T>; keep: (value: T) => void } {
    const known = this.entries.get(name);
    if (known !== undefined) return known;
    let keep: (value: T) => void = () => undefined;
    const promise = new Promise<T>((resolve) => {
      keep = resolve;
    });
    const entry = { promise, keep };
    this.entries.set(name, entry);
    return entry;
  }
}

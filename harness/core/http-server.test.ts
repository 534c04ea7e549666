import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createServer, listen } from './http-server.ts';
import { startAgent } from '../features/remote/node/agent-server.ts';
import { ClientRegistry } from '../features/remote/join/client-registry.ts';
import { addJoin } from '../features/remote/join/join-routes.ts';
import { startPageServer } from './server/page-server.ts';
import { aTestApi } from '../testing/api.ts';
import { aMeasurement } from '../testing/builders.ts';
import { aFolder } from '../testing/folder.ts';

const host = '127.0.0.1';

interface StartedServer {
  readonly port: number;
  close(): Promise<void>;
}

interface RequestOptions {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: string;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Sends a path as it is: `fetch` would tidy it up. */
async function ask(port: number, { path, body = '', ...more }: RequestOptions): Promise<Answer> {
  const asked = request({ host, port, path, agent: false, ...more }).end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of answer.setEncoding('utf8')) text += String(piece);
  return { status: answer.statusCode ?? 0, type: answer.headers['content-type'] ?? '', text };
}

const page = 'This is a page of the farm.';
const besides = 'This is no page of the farm.';

/** `pages/` of a test, with a file next to it that must not be served. */
async function somePages(): Promise<string> {
  const folder = await aFolder();
  const pages = join(folder, 'pages');
  await mkdir(join(pages, 'kit'), { recursive: true });
  await mkdir(join(pages, 'fib'));
  for (const name of ['kit/drawing.js', 'kit/join.js', 'kit/page.css'])
    await writeFile(join(pages, name), '');
  for (const name of ['kit/trial.js', 'fib/index.html', 'fib/benchmark.json']) {
    await writeFile(join(pages, name), JSON.stringify({ title: page }));
  }
  await writeFile(join(folder, 'secret.txt'), besides);
  return pages;
}

interface JoinServer extends StartedServer {
  readonly invitation: string;
  /** Of a device that has joined. */
  readonly cookie: string;
}

async function joinServer(): Promise<JoinServer> {
  const registry = new ClientRegistry({ inviteMs: 60_000, now: () => 0 });
  const invite = { secret: 'of-the-owner', show: () => Promise.resolve('') };
  const server = await startPageServer({
    pages: await somePages(),
    port: 0,
    door: (app) => addJoin(app, { registry, invite }),
  });
  const joined = registry.claim(registry.invite(), { name: 'Pixel', userAgent: '' });
  const secret = joined.kind === 'joined' ? joined.client.secret : '';
  return {
    port: Number(new URL(server.origin).port),
    invitation: registry.invite(),
    cookie: `crossfarm-client=${secret}`,
    close: () => server.close(),
  };
}

async function trialServer(): Promise<StartedServer & { readonly trial: string }> {
  const server = await startPageServer({ pages: await somePages(), port: 0 });
  const assignment = {
    protocol: 1,
    benchmark: 'fib',
    parameters: {},
    measurement: aMeasurement,
  } as const;
  const listener = { onStart: () => undefined, onEnd: () => undefined };
  const { url } = server.issue('fib/index.html', assignment, listener);
  return {
    port: Number(new URL(server.origin).port),
    trial: `/trial/${new URL(url).searchParams.get('trial') ?? ''}/assignment`,
    close: () => server.close(),
  };
}

async function explorer(): Promise<StartedServer> {
  const api = await aTestApi();
  await api.app.listen({ host, port: 0 });
  return { port: (api.app.server.address() as AddressInfo).port, close: () => api.close() };
}

async function agent(): Promise<StartedServer> {
  const { address, close } = await startAgent({ host, port: 0, token: 'a token of this test' });
  return { port: Number(new URL(address).port), close };
}

test.describe('what a client may hold', () => {
  const bounds = { arrivalMs: 50, lookMs: 10, idleMs: 50, connections: 4, ofOneAddress: 4 };

  /** Not `once`, which rejects on a reset: that is one of the ways to end a connection. */
  const closing = (socket: Socket): Promise<void> =>
    new Promise((settle) => {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        settle();
      });
      socket.resume();
    });

  test('connections that send nothing, or not all, or rest, are ended @attack', async () => {
    const app = await createServer({}, bounds);
    app.get('/', () => 'here');
    await listen(app, { host, port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const sent = [
      '',
      'GET / HTTP/1.1\r\nHost: a',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\n1',
      'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
    ];
    await Promise.all(
      sent.map((text) => {
        const socket = connect(port, host);
        socket.write(text);
        return closing(socket);
      }),
    );
    await app.close();
  });

  for (const [what, start] of [
    ['the page server', joinServer],
    ['the explorer', explorer],
    ['an agent', agent],
  ] as const) {
    test(`${what} lets no address take all connections, and bounds them all @attack`, async () => {
      // All of 127.0.0.0/8 is this machine under Linux alone.
      test.skip(process.platform !== 'linux', 'it takes two addresses');
      const server = await start();
      const from = (localAddress: string): Socket =>
        connect({ port: server.port, host, localAddress });
      const held: Socket[] = [];
      for (const address of ['127.0.0.2', '127.0.0.3']) {
        // The first address holds its half, and the second is answered all the same.
        const more = Array.from({ length: 128 }, () => from(address));
        await Promise.all(more.map((one) => once(one, 'connect')));
        await closing(from(address));
        held.push(...more);
        if (address === '127.0.0.2')
          expect((await ask(server.port, { path: '/' })).status).toBeGreaterThan(0);
      }
      await closing(from(host));
      const ends = held.map(closing);
      for (const one of held) one.destroy();
      await Promise.all(ends);
      // The server hears of an end after its client.
      await expect
        .poll(() => ask(server.port, { path: '/' }).catch(() => null))
        .toMatchObject({ status: expect.any(Number) });
      await server.close();
    });
  }
});

test.describe('an address in whatever way it is written', () => {
  const names = ['join', 'invite', 'kit', 'kit/join.js', 'guest', 'api', 'client', 'x', ''];
  const dots = ['.', '..', '%2e', '%2E%2e', '.%2e', '%252e%252e'];
  const slashes = ['/', '/', '/', '/', '//', '%2f', '%2F', '\\', '%5c'];
  const slash = fc.constantFrom(...slashes);
  const name = fc.constantFrom(...names);
  const dot = fc.constantFrom(...dots);
  const thereAndBack = fc.tuple(slash, name, slash, dot);
  const step = fc.oneof(thereAndBack, fc.tuple(slash, name), fc.tuple(slash, dot));
  const start = fc.constantFrom('', '', 'http://127.0.0.1');
  const end = fc.constantFrom('', '', '', '/', '/.', '?', '?/join/x', '#', ';', '%00', '%20', '%');

  /** Ways to write one of these paths, and some that lead elsewhere. */
  function waysTo(targets: readonly string[]): fc.Arbitrary<string> {
    const before = fc.array(step, { maxLength: 2 }).map((steps) => steps.flat().join(''));
    const encoded = fc.uniqueArray(fc.nat(12), { maxLength: 3 });
    return fc
      .tuple(start, before, fc.constantFrom(...targets), encoded, end)
      .map(([origin, way, target, places, rest]) => {
        const written = Array.from(target, (character, place) =>
          places.includes(place) ? `%${character.charCodeAt(0).toString(16)}` : character,
        );
        return origin + way + written.join('') + rest;
      })
      .filter((path) => path !== '');
  }

  interface Attack {
    readonly targets: readonly string[];
    readonly known: readonly string[];
    readonly asked?: Omit<RequestOptions, 'path'>;
    readonly gives: (answer: Answer) => boolean;
  }

  async function expectNothing(port: number, attack: Attack): Promise<void> {
    const { targets, known, gives } = attack;
    const headers = { host: `${host}:${String(port)}`, ...attack.asked?.headers };
    const asked = { ...attack.asked, headers };
    await fc.assert(
      fc.asyncProperty(waysTo(targets), async (path) => {
        const answer = await ask(port, { path, ...asked });
        expect(gives(answer), `${path}: ${String(answer.status)} ${answer.text}`).toBe(false);
        expect(answer.status, path).toBeLessThan(500);
      }),
      { numRuns: 500, examples: known.map((path) => [path]) },
    );
  }

  test('gives no page to a stranger @attack', async () => {
    const server = await joinServer();
    const gives = ({ text }: Answer): boolean => text.includes(page);
    const own = await ask(server.port, {
      path: '/fib/index.html',
      headers: { host: `${host}:${String(server.port)}`, cookie: server.cookie },
    });
    expect(gives(own)).toBe(true);
    await expectNothing(server.port, {
      targets: ['/fib/index.html', '/kit/trial.js', '/fib/', '/fib/benchmark.json', '/'],
      known: [
        '/join/../fib/index.html',
        '/join/%2e%2e/fib/index.html',
        `/join/${server.invitation}/../../fib/index.html`,
        '/kit/join.js/../trial.js',
        '/invite/..%2ffib/index.html',
      ],
      gives,
    });
    await server.close();
  });

  test('gives a joined device nothing except the pages @attack', async () => {
    const server = await joinServer();
    await expectNothing(server.port, {
      targets: ['/secret.txt', '/../secret.txt', '/fib/../../secret.txt'],
      known: ['/..%2fsecret.txt', '/guest/x/../../../secret.txt'],
      asked: { headers: { cookie: server.cookie } },
      gives: ({ text }) => text.includes(besides),
    });
    await server.close();
  });

  test('gives no trial to another site @attack', async () => {
    const server = await trialServer();
    await expectNothing(server.port, {
      targets: [server.trial],
      known: [server.trial, server.trial.replace('trial', '%74rial')],
      asked: { headers: { 'sec-fetch-site': 'cross-site' } },
      gives: ({ text }) => text.includes('"benchmark"'),
    });
    const own = await ask(server.port, {
      path: server.trial,
      headers: { host: `${host}:${String(server.port)}` },
    });
    expect(own.text).toContain('"benchmark"');
    await server.close();
  });

  test('gives no answer of the API to a link of another site @attack', async () => {
    const server = await explorer();
    const link = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    await expectNothing(server.port, {
      targets: ['/api/v1/runs', '/api/v1/runs/1/events', '/api/openapi.json'],
      known: ['/api/v1/runs', '/%61pi/v1/runs', 'http://127.0.0.1/api/v1/runs'],
      asked: { headers: { 'sec-fetch-site': 'cross-site', ...link } },
      gives: ({ status, type }) => status === 200 && !/html|javascript|css|svg/.test(type),
    });
    await server.close();
  });

  test('gets nothing from an agent without its token @attack', async () => {
    const server = await agent();
    await expectNothing(server.port, {
      targets: ['/ask'],
      known: ['/ask', '/%61sk'],
      asked: { method: 'POST', body: 'clock', headers: { 'content-type': 'text/plain' } },
      gives: ({ text }) => text.includes('/clock:'),
    });
    await server.close();
  });
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { describeDriver } from '../conformance.ts';
import { aFakeFarm } from '../../harness/testing/fake-farm.ts';
import { cannot, type LaunchOptions, type Session } from '../driver.ts';
import { fakeDriver, type FakeScript, type FakeTrial } from './fake.ts';

const noEngine = 'the fake has no engine: it runs no scripts';
const noProcess = 'the fake starts no process';

describeDriver({
  driver: fakeDriver({
    trial: ({ url }) =>
      url.includes('trial=') ? { does: 'dies', when: 'loading' } : { does: 'stays-silent' },
    capabilities: { preferences: cannot('the fake has no preferences') },
  }),
  browser: 'program',
  executable: '/any/program',
  launchesAtOnce: true,
  crash: (session, { page }) =>
    session.open(`${page('doomed')}&trial=x`, { signal: never, timeoutMs: 60_000 }),
  without: {
    'a page is visible and, with the right headers, isolated with shared memory': noEngine,
    'a second page inherits nothing, is visible, and the first one is closed': noEngine,
    'lists the processes that it started, which carry the given environment': noProcess,
    'a program that cannot be run is a failed launch': noProcess,
  },
});

const never = new AbortController().signal;
const bounds = { signal: never, timeoutMs: 60_000 };

const options: LaunchOptions = {
  browser: 'program',
  executable: '/any/program',
  flags: [],
  preferences: {},
  headless: true,
  sandbox: true,
  environment: {},
  profile: tmpdir(),
  ...bounds,
};

interface Message {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** A server with one trial, token `t1`; it resolves `ended` when a result or an error arrives. */
async function withTrialServer(
  work: (place: { url: string; messages: Message[]; ended: Promise<Message> }) => Promise<void>,
): Promise<void> {
  const messages: Message[] = [];
  let end: (message: Message) => void = () => undefined;
  const ended = new Promise<Message>((resolve) => {
    end = resolve;
  });
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const path = request.url ?? '';
      const body = Buffer.concat(pieces).toString('utf8');
      const message = { method: request.method ?? '', path, body };
      messages.push(message);
      response.end(
        path.endsWith('/assignment')
          ? '{"protocol":1,"benchmark":"fib","parameters":{"n":2},"measurement":{"iterations":3}}'
          : '{}',
      );
      if (/\/(result|error)$/.test(path)) end(message);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  try {
    await work({ url: `http://127.0.0.1:${port}/fib/index.html?trial=t1`, messages, ended });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function play(trial: FakeTrial, url: string): Promise<Session> {
  const session = await fakeDriver({ trial }).launch(options);
  await session.open(url, bounds);
  return session;
}

test("a completing page speaks the whole protocol with the script's values", async () => {
  await withTrialServer(async ({ url, messages, ended }) => {
    const metrics: FakeTrial = {
      does: 'completes',
      metrics: ({ benchmark, measurement }) => [
        { metric: benchmark, unit: 'ms', timed: Array<number>(measurement.iterations).fill(7) },
      ],
      result: { counters: { calls: 3 } },
    };
    await play(metrics, url);
    const result: unknown = JSON.parse((await ended).body);
    expect(messages.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /fib/index.html?trial=t1',
      'GET /trial/t1/assignment',
      'POST /trial/t1/window',
      'POST /trial/t1/window',
      'POST /trial/t1/result',
    ]);
    expect(messages.slice(2, 4).map(({ body }) => body)).toEqual([
      '{"mark":"start"}',
      '{"mark":"end"}',
    ]);
    expect(result).toEqual({
      protocol: 1,
      clock: { granuleUs: 5, isolated: true },
      host: { userAgent: 'fake', hardwareConcurrency: 2 },
      repeats: 1,
      steadiness: 'steady',
      samples: [{ metric: 'fib', unit: 'ms', warmUp: [], timed: [7, 7, 7] }],
      counters: { calls: 3 },
    });
  });
});

test('a page can report an error, garbage, or too much', async () => {
  const endings: [FakeTrial, string, (body: string) => boolean][] = [
    [
      { does: 'reports-error', phase: 'timed', message: 'no luck' },
      '/trial/t1/error',
      (body) => body === '{"phase":"timed","message":"no luck"}',
    ],
    [{ does: 'posts', body: '<garbage>' }, '/trial/t1/result', (body) => body === '<garbage>'],
    [{ does: 'posts-much', bytes: 5000 }, '/trial/t1/result', (body) => body.length === 5000],
  ];
  for (const [trial, path, isRight] of endings) {
    await withTrialServer(async ({ url, ended }) => {
      await play(trial, url);
      const message = await ended;
      expect(message.path).toBe(path);
      expect(isRight(message.body)).toBe(true);
    });
  }
});

test('a browser can die in the timed window, after the page has announced it', async () => {
  await withTrialServer(async ({ url, messages }) => {
    const session = await play({ does: 'dies', when: 'timed' }, url);
    expect(await session.ended).toBe('the fake browser died');
    expect(messages.at(-1)?.body).toBe('{"mark":"start"}');
  });
});

test('the script may differ for each page, and the driver records what happened', async () => {
  await withTrialServer(async ({ url, ended }) => {
    const seen: number[] = [];
    const driver = fakeDriver({
      trial: ({ opened }) => {
        seen.push(opened);
        return opened === 1 ? { does: 'stays-silent' } : { does: 'posts', body: 'x' };
      },
    });
    const session = await driver.launch(options);
    await session.open(url, bounds);
    await session.open(url, bounds);
    await ended;
    await session.close();
    expect(seen).toEqual([1, 2]);
    expect(driver.events.slice(0, 4)).toEqual([
      'launch',
      'open /fib/index.html',
      'open /fib/index.html',
      'get assignment 200',
    ]);
    expect(driver.launches).toEqual([options]);
  });
});

test('launching, opening and closing can be made to fail or to hang', async () => {
  const launch = (script: FakeScript): Promise<Session> =>
    fakeDriver(script).launch({ ...options, timeoutMs: 20 });
  await expect(launch({ launch: 'fails' })).rejects.toMatchObject({ code: 'launch-failed' });
  await expect(launch({ launch: 'hangs' })).rejects.toMatchObject({ code: 'timed-out' });
  const open = async (script: FakeScript): Promise<void> =>
    (await launch(script)).open('http://127.0.0.1:1/', { signal: never, timeoutMs: 20 });
  await expect(open({ open: 'fails' })).rejects.toMatchObject({ code: 'navigation-failed' });
  await expect(open({ open: 'hangs' })).rejects.toMatchObject({ code: 'timed-out' });
  await expect((await launch({ close: 'fails' })).close()).rejects.toThrow('told not to close');
  const closing = (await launch({ close: 'hangs' })).close().then(() => 'closed');
  const turn = new Promise((resolve) => setImmediate(() => resolve('hanging')));
  expect(await Promise.race([closing, turn])).toBe('hanging');
});

test('plays more trials in a minute than the server takes connections of one address', async () => {
  const metrics = () => [{ metric: 'load', unit: 'ms', timed: [10] }];
  const { folder, farm } = await aFakeFarm({
    devices: ['one'],
    trial: { does: 'completes', metrics },
  });
  const pages = ['a.html', 'b.html'];
  for (const page of pages) await writeFile(join(folder, page), '<!doctype html>');
  const { code, stderr } = await farm('run', ...pages, '--trials', '70', '--no-report');
  expect(code, stderr).toBe(0);
});

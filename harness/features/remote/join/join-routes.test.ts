import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { aMeasurement } from '../../../testing/builders.ts';
import { aFolder } from '../../../testing/folder.ts';
import {
  startPageServer,
  type PageServer,
  type PageTrial,
} from '../../../core/server/page-server.ts';
import { addJoin } from './join-routes.ts';
import { ClientRegistry } from './client-registry.ts';

let server: PageServer;
let registry: ClientRegistry;
let clock: number;

test.beforeEach(async () => {
  const pages = join(await aFolder(), 'pages');
  await mkdir(join(pages, 'kit'), { recursive: true });
  for (const name of ['kit/drawing.js', 'kit/join.js', 'kit/page.css', 'kit/trial.js']) {
    await writeFile(join(pages, name), '');
  }
  clock = 0;
  registry = new ClientRegistry({ inviteMs: 1000, now: () => clock });
  const invite = { secret: 'the-owner', show: () => Promise.resolve('<svg></svg>') };
  server = await startPageServer({
    pages,
    port: 0,
    door: (app) => addJoin(app, { registry, invite }),
  });
});

test.afterEach(() => server.close());

interface Asking {
  readonly cookie?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask(path: string, { cookie, body, headers }: Asking = {}): Promise<Response> {
  return fetch(`${server.origin}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    headers: { ...(cookie !== undefined && { cookie }), ...headers },
  });
}

/** Joins as a phone does. @returns its cookie. */
async function sitDown(name = 'Pixel'): Promise<string> {
  const answer = await ask(`/join/${registry.invite()}`, { body: { name } });
  expect(answer.status).toBe(200);
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

function issueFor(cookie: string): { readonly pageTrial: PageTrial; readonly path: string } {
  const assignment = {
    protocol: 1,
    benchmark: 'x',
    parameters: {},
    measurement: aMeasurement,
  } as const;
  const listener = { onStart: () => undefined, onEnd: () => undefined };
  const secret = cookie.split('=')[1] ?? '';
  const pageTrial = server.issue('x/index.html', assignment, listener, secret);
  const token = new URL(pageTrial.url).searchParams.get('trial') ?? '';
  return { pageTrial, path: `/trial/${token}` };
}

test('without a client only the pages for joining are served', async () => {
  for (const path of ['/', '/kit/trial.js', '/fib/index.html', '/client/next']) {
    expect((await ask(path)).status, path).toBe(403);
  }
  for (const path of [
    '/kit/drawing.js',
    '/kit/join.js',
    '/kit/page.css',
    `/join/${registry.invite()}`,
  ]) {
    expect((await ask(path)).status, path).toBe(200);
  }
  const cookie = await sitDown();
  expect((await ask('/kit/trial.js', { cookie })).status).toBe(200);
});

test('a device learns what is missing over plain HTTP, and how to go on without', async () => {
  const path = (): string => `/join/${registry.invite()}`;
  expect(await (await ask(path())).text()).not.toContain('plain HTTP');
  await server.close();
  const invite = { secret: 'the-owner', show: () => Promise.resolve('') };
  server = await startPageServer({
    pages: await aFolder(),
    port: 0,
    door: (app) => addJoin(app, { registry, invite, insecure: true }),
  });
  const text = await (await ask(path())).text();
  expect(text).toMatch(/no shared memory.*You can go on without.*<code>--tls<\/code>/);
});

test('the cookie of a client is out of reach of scripts and other sites', async () => {
  const answer = await ask(`/join/${registry.invite()}`, { body: { name: 'Pixel' } });
  expect(answer.headers.get('set-cookie')).toMatch(
    /^crossfarm-client=[\w-]{22}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Strict$/,
  );
});

test('a code is good for one device, and its own device may come back', async () => {
  const invitation = registry.invite();
  const first = await ask(`/join/${invitation}`, { body: { name: 'Pixel' } });
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
  const second = await ask(`/join/${invitation}`, { body: { name: 'Thief' } });
  expect(second.status).toBe(409);
  expect(await second.text()).toContain('has been used by another device');
  expect((await ask(`/join/${invitation}`)).status).toBe(409);
  const back = await ask(`/join/${invitation}`, { cookie });
  expect(await back.text()).toContain('data-joined="Pixel"');
});

test('reports a code that has expired, or is unknown', async () => {
  const invitation = registry.invite();
  clock = 1001;
  expect((await ask(`/join/${invitation}`)).status).toBe(410);
  expect((await ask(`/join/${invitation}`, { body: { name: 'Pixel' } })).status).toBe(410);
  expect((await ask('/join/AAAAAAAAAAAAAAAAAAAAAA')).status).toBe(404);
});

test('slows down guesses at codes', async () => {
  const answers = [];
  for (let guess = 0; guess < 25; guess += 1)
    answers.push((await ask(`/join/${String(guess)}`)).status);
  expect(answers.slice(0, 5)).toEqual([404, 404, 404, 404, 404]);
  expect(answers.at(-1)).toBe(429);
});

const garbage: readonly [string, unknown][] = [
  ['no JSON', '{'],
  ['no name', {}],
  ['an empty name', { name: '  ' }],
  ['a name that is markup', { name: '<b>' }],
  ['a name of two lines', { name: 'a\nb' }],
  ['a name that turns the writing', { name: 'a\u202eb' }],
  ['a name that is too long', { name: 'x'.repeat(61) }],
  ['more than is asked for', { name: 'a', admin: true }],
];

for (const [what, body] of garbage) {
  test(`refuses ${what} as a name, and the code stays valid`, async () => {
    const invitation = registry.invite();
    expect((await ask(`/join/${invitation}`, { body })).status).toBe(400);
    expect((await ask(`/join/${invitation}`)).status).toBe(200);
  });
}

test('a body that is too large is refused', async () => {
  const answer = await ask(`/join/${registry.invite()}`, { body: 'x'.repeat(5000) });
  expect(answer.status).toBe(413);
});

test('the code is shown only with the owner’s secret', async () => {
  expect(await (await ask('/invite/the-owner')).text()).toContain('<svg>');
  expect((await ask('/invite/somebody')).status).toBe(404);
});

test('a client asks and is answered; garbage and strangers are refused', async () => {
  const cookie = await sitDown();
  const client = registry.clientOf(cookie.split('=')[1] ?? '');
  const answer = ask('/client/next', { cookie, body: { holding: null, drawing: { scale: 3 } } });
  await client?.arrived(AbortSignal.timeout(60_000));
  expect(client?.drawing).toEqual({ scale: 3 });
  const lost = client?.hand('/one', { done: 0, planned: 1 });
  expect(await (await answer).json()).toMatchObject({ kind: 'open', number: 1, url: '/one' });
  expect((await ask('/client/next', { cookie, body: { holding: 'x' } })).status).toBe(400);
  expect((await ask('/client/lost', { cookie, body: { why: 'no reason' } })).status).toBe(400);
  expect((await ask('/client/lost', { cookie, body: { why: 'hidden' } })).status).toBe(204);
  expect(await lost).toMatch(/^Pixel: its screen was locked/);
  const foreign = { cookie, body: { holding: null }, headers: { 'sec-fetch-site': 'cross-site' } };
  expect((await ask('/client/next', foreign)).status).toBe(403);
});

test('a device can neither answer nor end the trial of another', async () => {
  const [mine, theirs] = [await sitDown('Mine'), await sitDown('Theirs')];
  const { pageTrial, path } = issueFor(mine);
  const end = { phase: 'timed', message: 'I say it failed' };
  expect((await ask(`${path}/error`, { cookie: theirs, body: end })).status).toBe(403);
  expect((await ask(`${path}/assignment`, { cookie: theirs })).status).toBe(403);
  expect((await ask(`${path}/assignment`, { cookie: mine })).status).toBe(200);
  await ask(`${path}/error`, { cookie: mine, body: { ...end, message: 'it did' } });
  expect(await pageTrial.outcome).toMatchObject({ kind: 'error', error: { message: 'it did' } });
});

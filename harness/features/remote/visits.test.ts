import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { aMachine, aResult } from '../../testing/builders.ts';
import { aFolder } from '../../testing/folder.ts';
import { hostileVariants } from '../../testing/hostile-json.ts';
import { withStore } from '../../core/app/records.ts';
import { FarmError } from '../../core/errors.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { findBenchmark, loadCatalog } from '../../core/plan/catalog/catalog.ts';
import { pagesFolder } from '../../core/project.ts';
import { type PageServer, startPageServer } from '../../core/server/page-server.ts';
import { addVisits } from './visit-routes.ts';
import { admitVisitors } from './visitors.ts';
import { makeVisitRecord, visitForm } from './visit.ts';

const firefox = 'Mozilla/5.0 (Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0';

function aTrial(n = 5, timed: readonly number[] = [0.2, 0.3]) {
  const parameters = { function: 'syncFib', n, place: 'worker' };
  return { parameters, agoMs: 2_000, wallMs: 300, result: aResult(timed) };
}

function aVisit(overrides: object = {}) {
  return {
    consent: true,
    name: 'My laptop',
    benchmark: 'fib',
    trials: [aTrial(5), aTrial(6)],
    ...overrides,
  };
}

let server: PageServer;
let database: string;

test.beforeEach(async () => {
  database = join(await aFolder(), 'farm.db');
  const place = { database, pages: pagesFolder(), explorer: () => 'http://127.0.0.1:9' };
  server = await startPageServer({
    pages: pagesFolder(),
    port: 0,
    door: (app) => addVisits(app, place),
  });
});

test.afterEach(() => server.close());

function post(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${server.origin}/visits`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'user-agent': firefox, ...headers },
  });
}

async function stored(): Promise<RunRecord | null> {
  return withStore(database, (store) => store.readRun('latest'));
}

test('a visit becomes a finished run of an attended device', async () => {
  const answer = await post(aVisit({ trials: [aTrial(5), aTrial(6), aTrial(5)] }));
  expect(answer.status).toBe(201);
  expect(await answer.json()).toEqual({ run: 1, url: 'http://127.0.0.1:9/runs/1' });
  const record = await stored();
  expect(record?.run).toMatchObject({
    suite: 'visitor',
    status: 'finished',
    command:
      'npx crossfarm devices attend --bench fib --param function=syncFib --param n=5,6 --param place=worker',
  });
  expect(record?.presences).toMatchObject([
    {
      device: { id: 'visitor-my-laptop', name: 'Visitor: My laptop', driver: 'attended' },
      target: { browser: { name: 'firefox', version: '130.0' } },
    },
  ]);
  expect(record?.trials.map(({ job }) => [job.case.parameters['n'], job.block])).toEqual([
    [5, 0],
    [6, 0],
    [5, 1],
  ]);
  expect(record?.trials[0]?.outcome).toMatchObject({
    kind: 'completed',
    result: { samples: [{ metric: 'duration', timed: [0.2, 0.3] }] },
  });
});

test('stores a result that no clock gives as a failed trial', async () => {
  expect((await post(aVisit({ trials: [aTrial(5, [9_000])] }))).status).toBe(201);
  expect((await stored())?.trials[0]?.outcome).toMatchObject({ kind: 'failed' });
});

const parameters = { function: 'syncFib', n: 5, place: 'worker' };

const refused: readonly [string, unknown][] = [
  ['no JSON', '{'],
  ['JSON that is nested too deep', '['.repeat(1_000)],
  ['no consent', aVisit({ consent: false })],
  ['a name that is markup', aVisit({ name: '<script>' })],
  ['a name that turns the writing', aVisit({ name: 'a\u202eb' })],
  ['more than the form has', aVisit({ admin: true })],
  ['no trials', aVisit({ trials: [] })],
  ['too many trials', aVisit({ trials: Array(601).fill(aTrial()) })],
  ['a benchmark that is not there', aVisit({ benchmark: '../fib' })],
  ['an n that the benchmark lacks', aVisit({ trials: [aTrial(1_000_000)] })],
  ['a range of n', aVisit({ trials: [{ ...aTrial(), parameters: { ...parameters, n: '1..9' } }] })],
  ['a missing parameter', aVisit({ trials: [{ ...aTrial(), parameters: { n: 5 } }] })],
  [
    'a parameter of every object',
    `{"consent":true,"name":"a","benchmark":"fib","trials":[{"parameters":{"__proto__":1},"agoMs":0,"wallMs":1,"result":${JSON.stringify(aResult([1]))}}]}`,
  ],
  [
    'a metric that the benchmark lacks',
    aVisit({
      trials: [
        {
          ...aTrial(),
          result: aResult([1], {
            samples: [{ metric: 'score', unit: 'ms', warmUp: [], timed: [1] }],
          }),
        },
      ],
    }),
  ],
  ['a time below 0', aVisit({ trials: [aTrial(5, [-1])] })],
  ['a trial of next year', aVisit({ trials: [{ ...aTrial(), agoMs: -1 }] })],
];

for (const [what, body] of refused) {
  test(`refuses ${what} with a sentence, and stores nothing`, async () => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toMatch(/^[A-Z].*\.$/s);
    expect(await stored()).toBeNull();
  });
}

test('a page of another site can neither keep nor ask', async () => {
  expect((await post(aVisit(), { origin: 'https://evil.example' })).status).toBe(403);
  expect((await post(aVisit(), { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  const asked = await fetch(`${server.origin}/visits`, {
    headers: { 'sec-fetch-site': 'same-site' },
  });
  expect(asked.status).toBe(403);
});

test('a visit that is too large, or one too many in a minute, is refused', async () => {
  expect((await post('x'.repeat(9 * 2 ** 20))).status).toBe(413);
  const statuses: number[] = [];
  for (let visit = 0; visit < 7; visit += 1) statuses.push((await post('{')).status);
  expect(statuses.at(-1)).toBe(429);
});

test('a server without visits keeps nothing, and says so', async () => {
  const plain = await startPageServer({ pages: pagesFolder(), port: 0 });
  try {
    expect((await fetch(`${plain.origin}/visits`)).status).toBe(404);
    const answer = await fetch(`${plain.origin}/visits`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(405);
  } finally {
    await plain.close();
  }
});

test('in a local network only who opened the code tries pages and keeps results', async () => {
  const place = { database, pages: pagesFolder(), explorer: () => null };
  const open = await startPageServer({
    pages: pagesFolder(),
    port: 0,
    door: async (app) => {
      await admitVisitors(app, 'the-code');
      await addVisits(app, place);
    },
  });
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${open.origin}${path}`, init);
  const visit = { method: 'POST', body: JSON.stringify(aVisit()) };
  try {
    for (const path of ['/', '/fib/try.html', '/kit/page.css', '/visits', '/machine/cores']) {
      expect((await ask(path)).status, path).toBe(403);
    }
    expect((await ask('/visits', visit)).status).toBe(403);
    expect((await ask('/visit/a-guess')).status).toBe(404);
    const admitted = await ask('/visit/the-code');
    expect(await admitted.text()).toContain('url=/fib/try.html');
    const setCookie = admitted.headers.get('set-cookie') ?? '';
    expect(setCookie).toMatch(/^crossfarm-visitor=[\w-]{22};.*HttpOnly; SameSite=Strict$/);
    const headers = { cookie: setCookie.split(';')[0] ?? '', 'user-agent': firefox };
    expect((await ask('/fib/try.html', { headers })).status).toBe(200);
    expect((await ask('/machine/cores', { headers })).status).toBe(404);
    const kept = await ask('/visits', { ...visit, headers });
    expect(await kept.json()).toEqual({ run: 1, url: null });
    expect((await stored())?.presences[0]?.device.id).toBe('visitor-my-laptop');
    const another = await ask('/visit/the-code');
    expect(another.headers.get('set-cookie')).not.toBe(setCookie);
  } finally {
    await open.close();
  }
});

test('refuses a hostile visit, or makes a run of it', async () => {
  const benchmark = findBenchmark(await loadCatalog(pagesFolder()), 'fib');
  const place = { benchmark, userAgent: firefox, machine: aMachine, farmVersion: '1' };
  fc.assert(
    fc.property(hostileVariants(aVisit()), (body) => {
      const parsed = visitForm.safeParse(body);
      if (!parsed.success) return;
      try {
        const { trials } = makeVisitRecord(parsed.data, { ...place, now: 1_800_000_000_000 });
        expect(trials.length).toBe(parsed.data.trials.length);
      } catch (error) {
        expect(error).toBeInstanceOf(FarmError);
      }
    }),
    { numRuns: 200, seed: 1 },
  );
});

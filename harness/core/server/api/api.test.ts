import { basename } from 'node:path';
import { expect, test } from '@playwright/test';
import { newNight } from '../../../features/nights/night-document.ts';
import {
  makeNightFolder,
  nightsFolder,
  writeNight,
} from '../../../features/nights/night-folder.ts';
import { useTestApi, type TestApi } from '../../../testing/api.ts';
import { hostile, storeNight } from '../../../testing/stored-history.ts';
import { listEndpoints } from './app.ts';
import { progress } from '../../results/stored.ts';
import { problem } from './problems.ts';

const { own, shared } = useTestApi();

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

/** Stores a night next to the database, and gives its name. */
async function storeNightDocument({ store }: TestApi): Promise<string> {
  const [startedAt, database] = [new Date('2026-11-20T00:00:00Z'), store.path];
  const folder = await makeNightFolder(nightsFolder(database), startedAt);
  const facts = { host: 'bench', farm: 'a', farmVersion: '1', suite: 'quick', asked: null };
  const [id, begun] = [basename(folder), { startedAt: startedAt.toISOString(), database }];
  await writeNight(folder, { ...newNight({ id, ...facts, ...begun }), run: 1 });
  return id;
}

test('every route answers according to its own schema', async () => {
  const api = await own();
  const night = await storeNightDocument(api);
  for (const one of listEndpoints(api.sources)) {
    const response = await api.get(one.url.replace(':id', one.name === 'getNight' ? night : '2'));
    expect(response.statusCode, one.url).toBe(one.url.includes('_benchmarks/') ? 404 : 200);
    if (response.statusCode !== 200) continue;
    const parsed = one.answer.safeParse(response.json());
    expect(parsed.error?.issues, one.url).toBeUndefined();
  }
});

test('the document names every route with its parameters, and is OpenAPI 3.1', async () => {
  const document = (await shared().get('/api/openapi.json')).json<Document>();
  expect(document.openapi).toBe('3.1.0');
  const urls = listEndpoints(shared().sources).map(({ url }) => url.replace(':id', '{id}'));
  expect(Object.keys(document.paths).toSorted()).toEqual(
    [...urls, '/api/v1/runs/{id}/events'].toSorted(),
  );
  const { get } = document.paths['/api/v1/summaries']!;
  expect(get.parameters!.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['run', 'benchmark', 'browser', 'cores', 'limit', 'cursor']),
  );
  expect(Object.keys(get.responses['200']!.content!)).toEqual(['application/json', 'text/csv']);
  const ids = Object.values(document.paths).map((path) => path.get.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a summary has its unit, its interval and how many trials stand behind it', async () => {
  const case_ = encodeURIComponent('fib function=asyncFib n=12');
  const response = await shared().get(`/api/v1/summaries?run=1&case=${case_}&browser=chromium`);
  expect(response.json()).toMatchObject({
    summaries: [
      {
        unit: 'ms',
        trials: 3,
        quarantined: 0,
        notCompleted: 0,
        fromQuarantined: false,
        statistics: { mean: 13, median: 13, minimum: 12, maximum: 14, confidence: 0.75 },
      },
    ],
    next: null,
  });
});

test('several values of one filter are alternatives', async () => {
  const one = await shared().get('/api/v1/summaries?browser=firefox');
  const both = await shared().get('/api/v1/summaries?browser=firefox&browser=chromium');
  expect(one.json<{ summaries: object[] }>().summaries).toHaveLength(12);
  expect(both.json<{ summaries: object[] }>().summaries).toHaveLength(24);
});

test('pages follow each other by cursor and by link, and hold every row once', async () => {
  let url: string | null = '/api/v1/trials?limit=7&run=1';
  const seen: number[] = [];
  while (url !== null) {
    const response = await shared().get(url);
    const { trials } = response.json<{ trials: { trial: number }[] }>();
    expect(trials.length).toBeLessThanOrEqual(7);
    seen.push(...trials.map(({ trial }) => trial));
    url = /^<(.*)>; rel="next"$/.exec(String(response.headers.link ?? ''))?.[1] ?? null;
  }
  expect(seen).toHaveLength(36);
  expect(new Set(seen).size).toBe(36);
});

for (const [what, url, detail] of [
  ['an unknown parameter', '/api/v1/summaries?browsr=x', 'There is no parameter "browsr" here.'],
  ['a page that is too long', '/api/v1/trials?limit=1000000', 'the most is 500'],
  ['a page of nothing', '/api/v1/trials?limit=0', 'the least is 1'],
  ['a negative limit', '/api/v1/trials?limit=-1', 'it must be a whole number'],
  ['an empty limit', '/api/v1/trials?limit=', 'it must be a whole number'],
  ['a limit twice', '/api/v1/trials?limit=1&limit=2', 'limit'],
  ['a cursor of one’s own', '/api/v1/trials?cursor=abc', 'it must be the `next` of a page before'],
  ['a cursor of another list', '/api/v1/trials?cursor=5', 'it must be the `next` of a page'],
  ['a cursor with SQL', "/api/v1/runs?cursor=1' OR 1=1 --", 'it must be the `next` of a page'],
  ['a run that is no number', '/api/v1/summaries?run=last', 'or it must be a whole number'],
  ['a path that is no number', '/api/v1/runs/one', 'it must be a whole number'],
  ['a family that there is not', '/api/v1/summaries?family=x', 'family'],
  ['too many values', `/api/v1/summaries?${'os=linux&'.repeat(21)}`, 'there may be 20 at most'],
  ['an endless text', `/api/v1/summaries?case=${'x'.repeat(301)}`, 'it is too long'],
] as const) {
  test(`${what} is refused with a sentence`, async () => {
    const response = await shared().get(encodeURI(url).replaceAll('%25', '%'));
    expect(response.statusCode).toBe(400);
    expect(response.headers['content-type']).toContain('application/problem+json');
    const told = problem.parse(response.json());
    expect(told.detail).toContain(detail);
    expect(told.detail).toMatch(/\.$/);
  });
}

test('a parameter that was nearly right is suggested', async () => {
  const { next } = problem.parse((await shared().get('/api/v1/summaries?browsr=x')).json());
  expect(next).toMatch(/^Did you mean "browser"\? There are .*benchmark/);
});

for (const url of ['/api/v1/runs/99', '/api/v1/runs/99/cells', '/api/v1/runs/99/events']) {
  test(`${url} of a run that is not there is 404, as a sentence`, async () => {
    const response = await shared().get(url);
    expect(response.statusCode).toBe(404);
    expect(problem.parse(response.json()).detail).toContain('99');
  });
}

for (const url of [
  '/../package.json',
  '/..%2f..%2fpackage.json',
  '/%2e%2e/%2e%2e/package.json',
  '/vendor/../../../package.json',
  '/explorer.js%00.html',
  '/tsconfig.json',
  '/.hidden',
  '/api/v2/runs',
  '//etc/passwd',
]) {
  test(`${url} leads nowhere`, async () => {
    const response = await shared().get(url);
    expect(response.statusCode).toBeGreaterThanOrEqual(400);
    expect(response.statusCode).toBeLessThan(500);
    // Of package.json, tsconfig.json and /etc/passwd; the answer's own advice names the program.
    expect(response.body).not.toMatch(/ependencies|compilerOptions|root:/);
  });
}

test('refuses an address that cannot be decoded, as a problem', async () => {
  const response = await shared().get('/api/v1/runs/%E0%A4%A');
  expect(response.statusCode).toBe(400);
  expect(response.headers['content-type']).toContain('application/problem+json');
});

test('nothing can be written', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
    const response = await shared().app.inject({
      method,
      url: '/api/v1/runs',
      headers: { host: 'localhost:0' },
    });
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe('GET, HEAD');
  }
});

for (const [what, headers] of [
  ['a name of another site that points here', { host: 'evil.example' }],
  ['another port of this machine', { host: 'localhost:1' }],
  ['a script of another site', { origin: 'https://evil.example' }],
  ['a frame or image of another site', { 'sec-fetch-site': 'cross-site' }],
  ['a page of another port', { 'sec-fetch-site': 'same-site' }],
  [
    'a link of another site to the API',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
  ],
] as const) {
  test(`${what} is refused, and gets no data`, async () => {
    const response = await shared().get('/api/v1/runs', headers);
    expect(response.statusCode).toBe(403);
    expect(response.headers['access-control-allow-origin']).toBeUndefined();
    expect(problem.parse(response.json()).detail).toMatch(/\.$/);
  });
}

test('a link on another page may lead to the explorer', async () => {
  const response = await shared().get('/', {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  });
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toContain('text/html');
});

test('every answer forbids other scripts, frames and origins, errors included', async () => {
  for (const url of ['/', '/api/v1/runs', '/api/v1/nope', '/api/v1/runs?x=1']) {
    const { headers } = await shared().get(url);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['access-control-allow-origin']).toBeUndefined();
  }
});

test('sends an answer again only if it has changed', async () => {
  const api = await own();
  const url = '/api/v1/summaries?run=1';
  const etag = String((await api.get(url)).headers.etag);
  expect(etag).toMatch(/^W\/"[\w-]+"$/);
  const again = await api.get(url, { 'if-none-match': `"other", ${etag}` });
  expect(again.statusCode).toBe(304);
  expect(again.body).toBe('');
  await storeNight(api.store, { startedAt: '2026-11-22T00:00:00.000Z', blocks: 1 });
  const changed = await api.get(url, { 'if-none-match': etag });
  expect(changed.statusCode).toBe(200);
  expect(changed.headers.etag).not.toBe(etag);
});

test('sends a table as CSV on request, with formulas defused', async () => {
  const response = await shared().get('/api/v1/trials?outcome=failed', { accept: 'text/csv' });
  expect(response.headers['content-type']).toContain('text/csv');
  const [heading, ...lines] = response.body.trimEnd().split('\n');
  expect(heading).toContain('trial,run,runStartedAt,device,deviceName');
  expect(lines).toHaveLength(2);
  // A terminal's way of writing does not concern a table.
  const printable = hostile.replaceAll('"', '""').replaceAll('\u202e', '?');
  expect(response.body).toContain(`"'${printable}"`);
  const summaries = await shared().get('/api/v1/summaries?run=1', {
    accept: 'application/json;q=0.5, text/csv',
  });
  expect(summaries.body.split('\n')[0]).toContain('statistics.mean');
});

test('sends JSON to a client that accepts anything and refuses unavailable types', async () => {
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
  expect(
    (await shared().get('/api/v1/runs', { accept: browser })).headers['content-type'],
  ).toContain('application/json');
  expect((await shared().get('/api/v1/runs', { accept: 'image/png' })).statusCode).toBe(406);
  expect((await shared().get('/api/v1/filters', { accept: 'text/csv' })).statusCode).toBe(406);
});

test('sends scripts in names as JSON that browsers do not render', async () => {
  const response = await shared().get('/api/v1/devices');
  const { devices } = response.json<{ devices: { deviceName: string }[] }>();
  expect(devices.map(({ deviceName }) => deviceName)).toContain(hostile);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
});

test('describes how to measure a claim without results', async () => {
  const { claims } = (await shared().get('/api/v1/claims')).json<{ claims: object[] }>();
  expect(claims.length).toBeGreaterThan(20);
  expect(claims[0]).toMatchObject({ verdict: 'inconclusive', measured: null, run: null });
});

test('the progress of an ended run is one event, and then the stream ends', async () => {
  const response = await shared().get('/api/v1/runs/1/events');
  expect(response.headers['content-type']).toContain('text/event-stream');
  const events = response.body.trim().split('\n\n');
  expect(events).toHaveLength(1);
  expect(events[0]).toMatch(/^event: progress\ndata: \{"run":1,"status":"finished"/);
});

test('follows a running run until it ends, with an event only when something changed', async () => {
  const api = await own();
  const night = { startedAt: '2026-11-22T00:00:00.000Z', blocks: 1, finished: false };
  const run = await storeNight(api.store, night);
  const following = api.get(`/api/v1/runs/${String(run)}/events`);
  await api.store.finishRun(run, 'finished', '2026-11-22T03:00:00.000Z');
  const events = (await following).body.trim().split('\n\n');
  const seen = events.map((event) =>
    progress.parse(JSON.parse(event.replace(/^event: progress\ndata: /, ''))),
  );
  expect(seen.at(-1)).toMatchObject({ run, status: 'finished', counts: { planned: 12 } });
  expect(new Set(events).size).toBe(events.length);
});

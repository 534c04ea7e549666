import { connect, type Socket } from 'node:net';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import type { Assignment, GuestTask, TrialResult } from '../../../pages/protocol.d.ts';
import { FarmError } from '../errors.ts';
import { startPageServer, type PageServer, type PageTrial } from './page-server.ts';

const assignment: Assignment = {
  protocol: 1,
  benchmark: 'sample',
  parameters: { n: 3 },
  measurement: {
    iterations: 3,
    minIterations: 1,
    maxTimedMs: 100,
    minGranules: 100,
    warmUp: { minIterations: 1, maxIterations: 3, maxMs: 100 },
  },
};

const result: TrialResult = {
  protocol: 1,
  clock: { granuleUs: 5, isolated: true },
  host: { userAgent: 'test', hardwareConcurrency: 2 },
  repeats: 1,
  steadiness: 'steady',
  samples: [{ metric: 'duration', unit: 'ms', warmUp: [2], timed: [1, 1, 1] }],
  counters: {},
};

let folder: string;
let server: PageServer;
let events: string[];
let pageTrial: PageTrial;
let trial: string;

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'page-server-'));
  await mkdir(join(folder, 'pages', 'sample'), { recursive: true });
  const sample = (name: string) => join(folder, 'pages', 'sample', name);
  await writeFile(join(folder, 'secret.txt'), 'secret');
  await writeFile(sample('index.html'), '<!doctype html>');
  await writeFile(sample('benchmark.js'), 'export const id = "sample";');
  await writeFile(sample('benchmark.json'), '{"title":"<b>Sample</b>","page":"index.html"}');
  await writeFile(sample('code.wasm'), '');
  await writeFile(sample('benchmark.test.ts'), '');
  await writeFile(sample('.hidden'), 'secret');
  server = await startPageServer({ pages: join(folder, 'pages'), port: 0 });
  events = [];
  const listener = { onStart: () => events.push('start'), onEnd: () => events.push('end') };
  pageTrial = server.issue('sample/index.html', assignment, listener);
  trial = `${server.origin}/trial/${new URL(pageTrial.url).searchParams.get('trial')!}`;
});

test.afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const silent = { onStart() {}, onEnd() {} };
const port = () => Number(new URL(server.origin).port);
const get = (path: string) => fetch(server.origin + path);
const post = (end: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${trial}/${end}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers,
  });

/** Sends bytes as they are, and gives back the whole answer. */
async function raw(text: string): Promise<string> {
  const socket = connect(port(), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString()));
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

async function upToResult(): Promise<void> {
  await fetch(`${trial}/assignment`);
  await post('window', { mark: 'start' });
  await post('window', { mark: 'end' });
}

test('a foreign page begins in its window, unless the farm starts it', async () => {
  const speak = async (guest: GuestTask): Promise<readonly number[]> => {
    const one = server.issue('sample/index.html', { ...assignment, guest }, silent);
    const at = `${server.origin}/trial/${new URL(one.url).searchParams.get('trial')!}`;
    await fetch(`${at}/assignment`);
    const mark = (name: string): Promise<Response> =>
      fetch(`${at}/window`, { method: 'POST', body: JSON.stringify({ mark: name }) });
    const statuses = [(await mark('end')).status, (await mark('start')).status];
    one.revoke();
    return statuses;
  };
  expect(await speak({ metrics: [] })).toEqual([200, 200]);
  expect(await speak({ metrics: [], begin: 'go()' }), 'an end without a start ends it').toEqual([
    400, 404,
  ]);
});

test('prepares a watcher once, before the answer to the assignment', async () => {
  const told: string[] = [];
  const listener = { ...silent, attach: () => told.push('attach') };
  const ask = async (guest?: GuestTask): Promise<readonly string[]> => {
    told.length = 0;
    const wanted = guest === undefined ? assignment : { ...assignment, guest };
    const one = server.issue('sample/index.html', wanted, listener);
    const at = `${server.origin}/trial/${new URL(one.url).searchParams.get('trial')!}/assignment`;
    for (let time = 0; time < 3; time++) told.push(String((await fetch(at)).status));
    one.revoke();
    return [...told];
  };
  expect(await ask()).toEqual(['attach', '200', '409', '409']);
  expect(await ask({ metrics: [], begin: 'go()' })).toEqual(['attach', '200', '200', '200']);
  expect(await ask({ metrics: [] }), 'the farm has done so itself').toEqual(['200', '200', '200']);
});

test('a trial goes from its assignment over its marks to its result', async () => {
  const assigned = await fetch(`${trial}/assignment`);
  expect(await assigned.json()).toEqual(assignment);
  await pageTrial.begun;
  expect((await post('window', { mark: 'start' })).status).toBe(200);
  expect(events).toEqual(['start']);
  expect((await post('window', { mark: 'end' })).status).toBe(200);
  expect(events).toEqual(['start', 'end']);
  expect((await post('result', result)).status).toBe(200);
  expect(await pageTrial.outcome).toEqual({ kind: 'result', result });
});

test('tokens are long, differ, and stand in the URL of the page', () => {
  const other = server.issue('sample/index.html', assignment, silent);
  const tokens = [pageTrial, other].map((one) => new URL(one.url).searchParams.get('trial')!);
  expect(tokens[0]).not.toBe(tokens[1]);
  for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(16);
  expect(pageTrial.url).toContain(`${server.origin}/sample/index.html?trial=`);
});

test('an assignment is handed out once', async () => {
  await fetch(`${trial}/assignment`);
  expect((await fetch(`${trial}/assignment`)).status).toBe(409);
});

test('a token is forgotten when its trial has ended', async () => {
  await upToResult();
  await post('result', result);
  expect((await fetch(`${trial}/assignment`)).status).toBe(404);
  expect((await post('result', result)).status).toBe(404);
  expect((await post('error', { phase: 'load', message: 'late' })).status).toBe(404);
  expect(await pageTrial.outcome).toEqual({ kind: 'result', result });
});

test('a revoked token is forgotten', async () => {
  pageTrial.revoke();
  expect((await fetch(`${trial}/assignment`)).status).toBe(404);
});

test('a wrong token is answered with 404, and harms no trial', async () => {
  trial = `${server.origin}/trial/AAAAAAAAAAAAAAAAAAAAAA`;
  expect((await fetch(`${trial}/assignment`)).status).toBe(404);
  expect((await post('result', result)).status).toBe(404);
  expect((await get('/trial/')).status).toBe(404);
  expect((await get('/trial/%00/assignment')).status).toBe(404);
});

test('an error ends a trial at any time', async () => {
  const error = { phase: 'load', message: '<script>alert(1)</script>' } as const;
  expect((await post('error', error)).status).toBe(200);
  expect(await pageTrial.outcome).toEqual({ kind: 'error', error });
});

for (const [name, marks, sentence] of [
  ['an end without a start', ['end'], 'marked the end of its window before its start'],
  ['two starts', ['start', 'start'], 'marked the start of its window after its start'],
  ['two ends', ['start', 'end', 'end'], 'marked the end of its window after its end'],
] as const) {
  test(`${name} ends the trial`, async () => {
    await fetch(`${trial}/assignment`);
    for (const mark of marks.slice(0, -1)) await post('window', { mark });
    expect((await post('window', { mark: marks.at(-1) })).status).toBe(400);
    const outcome = await pageTrial.outcome;
    expect(outcome).toMatchObject({ kind: 'bad-message' });
    expect(JSON.stringify(outcome)).toContain(sentence);
  });
}

test('a mark before the assignment ends the trial', async () => {
  await post('window', { mark: 'start' });
  expect(await pageTrial.outcome).toMatchObject({
    message: expect.stringMatching(/before .*assignment/),
  });
  expect(events).toEqual([]);
});

test('a result inside the window ends the trial', async () => {
  await fetch(`${trial}/assignment`);
  await post('window', { mark: 'start' });
  expect((await post('result', result)).status).toBe(400);
  expect(await pageTrial.outcome).toMatchObject({
    kind: 'bad-message',
    message: expect.stringMatching(/result after its start .*before its end/) as unknown,
  });
});

test('a listener that throws makes the mark refused, with its words', async () => {
  const broken = server.issue('sample/index.html', assignment, {
    onStart: () => {
      throw new Error('the probe is gone');
    },
    onEnd() {},
  });
  trial = `${server.origin}/trial/${new URL(broken.url).searchParams.get('trial')!}`;
  await fetch(`${trial}/assignment`);
  const answer = await post('window', { mark: 'start' });
  expect(answer.status).toBe(500);
  expect(await answer.text()).toBe('the probe is gone');
});

const garbage: readonly (readonly [string, string, string])[] = [
  ['nothing', '', 'is not JSON'],
  ['half of it', '{"protocol":1,', 'is not JSON'],
  ['no object', '[]', '$: Invalid input'],
  ['a foreign key', JSON.stringify({ ...result, extra: 1 }), 'Unrecognized key: "extra"'],
  ['another protocol', JSON.stringify({ ...result, protocol: 2 }), '$.protocol'],
  ['an infinite sample', JSON.stringify(result).replace('1,1,1', '1,1e999,1'), 'timed[1]'],
  ['a null sample', JSON.stringify(result).replace('1,1,1', '1,null,1'), '$.samples[0].timed[1]'],
  ['no samples', JSON.stringify({ ...result, samples: [] }), '$.samples'],
  [
    'one metric twice',
    JSON.stringify({ ...result, samples: [...result.samples, ...result.samples] }),
    '$.samples: must name each metric once',
  ],
  ['a name that is markup', JSON.stringify({ ...result, counters: { '<img>': 1 } }), '$.counters'],
  [
    'too many counters',
    JSON.stringify({
      ...result,
      counters: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`c${String(i)}`, i])),
    }),
    'must be 100 at most',
  ],
  [
    'a long user agent',
    JSON.stringify({ ...result, host: { ...result.host, userAgent: 'x'.repeat(1001) } }),
    '$.host.userAgent',
  ],
  [
    'no granule',
    JSON.stringify({ ...result, clock: { ...result.clock, granuleUs: 0 } }),
    'granule',
  ],
  ['its prototype', '{"__proto__":{"protocol":1}}', '$.protocol'],
];

for (const [name, body, sentence] of garbage) {
  test(`a result with ${name} ends the trial as a bad message`, async () => {
    await upToResult();
    expect((await post('result', body)).status).toBe(400);
    const outcome = await pageTrial.outcome;
    expect(outcome.kind).toBe('bad-message');
    expect(outcome.kind === 'bad-message' ? outcome.message : '').toContain(sentence);
  });
}

test('a bad mark and a bad error end the trial too', async () => {
  await post('error', { phase: 'nowhere', message: 'x' });
  expect(await pageTrial.outcome).toMatchObject({ kind: 'bad-message' });
});

test('a body of 100 MB that says so is refused before it is read', async () => {
  await upToResult();
  const size = 100 * 1024 * 1024;
  const socket = connect(port(), '127.0.0.1');
  socket.on('error', () => undefined); // A reset while we write is one of the right answers.
  socket.write(
    `POST ${new URL(trial).pathname}/result HTTP/1.1\r\nHost: 127.0.0.1:${String(port())}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${String(size)}\r\n\r\n`,
  );
  const outcome = await pageTrial.outcome;
  expect(outcome).toEqual({
    kind: 'bad-message',
    message: expect.stringMatching(new RegExp(`\\b${String(size)} bytes.* 1048576 bytes`)),
  });
  expect(await pour(socket, size)).toBeLessThan(size / 4);
});

test('refuses an undeclared body of 100 MB at the limit', async () => {
  await upToResult();
  const size = 100 * 1024 * 1024;
  const socket = connect(port(), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `POST ${new URL(trial).pathname}/result HTTP/1.1\r\nHost: 127.0.0.1:${String(port())}\r\n` +
      `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  expect(await pour(socket, size, true)).toBeLessThan(size / 4);
  expect(await pageTrial.outcome).toEqual({
    kind: 'bad-message',
    message: expect.stringMatching(/\bmore\b.* 1048576 bytes/),
  });
});

/** Writes until all is written or the server has had enough; the bytes that it took. */
async function pour(socket: Socket, size: number, chunked = false): Promise<number> {
  // Not `once`, which rejects on the reset.
  const closed = new Promise((settle) => socket.on('close', settle));
  const block = Buffer.alloc(65_536, 120);
  const part = chunked
    ? Buffer.concat([Buffer.from('10000\r\n'), block, Buffer.from('\r\n')])
    : block;
  const write = () => {
    while (!socket.destroyed && socket.bytesWritten < size) if (!socket.write(part)) return;
  };
  socket.on('drain', write);
  socket.resume();
  write();
  await closed;
  return socket.bytesWritten;
}

test('the headers that isolate a page are on every answer', async () => {
  const answers = [
    '/',
    '/sample/index.html',
    '/sample/benchmark.js',
    '/none',
    '/trial/x/assignment',
  ];
  for (const path of answers) {
    const { headers } = await get(path);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(headers.get('etag')).toBeNull();
    expect(headers.get('last-modified')).toBeNull();
  }
});

for (const [file, type] of [
  ['index.html', 'text/html; charset=utf-8'],
  ['benchmark.js', 'application/javascript; charset=utf-8'],
  ['benchmark.json', 'application/json; charset=utf-8'],
  ['code.wasm', 'application/wasm'],
]) {
  test(`${String(file)} is served as ${String(type)}`, async () => {
    const { status, headers } = await get(`/sample/${String(file)}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe(type);
  });
}

for (const path of [
  '/../secret.txt',
  '/sample/../../secret.txt',
  '/%2e%2e/secret.txt',
  '/..%2fsecret.txt',
  '/sample/%2e%2e%2f%2e%2e%2fsecret.txt',
  '/..%5csecret.txt',
  '/%252e%252e/secret.txt',
  '//etc/passwd',
  '/%00',
  '/sample/.hidden',
  '/sample/benchmark.test.ts',
  '/kit/',
]) {
  test(`GET ${path} gives nothing`, async () => {
    const host = `Host: 127.0.0.1:${String(port())}\r\nConnection: close`;
    const answer = await raw(`GET ${path} HTTP/1.1\r\n${host}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).not.toContain('secret');
  });
}

test('a folder is its page at the address with a slash', async () => {
  const { url, status } = await get('/sample');
  expect({ url, status }).toEqual({ url: `${server.origin}/sample/`, status: 200 });
});

test('files can only be read', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const answer = await fetch(`${server.origin}/sample/index.html`, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  }
});

test('the list at / names the benchmarks, escaped', async () => {
  const text = await (await get('/')).text();
  expect(text).toContain('<a href="/sample/index.html">&#60;b&#62;Sample&#60;/b&#62;</a>');
});

test('a foreign Host is refused', async () => {
  for (const host of ['evil.example', `evil.example:${String(port())}`, '127.0.0.1:1', '']) {
    const answer = await raw(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  }
  const { port: at } = new URL(server.origin);
  const request = httpRequest({
    port: at,
    host: '127.0.0.1',
    headers: { host: `localhost:${at}` },
  });
  request.end();
  const [response] = (await once(request, 'response')) as [{ statusCode: number; resume(): void }];
  expect(response.statusCode).toBe(200);
  response.resume();
});

test('another site may not post, and does not end the trial by trying', async () => {
  await fetch(`${trial}/assignment`);
  for (const headers of [
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: server.origin.replace('http:', 'https:') },
    { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const sent = Object.fromEntries(Object.entries(headers)) as Record<string, string>;
    expect((await post('error', { phase: 'load', message: 'x' }, sent)).status).toBe(403);
  }
  const own = { origin: server.origin, 'sec-fetch-site': 'same-origin' };
  expect((await post('window', { mark: 'start' }, own)).status).toBe(200);
});

test('a port that is in use is named, with what to do', async () => {
  const second = startPageServer({ pages: folder, port: port() });
  const error: unknown = await second.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(FarmError);
  expect(error).toMatchObject({
    code: 'port-in-use',
    next: expect.stringContaining('--port'),
  });
  expect((error as FarmError).message).toContain(String(port()));
});

test('refuses a number that is not a port', async () => {
  await expect(startPageServer({ pages: folder, port: 70_000 })).rejects.toMatchObject({
    code: 'bad-argument',
  });
});

test('close ends idle and half-open connections', async () => {
  const idle = connect(port(), '127.0.0.1');
  const half = connect(port(), '127.0.0.1');
  const host = `Host: 127.0.0.1:${String(port())}`;
  idle.write(`GET / HTTP/1.1\r\n${host}\r\n\r\n`);
  half.write(
    `POST ${new URL(trial).pathname}/error HTTP/1.1\r\n${host}\r\nContent-Length: 9\r\n\r\n{`,
  );
  idle.resume();
  for (const one of [idle, half]) one.on('error', () => undefined);
  await once(idle, 'data');
  // Not `once`, which rejects on a reset: that is one of the ways to end a connection.
  const closed = [idle, half].map((one) => new Promise((settle) => one.on('close', settle)));
  await server.close();
  await Promise.all(closed);
  await expect(get('/')).rejects.toThrow('fetch failed');
});

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { openAgent } from './agent-client.ts';
import { answerQuestion, startAgent } from './agent-server.ts';
import { NodeUnreadable, parseFrame, parseNumber } from './frame.ts';

test.skip(process.platform !== 'linux', 'an agent reads Linux’s /proc');

const token = 'a token of this test';

async function withAgent(work: (address: string) => Promise<void>): Promise<void> {
  const agent = await startAgent({ host: '127.0.0.1', port: 0, token });
  try {
    await work(agent.address);
  } finally {
    await agent.close();
  }
}

test('an agent gives the same files as this machine’s own probes read', async () => {
  await withAgent(async (address) => {
    const line = openAgent(address, token);
    expect(parseNumber(await line.ask('ticks'), 'ticks')).toBeGreaterThan(0);
    const pid = String(process.pid);
    const { files, reader } = parseFrame(
      await line.ask(`files /proc/stat /proc/${pid}/task/*/schedstat /proc/[0-9]*/stat`),
    );
    expect(files.read('/proc/stat')).toMatch(/^cpu0 /m);
    expect(files.list(`/proc/${pid}/task`)).toContain(pid);
    expect(reader).toBe(process.pid);
    expect(files.read(`/proc/${pid}/stat`)).toContain(`${pid} (`);
    await line.close();
  });
});

test('a wrong or missing token gets no answer but the name of the variable', async () => {
  await withAgent(async (address) => {
    for (const wrong of ['', 'guess', `${token}x`]) {
      const line = openAgent(address, wrong);
      await expect(line.ask('clock')).rejects.toThrow(/refuse.*CROSSFARM_AGENT_TOKEN/);
      expect(line.ended).toBe(true);
    }
    const answer = await fetch(new URL('/ask', address), { method: 'POST', body: 'clock' });
    expect(answer.status).toBe(401);
  });
});

test('an agent that does not answer is reported', async () => {
  let gone = '';
  await withAgent((address) => {
    gone = address;
    return Promise.resolve();
  });
  const line = openAgent(gone, token);
  await expect(line.ask('clock')).rejects.toThrow(NodeUnreadable);
  await expect(line.ask('clock')).rejects.toThrow(/not answer.*ECONNREFUSED/);
});

for (const path of [
  '/etc/shadow',
  '/proc/1/environ',
  '/proc/../etc/passwd',
  '/proc/1/task/*/../../environ',
  '/proc/stat/../self/maps',
]) {
  test(`an agent does not read ${path}`, () => {
    expect(answerQuestion(`files ${path}`)).toEqual({ refusal: `${path} is not read here` });
  });
}

test('an agent answers three questions, and no other', () => {
  expect(answerQuestion('reboot')).toEqual({
    refusal: expect.stringMatching(/files, clock, ticks$/),
  });
});

test('of a command line an agent gives what names the process, and no argument @attack', () => {
  const commands = new Map([
    ['1', '/usr/bin/mysql\0--password=hunter2\0secret\0'],
    ['2', '/usr/lib/chromium/chromium\0--type=renderer\0--secret=hunter2\0'],
    ['3', '/usr/lib/firefox/firefox -contentproc -secret hunter2 3 tab\0'],
    ['4', '/usr/bin/firefox\0https://secret.example/hunter2\0'],
    ['5', ''],
  ]);
  const files = {
    read: (path: string) => commands.get(/^\/proc\/(\d)\/cmdline$/.exec(path)?.[1] ?? '') ?? null,
    list: () => [],
  };
  const paths = [...commands.keys()].map((pid) => `/proc/${pid}/cmdline`);
  expect(answerQuestion(`files ${paths.join(' ')}`, files)).toEqual({
    text: [
      `/self:${String(process.pid)}\n`,
      '/proc/1/cmdline:mysql\n',
      '/proc/2/cmdline:chromium\0--type=renderer\n',
      '/proc/3/cmdline:firefox\0-contentproc\0tab\n',
      '/proc/4/cmdline:firefox\n',
    ].join(''),
  });
});

/** A server at the address of an agent that is not an agent. */
async function withAnswer(
  answer: RequestListener,
  work: (address: string) => Promise<void>,
): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await work(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a packed answer is refused: a few bytes of it may be gigabytes @attack', async () => {
  let accepted: string | undefined;
  await withAnswer(
    ({ headers }, response) => {
      accepted = String(headers['accept-encoding']);
      response.setHeader('content-encoding', 'gzip').end(gzipSync('/clock:1\n'));
    },
    async (address) => {
      const line = openAgent(address, token);
      await expect(line.ask('clock')).rejects.toThrow(/packs its answer \(gzip\)/);
      expect(accepted).toBe('identity');
    },
  );
});

for (const [what, status] of [
  ['an answer', 200],
  ['a refusal', 500],
] as const) {
  test(`${what} without an end is not read to its end`, async () => {
    await withAnswer(
      (_request, response) => {
        const block = Buffer.alloc(65_536, 'x');
        const pour = (): void => {
          while (!response.destroyed && response.write(block));
        };
        response.writeHead(status).on('drain', pour);
        pour();
      },
      async (address) => {
        const line = openAgent(address, token);
        await expect(line.ask('clock')).rejects.toThrow(/answers more than 8388608 characters/);
        expect(line.ended).toBe(true);
      },
    );
  });
}

import { expect, test } from '@playwright/test';
import { request } from 'node:http';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aMeasurement } from '../../testing/builders.ts';
import { aFolder } from '../../testing/folder.ts';
import { reachedAt, startPageServer, type PageServer } from './page-server.ts';

const publicOrigin = 'https://farm.example';

async function withServer(work: (server: PageServer) => Promise<void>): Promise<void> {
  const pages = join(await aFolder(), 'pages');
  await mkdir(join(pages, 'sample'), { recursive: true });
  await writeFile(join(pages, 'sample', 'index.html'), '<!doctype html>');
  const server = await startPageServer({ pages, port: 0, publicOrigins: [publicOrigin] });
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

/** Sends a request of a browser behind a proxy, as the proxy hands it on. */
function ask(server: PageServer, headers: Readonly<Record<string, string>>): Promise<number> {
  const { port } = new URL(server.origin);
  return new Promise((resolve, reject) => {
    const path = '/sample/index.html';
    request({ host: '127.0.0.1', port, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

test('a remote browser opens its page at the public address, under the same token', async () => {
  await withServer((server) => {
    const there = reachedAt(server, publicOrigin);
    const assignment = {
      ...({ protocol: 1, benchmark: 'sample', parameters: {} } as const),
      measurement: aMeasurement,
    };
    const listener = { onStart: () => undefined, onEnd: () => undefined };
    const { url } = there.issue('sample/index.html', assignment, listener);
    expect(url).toMatch(/^https:\/\/farm\.example\/sample\/index\.html\?trial=[\w-]{22}$/);
    return Promise.resolve();
  });
});

test('answers requests to the public name with or without proxy headers', async () => {
  await withServer(async (server) => {
    const own = new URL(server.origin).host;
    expect(await ask(server, { host: 'farm.example', origin: publicOrigin })).toBe(200);
    expect(await ask(server, { host: own, origin: publicOrigin })).toBe(200);
    expect(await ask(server, { host: own })).toBe(200);
  });
});

test('any other name, and the page of any other site, are refused as before', async () => {
  await withServer(async (server) => {
    const own = new URL(server.origin).host;
    expect(await ask(server, { host: 'farm.example.evil.test' })).toBe(403);
    expect(await ask(server, { host: 'farm.example', origin: 'https://evil.test' })).toBe(403);
    expect(await ask(server, { host: own, origin: 'http://farm.example' })).toBe(403);
  });
});

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { aMeasurement } from '../testing/builders.ts';
import { aFolder } from '../testing/folder.ts';
import { adapterHead, withAtHead } from './files.ts';
import { startPageServer, type PageServer } from './page-server.ts';

const tag = await adapterHead();

const pages: readonly [string, string, string][] = [
  [
    'a head',
    '<!doctype html><head lang="en"><script>1',
    `<!doctype html><head lang="en">${tag}<script>1`,
  ],
  ['no head', '<!DOCTYPE html>\n<html a="b"><p>x', `<!DOCTYPE html>\n<html a="b">${tag}<p>x`],
  ['a header and no head', '<!doctype html><header>x', `<!doctype html>${tag}<header>x`],
  ['a comment first', '<!-- x -->\n<!doctype html><p>', `<!-- x -->\n<!doctype html>${tag}<p>`],
  ['nothing at all', '', tag],
  ['no doctype', '<p>quirks', `${tag}<p>quirks`],
];

for (const [what, html, expected] of pages) {
  test(`the adapter comes before the first script of a page with ${what}`, () => {
    expect(withAtHead(html, tag)).toBe(expected);
  });
}

test.describe('a folder of pages that are not ours', () => {
  let server: PageServer;

  test.beforeEach(async () => {
    const folder = await aFolder();
    const theirs = join(folder, 'theirs');
    await mkdir(join(theirs, 'sub'), { recursive: true });
    await mkdir(join(folder, 'pages'));
    await writeFile(join(folder, 'secret.html'), 'secret');
    await writeFile(join(theirs, 'index.html'), '<head>');
    await writeFile(join(theirs, 'sub', 'a b.htm'), '<head>');
    await writeFile(join(theirs, 'README.md'), 'read me');
    await writeFile(join(theirs, '.hidden.html'), 'secret');
    const guests = new Map([['speed', { folder: theirs }]]);
    server = await startPageServer({ pages: join(folder, 'pages'), port: 0, guests });
  });

  test.afterEach(() => server.close());

  const get = (path: string): Promise<Response> => fetch(`${server.origin}/guest/${path}`);

  test('its pages get the adapter and are isolated; other files are sent as they are', async () => {
    const page = await get('speed/index.html?auto=1');
    expect(await page.text()).toBe(`<head>${tag}`);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
    expect(await (await get('speed/sub/a%20b.htm')).text()).toBe(`<head>${tag}`);
    expect(await (await get('speed/README.md')).text()).toBe('read me');
  });

  test('over a pretended network each request waits, and all answers share the rate', async () => {
    const folder = await aFolder();
    await writeFile(join(folder, 'index.html'), '<head>');
    await writeFile(join(folder, 'data.bin'), Buffer.alloc(50_000, 7));
    const network = { latencyMs: 100, kbitPerSecond: 4_000 };
    const shaped = await startPageServer({
      pages: folder,
      port: 0,
      guests: new Map([['slow', { folder, network }]]),
    });
    const read = async (path: string): Promise<number> =>
      (await (await fetch(`${shaped.origin}/guest/slow/${path}`)).arrayBuffer()).byteLength;
    const began = performance.now();
    expect(await read('index.html')).toBe(6 + tag.length);
    const afterPageMs = performance.now() - began;
    expect(await Promise.all([read('data.bin'), read('data.bin')])).toEqual([50_000, 50_000]);
    // 100 kB at 4 Mbit/s are 200 ms, after 100 ms of latency; a clock may round down.
    expect(afterPageMs).toBeGreaterThanOrEqual(99);
    expect(performance.now() - began - afterPageMs).toBeGreaterThanOrEqual(295);
    await shaped.close();
  });

  test('nothing above it, hidden in it, or of another name is sent', async () => {
    const paths = [
      ...['speed/%2e%2e/secret.html', 'speed/.hidden.html', 'speed/none.html', 'other/index.html'],
      ...['speed/..%2fsecret.html', 'speed/sub%2f..%2f..%2fsecret.html'],
    ];
    for (const path of paths) {
      const answer = await get(path);
      expect(answer.status, path).toBe(path.includes('%2f') ? 403 : 404);
      expect(await answer.text()).not.toContain('secret');
    }
  });

  test('its address keeps its own query, with the token after it', () => {
    const assignment = {
      protocol: 1,
      benchmark: 'speed',
      parameters: {},
      measurement: aMeasurement,
    } as const;
    const listener = { onStart: () => undefined, onEnd: () => undefined };
    const { url } = server.issue('guest/speed/index.html?auto&n=1+2', assignment, listener);
    expect(url.slice(server.origin.length)).toMatch(
      /^\/guest\/speed\/index\.html\?auto&n=1\+2&trial=[\w-]{22}$/,
    );
  });
});

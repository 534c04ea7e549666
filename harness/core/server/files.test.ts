import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { aMeasurement, aResult } from '../../testing/builders.ts';
import { aFolder } from '../../testing/folder.ts';
import { minifyHead } from '../../lab/minify-head.ts';
import { adapterHead, withAtHead, withAtTop } from './adapter.ts';
import { withOwnPolicy } from './adapter.ts';
import { emptyPage } from './own-origins.ts';
import { startPageServer, type PageServer } from './page-server.ts';

const tag = await adapterHead();

const anAssignment = {
  protocol: 1,
  benchmark: 'speed',
  parameters: {},
  measurement: aMeasurement,
} as const;

const silent = { onStart: () => undefined, onEnd: () => undefined };

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

for (const [what, script, expected] of [
  ['a plain script', 'go()', ';LISTEN go()'],
  ['a strict one', "// a\n'use strict';\ngo()", "// a\n'use strict';;LISTEN \ngo()"],
  ['a comment that says strict', "/* 'use strict' */ go()", ";LISTEN /* 'use strict' */ go()"],
  ['a text that is no directive', "go('use strict')", ";LISTEN go('use strict')"],
] as const) {
  test(`puts the worker's listener first in ${what} without changing the rest`, () => {
    expect(withAtTop(script, 'LISTEN')).toBe(expected);
  });
}

test('the minified head is the one of today; `npm run schema` makes it', async () => {
  expect(tag).toBe(`<script>${await minifyHead()}</script>`);
});

test.describe('a folder of pages that are not ours', () => {
  let server: PageServer;

  test.beforeEach(async () => {
    const folder = await aFolder();
    const theirs = join(folder, 'theirs');
    await mkdir(join(theirs, 'sub'), { recursive: true });
    await mkdir(join(folder, 'pages', 'kit'), { recursive: true });
    await writeFile(join(folder, 'pages', 'kit', 'page.css'), 'kit');
    await writeFile(join(folder, 'secret.html'), 'secret');
    await writeFile(join(theirs, 'index.html'), '<head>');
    await writeFile(join(theirs, 'sub', 'a b.htm'), '<head>');
    await writeFile(join(theirs, 'README.md'), 'read me');
    await writeFile(join(theirs, '.hidden.html'), 'secret');
    const guests = new Map([['speed', { folder: theirs }]]);
    server = await startPageServer({ pages: join(folder, 'pages'), port: 0, guests });
  });

  test.afterEach(() => server.close());

  test('an app with routes serves its index for pages, else a 404', async () => {
    const folder = await aFolder();
    await writeFile(join(folder, 'index.html'), '<head>app');
    const guests = new Map([['app', { folder, spa: true as const }]]);
    const app = await startPageServer({ pages: folder, port: 0, guests });
    const origin = await app.originOf('app', 'session');
    const ask = async (path: string, accept: string): Promise<readonly [number, string]> => {
      const answer = await fetch(`${origin}${path}`, { headers: { accept } });
      return [answer.status, (await answer.text()).slice(-3)];
    };
    expect(await ask('/', 'text/html,*/*')).toEqual([200, 'app']);
    expect(await ask('/users/jane.doe?tab=a', 'text/html,*/*')).toEqual([200, 'app']);
    expect(await ask('/users/', '*/*')).toEqual([200, 'app']);
    expect(await ask('/assets/gone.js', '*/*')).toEqual([404, 'ge.']);
    expect(await ask('/../secret', 'text/html')).toEqual([200, 'app']);
    await app.close();
  });

  const get = (path: string): Promise<Response> => fetch(`${server.origin}/guest/${path}`);

  test('adapts and isolates its pages and sends other files unchanged', async () => {
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
    // The farm's own bytes take no time: at this rate they would be a second and more.
    const slow = await startPageServer({
      pages: folder,
      port: 0,
      guests: new Map([['slow', { folder, network: { latencyMs: 0, kbitPerSecond: 1 } }]]),
    });
    const beganSlow = performance.now();
    await (await fetch(`${await slow.originOf('slow', 'one')}/`)).text();
    expect(performance.now() - beganSlow).toBeLessThan((8 * tag.length) / 2);
    await slow.close();
    const began = performance.now();
    expect(await read('index.html')).toBe(6 + tag.length);
    const afterPageMs = performance.now() - began;
    expect(await Promise.all([read('data.bin'), read('data.bin')])).toEqual([50_000, 50_000]);
    // 100 kB at 4 Mbit/s are 200 ms, after 100 ms of latency; a clock may round down.
    expect(afterPageMs).toBeGreaterThanOrEqual(99);
    expect(performance.now() - began - afterPageMs).toBeGreaterThanOrEqual(295);
    await shaped.close();
  });

  test('its origin has an empty page, isolated as the folder is', async () => {
    const folder = await aFolder();
    const guests = new Map([
      ['alone', { folder }],
      ['open', { folder, isolated: false as const }],
    ]);
    const both = await startPageServer({ pages: folder, port: 0, guests });
    const empty = async (id: string): Promise<readonly unknown[]> => {
      const { status, headers } = await fetch(`${await both.originOf(id, 'one')}${emptyPage}`);
      return [status, headers.get('cross-origin-embedder-policy')];
    };
    expect(await empty('alone')).toEqual([200, 'require-corp']);
    expect(await empty('open')).toEqual([200, null]);
    await both.close();
  });

  test("lies at a separate origin's root with only the reserved path", async () => {
    const origin = await server.originOf('speed', 'session');
    const at = async (path: string, headers: Record<string, string> = {}): Promise<string> => {
      const answer = await fetch(origin + path, { headers });
      return `${String(answer.status)} ${await answer.text()}`;
    };
    expect(await server.originOf('speed', 'session'), 'kept for the session').toBe(origin);
    expect(await server.originOf('speed', 'another')).not.toBe(origin);
    expect(await at('/')).toBe(`200 <head>${tag}`);
    expect(await at('/sub/a%20b.htm')).toBe(`200 <head>${tag}`);
    expect(await at('/README.md')).toBe('200 read me');
    for (const path of ['/kit/page.css', '/guest/speed/index.html', '/trial/x/assignment'])
      expect(await at(path), 'paths of the page server are its own').toMatch(/^404 /);
    expect(await at('/.crossfarm/kit/page.css')).toBe('200 kit');
    expect(await at('/', { origin: 'http://elsewhere.example' })).toMatch(/^403 /);

    const assignment = { ...anAssignment, guest: { metrics: [] } };
    const issued = server.issue(`${origin}/index.html?auto`, assignment, silent);
    const { url, begun, outcome: ended } = issued;
    expect(url, 'the page has the address that it has without the farm').toBe(
      `${origin}/index.html?auto`,
    );
    expect(await at('/index.html', { 'sec-fetch-dest': 'iframe' })).toBe(`200 <head>${tag}`);
    const [, token = ''] = /<script data-trial="([\w-]{22})"/.exec(await at('/index.html')) ?? [];
    const ofOrigin = await fetch(`${origin}/.crossfarm/trial-of-origin`, { method: 'POST' });
    expect(await ofOrigin.text(), 'for a page that a service worker has kept').toBe(token);
    await begun;
    const assigned = `/.crossfarm/trial/${token}/assignment`;
    expect(await at(assigned)).toMatch(/^200 /);
    expect(await at(assigned), 'a page that loads itself anew is the same trial').toMatch(/^200 /);
    for (const path of ['/lib/gone.js', '/lib/gone.js?v=2', '/favicon.ico', '/app.js.map'])
      expect(await at(path), path).toMatch(/^404 /);
    const post = (what: string, body: object): Promise<Response> =>
      fetch(`${origin}/.crossfarm/trial/${token}/${what}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await post('window', { mark: 'end' })).status).toBe(200);
    expect((await post('result', { ...aResult([1]), errors: ['x'] })).status).toBe(200);
    expect(await ended).toMatchObject({
      result: { errors: ['x', 'lib/gone.js could not be loaded'] },
    });
  });

  test('a page before which a driver runs the head is served as it lies', async () => {
    const origin = await server.originOf('speed', 'bare');
    const read = async (headers: Record<string, string> = {}): Promise<string> =>
      (await fetch(`${origin}/index.html`, { headers })).text();
    const guest = { metrics: [] };
    const bare = server.issue(`${origin}/index.html`, { ...anAssignment, guest }, silent);
    const head = (await bare.takeHead?.()) ?? '';
    expect(head).toContain(new URL(origin).origin);
    expect(await read()).toBe('<head>');
    expect(await read({ 'sec-fetch-dest': 'iframe' })).toBe('<head>');
    const ofOrigin = await fetch(`${origin}/.crossfarm/trial-of-origin`, { method: 'POST' });
    const token = await ofOrigin.text();
    expect(token).toMatch(/^[\w-]{22}$/);
    expect(head, 'it speaks for this trial').toContain(token);
    bare.revoke();
    const next = server.issue(`${origin}/index.html`, { ...anAssignment, guest }, silent);
    expect(await read(), 'another trial has its own way').toContain('<script data-trial=');
    next.revoke();
    expect(server.issue('guest/speed/index.html', anAssignment, silent).takeHead).toBeUndefined();
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

  test('follows links inside the folder and none that lead out', async () => {
    const folder = await aFolder();
    const [theirs, out] = [join(folder, 'theirs'), join(folder, 'out')];
    await mkdir(join(theirs, 'sub'), { recursive: true });
    await mkdir(join(theirs, '.git'));
    await mkdir(out);
    for (const path of ['out/secret.html', 'out/secret.js', 'theirs/.git/config'])
      await writeFile(join(folder, path), 'secret');
    await writeFile(join(theirs, 'sub', 'index.html'), '<head>');
    await writeFile(join(theirs, 'own.js'), 'own');
    const links: Readonly<Record<string, string>> = {
      'page.html': join(out, 'secret.html'),
      'relative.js': '../out/secret.js',
      root: '/',
      up: '..',
      outside: out,
      'sub/deep.js': '../../out/secret.js',
      'chain.js': 'relative.js',
      git: '.git',
      config: '.git/config',
      'environment.html': '/proc/self/environ',
      'nowhere.js': 'not-there.js',
      loop: 'loop',
      'linked.js': 'own.js',
      linked: 'sub',
    };
    for (const [path, target] of Object.entries(links)) await symlink(target, join(theirs, path));
    const socket = createServer().listen(join(theirs, 'socket'));
    const guests = new Map([['speed', { folder: theirs }]]);
    const linked = await startPageServer({ pages: folder, port: 0, guests });
    const origin = await linked.originOf('speed', 'one');
    const at = async (path: string): Promise<string> => {
      const answer = await fetch(`${origin}/${path}`);
      return `${String(answer.status)} ${await answer.text()}`;
    };
    const refused = [
      ...['page.html', 'relative.js', 'root/etc/passwd', 'up/out/secret.js', 'outside/secret.js'],
      ...['outside/', 'outside', 'sub/deep.js', 'chain.js', 'git/config', 'config', 'nowhere.js'],
      ...['environment.html', 'loop', 'loop/', 'socket', '.git/config', 'root/'],
    ];
    for (const path of refused) expect(await at(path), path).toMatch(/^404 (?!.*secret)/);
    expect(await at('linked.js')).toBe('200 own');
    expect(await at('linked/')).toBe(`200 <head>${tag}`);
    expect(await at('sub?a=b'), 'at the slash its relative links are right').toBe(
      `200 <head>${tag}`,
    );
    socket.close();
    await linked.close();
  });

  test('a page whose policy forbids all lets the adapter in, and nothing else', () => {
    const meta = (policy: string, quote = '"'): string =>
      `<meta http-equiv="Content-Security-Policy" content=${quote}${policy}${quote}>`;
    expect(withOwnPolicy(meta("default-src 'none'; script-src 'sha256-x='; img-src data:"))).toBe(
      meta("default-src 'self';script-src 'sha256-x=' 'self'; img-src data:"),
    );
    expect(withOwnPolicy(meta('script-src &#39;unsafe-inline&#39;', "'"))).toBe(
      meta('script-src &#39;unsafe-inline&#39; &#39;self&#39;', "'"),
    );
    for (const same of [meta("script-src 'self'"), '<meta name="x" content="default-src y">'])
      expect(withOwnPolicy(same)).toBe(same);
  });

  test("sends a page's bytes unchanged in any encoding", async () => {
    const folder = await aFolder();
    const [name, html] = ['Привет', '<!doctype html><head><title>'];
    const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8]);
    const declared = Buffer.from('<!doctype html><head><meta charset="windows-1251"><title>');
    const files = {
      'old.html': Buffer.concat([declared, cyrillic]),
      'plain.html': Buffer.from(html + name),
      'marked.html': Buffer.from(`\uFEFF${html}${name}`),
      'wide.html': Buffer.from(`\uFEFF${html}${name}`, 'utf16le'),
      'big.html': Buffer.from(`\uFEFF${html}${name}`, 'utf16le').swap16(),
    };
    for (const [file, bytes] of Object.entries(files)) await writeFile(join(folder, file), bytes);
    const one = await startPageServer({
      pages: folder,
      port: 0,
      guests: new Map([['page', { folder }]]),
    });
    const at = async (file: string): Promise<readonly [string, string | null]> => {
      const answer = await fetch(`${one.origin}/guest/page/${file}`);
      const type = answer.headers.get('content-type');
      const bytes = await answer.arrayBuffer();
      const encoding = {
        'old.html': 'windows-1251',
        'wide.html': 'utf-16le',
        'big.html': 'utf-16be',
      };
      const decoder = new TextDecoder(encoding[file as keyof typeof encoding] ?? 'utf-8');
      return [decoder.decode(bytes), type];
    };
    const adapted = html.replace('<head>', `<head>${tag}`) + name;
    const meta = '<!doctype html><head><meta charset="windows-1251"><title>';
    expect(await at('old.html')).toEqual([
      `${meta.replace('<head>', `<head>${tag}`)}При`,
      'text/html',
    ]);
    expect(await at('plain.html')).toEqual([adapted, 'text/html; charset=utf-8']);
    expect(await at('marked.html')).toEqual([adapted, 'text/html; charset=utf-8']);
    for (const file of ['wide.html', 'big.html'])
      expect(await at(file), file).toEqual([adapted, 'text/html']);
    await one.close();
  });

  test('falls back to the second folder for a missing name', async () => {
    const folder = await aFolder();
    for (const path of ['own/node_modules', 'beside/node_modules', 'beside/lib'])
      await mkdir(join(folder, path), { recursive: true });
    await writeFile(join(folder, 'own', 'page.js'), 'own');
    await writeFile(join(folder, 'beside', 'page.js'), 'beside');
    await writeFile(join(folder, 'beside', 'lib', 'a.js'), 'beside');
    await writeFile(join(folder, 'beside', '.env'), 'secret');
    await writeFile(join(folder, 'beside', 'node_modules', 'b.js'), 'another version');
    await symlink('/etc', join(folder, 'beside', 'etc'));
    const one = { folder: join(folder, 'own'), beside: [join(folder, 'beside')] };
    const two = await startPageServer({ pages: folder, port: 0, guests: new Map([['p', one]]) });
    const at = async (path: string): Promise<string> => {
      const answer = await fetch(`${two.origin}/guest/p/${path}`);
      return answer.ok ? answer.text() : String(answer.status);
    };
    expect(await at('page.js')).toBe('own');
    expect(await at('lib/a.js')).toBe('beside');
    for (const path of ['node_modules/b.js', '.env', 'etc/passwd', 'none.js'])
      expect(await at(path), path).toBe('404');
    await two.close();
  });

  test('its address keeps its own query, with the token after it', () => {
    const { url } = server.issue('guest/speed/index.html?auto&n=1+2', anAssignment, silent);
    expect(url.slice(server.origin.length)).toMatch(
      /^\/guest\/speed\/index\.html\?auto&n=1\+2&trial=[\w-]{22}$/,
    );
  });
});

/** Explanations of a slower paint and a slower click by real browsers. */
import { once as onceEmitted } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { transform } from 'esbuild';
import { farm } from '../../testing/farm.ts';
import { aFolderOf } from '../../testing/folder.ts';

interface Answer {
  readonly comparisons: readonly {
    readonly metric: string;
    readonly value: number;
    readonly explained?: {
      readonly parts: readonly {
        readonly name: string;
        readonly beforeMs: number;
        readonly afterMs: number;
      }[];
      readonly before: Evidence;
      readonly after: Evidence;
      readonly notSupported: readonly string[];
    };
  }[];
}

interface Evidence {
  readonly element: string | null;
  readonly resource: string | null;
  readonly frame: {
    readonly scripts: readonly { readonly name: string; readonly invoker: string | null }[];
  } | null;
}

const once = ['--measurement', 'fast', '--max-blocks', '1', '--no-probes', '--seed', '1'];

/** Milliseconds that no busy machine takes for the same without a wait. */
const late = 2000;
const busy = 1000;

/** Chromium takes no picture of so few bytes for the largest paint. */
const bytes = `<!-- ${'x'.repeat(20_000)} -->`;
const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400">${bytes}<rect width="600" height="400" fill="teal"/></svg>`;

/** A page that loads its picture some milliseconds after its beginning. */
function paintAfter(ms: number): string {
  return `<!doctype html><title>x</title><body style="margin:0"><img class="hero" width="600" height="400">
<script>setTimeout(() => { document.querySelector('img').src = 'hero.svg'; }, ${String(ms)});</script>`;
}

async function servePage(html: string): Promise<Server> {
  const server = createServer(({ url }, answer) => {
    const isPicture = url === '/hero.svg';
    answer.setHeader('content-type', isPicture ? 'image/svg+xml' : 'text/html');
    answer.end(isPicture ? picture : html);
  });
  await onceEmitted(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** A page with a button that works for some milliseconds. */
const page =
  '<!doctype html><title>x</title><button id="go">go</button><p id="seen"></p><script src="app.js"></script>';

function busyFor(ms: number): string {
  return `// The first line.
function update() {
  const from = performance.now();
  while (performance.now() - from < ${String(ms)});
  seen.textContent = String(document.body.offsetHeight);
}
go.onclick = update;`;
}

for (const browser of ['chromium', 'firefox', 'webkitgtk']) {
  test(`parts of a paint in ${browser}`, async () => {
    const folder = await aFolderOf({
      'old/index.html': paintAfter(0),
      'old/hero.svg': picture,
      'new/index.html': paintAfter(late),
      'new/hero.svg': picture,
    });
    const args = ['compare', 'old', 'new', '--browsers', browser, ...once, '--measure', 'lcp'];
    const run = await farm(folder, ...args, '--measure', 'load', '--json');
    test.skip(/cannot be measured: .*(not installed|not found)/.test(run.stderr), run.stderr);
    const { comparisons } = JSON.parse(run.stdout) as Answer;
    const lcp = comparisons.find(({ metric }) => metric === 'lcp');
    if (browser === 'webkitgtk') {
      expect(lcp!.explained).toBeUndefined();
      expect(comparisons.find(({ metric }) => metric === 'load')!.explained!.notSupported).toEqual([
        'long frames are not supported here, because this browser does not tell of them',
      ]);
      return;
    }
    const { parts, after } = lcp!.explained!;
    const loadDelay = parts.find(({ name }) => name === 'loadDelay')!;
    expect(loadDelay.afterMs).toBeGreaterThan(late - 50);
    expect(loadDelay.beforeMs).toBeLessThan(late - 50);
    const whole = parts.reduce((sum, { afterMs }) => sum + afterMs, 0);
    expect(Math.abs(whole - lcp!.value)).toBeLessThan(0.02 * lcp!.value + 2);
    expect(after).toMatchObject({ element: 'img.hero', resource: 'hero.svg' });
  });
}

test('parts of a paint of pages at URLs', async () => {
  const servers = [await servePage(paintAfter(0)), await servePage(paintAfter(late))];
  const urls = servers.map(
    (server) => `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`,
  );
  const folder = await aFolderOf({});
  const args = ['compare', ...urls, '--browsers', 'chromium', ...once, '--measure', 'lcp'];
  const run = await farm(folder, ...args, '--json');
  for (const server of servers) server.close();
  test.skip(/cannot be measured: .*(not installed|not found)/.test(run.stderr), run.stderr);
  const [lcp] = (JSON.parse(run.stdout) as Answer).comparisons;
  const { parts, after } = lcp!.explained!;
  const loadDelay = parts.find(({ name }) => name === 'loadDelay')!;
  expect(loadDelay.afterMs).toBeGreaterThan(late - 50);
  expect(loadDelay.beforeMs).toBeLessThan(late - 50);
  expect(after).toMatchObject({ element: 'img.hero', resource: 'hero.svg' });
});

/** The same as a bundler writes it, with its source map. */
async function minify(text: string): Promise<string> {
  const settings = { minify: true, format: 'iife', sourcemap: 'inline' } as const;
  return (await transform(text, { ...settings, sourcefile: 'src/button.js' })).code;
}

for (const browser of ['chromium', 'firefox']) {
  test(`parts of an interaction, and the script that blocked it, in ${browser}`, async () => {
    const folder = await aFolderOf({
      'old/index.html': page,
      'old/app.js': busyFor(20),
      'new/index.html': page,
      'new/app.js': await minify(busyFor(busy)),
    });
    await writeFile(join(folder, 'steps.json'), '[{ "click": "#go" }]');
    const args = ['compare', 'old', 'new', '--browsers', browser, ...once, '--measure', 'inp'];
    const run = await farm(folder, ...args, '--input', 'steps.json', '--json');
    test.skip(/cannot be measured: .*(not installed|not found)/.test(run.stderr), run.stderr);
    const { comparisons } = JSON.parse(run.stdout) as Answer;
    const { parts, after, notSupported } = comparisons.find(
      ({ metric }) => metric === 'inp',
    )!.explained!;
    const processing = parts.find(({ name }) => name === 'processing')!;
    expect(processing.afterMs).toBeGreaterThan(busy - 10);
    expect(processing.beforeMs).toBeLessThan(busy - 10);
    expect(after.element).toBe('#go');
    if (browser === 'firefox') {
      expect(notSupported[0]).toMatch(/^long frames are not supported here/);
      return;
    }
    expect(after.frame!.scripts[0]).toMatchObject({
      name: 'update (button.js:2)',
      invoker: 'BUTTON#go.onclick',
    });
  });
}

/** `farm compare old.html new.html` under conditions: a network, a processor, a cache, a person's input. */
import { once as onceEmitted } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { under } from '../../lab/audit/foreign-load.ts';
import { findOnPath } from '../../core/setup/executable.ts';
import { farm, startFarm } from '../../testing/farm.ts';
import { aFolderOf } from '../../testing/folder.ts';

test.skip(findOnPath(['chromium', 'chromium-browser']) === null, 'no Chromium is installed');

/**
 * One block shows the effect of a condition on a page. Without probes nothing is quarantined,
 * however busy the machine is with other tests.
 */
const once = ['--measurement', 'fast', '--max-blocks', '1', '--no-probes', '--seed', '1'];

interface Answer {
  readonly command: string;
  readonly comparisons: readonly {
    readonly title: string;
    readonly verdict: string;
    readonly value: number;
    readonly firstValue: number;
  }[];
}

test('a pretended network and a slower processor are part of what is compared', async () => {
  const html = '<!doctype html><title>x</title><p>text</p><script src="data.js"></script>';
  const data = `/*${'x'.repeat(60_000)}*/`;
  const files = { 'one/index.html': html, 'two/index.html': html };
  const folder = await aFolderOf({ ...files, 'one/data.js': data, 'two/data.js': data });
  const args = ['compare', 'one', 'two', ...once, '--measure', 'load'];
  const conditions = ['--network', 'latency=100,down=1000', '--cpu-throttling', '4'];
  const browsers = ['--browsers', 'chromium,firefox', '--json'];
  const refused = await farm(folder, ...args, ...conditions, ...browsers);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toMatch(/firefox cannot be measured/);
  const run = await farm(folder, ...args, ...conditions, '--browsers', 'chromium', '--json');
  const { comparisons, command } = JSON.parse(run.stdout) as Answer;
  // Two requests of 100 ms, and 480 ms for the script.
  expect(comparisons[0]!.firstValue).toBeGreaterThan(650);
  expect(command).toContain('--network latency=100,down=1000 --cpu-throttling 4');
  expect((await farm(folder, 'report', '--terminal')).stdout).toMatch(/network=100 ms/);
});

/** A page whose button and field block for a while before they show the input. */
const busy = (ms: number): string => `<!doctype html><title>x</title><body>
  <button id="go" style="margin-top: 2000px">go</button><input id="name"><p id="seen"></p><a id="away" href="new.html">away</a><script>
  const work = (event) => {
    const from = performance.now();
    while (performance.now() - from < ${String(ms)});
    seen.textContent += event.isTrusted ? event.key ?? 'click' : '?';
    performance.measure('answered', { start: event.timeStamp });
  };
  go.addEventListener('click', work);
  document.getElementById('name').addEventListener('keydown', work);
</script>`;

for (const browser of ['chromium', 'firefox', 'webkitgtk']) {
  test(`interaction to next paint of clicks and keys in ${browser}`, async () => {
    const folder = await aFolderOf({ 'old.html': busy(20), 'new.html': busy(1000) });
    await writeFile(
      join(folder, 'steps.mjs'),
      `export default [{ click: '#go' }, { type: 'ab', into: '#name' }, { scroll: 100 }, { press: 'Enter' }, { waitFor: '#seen' }];`,
    );
    const args = ['compare', 'old.html', 'new.html', '--browsers', browser, ...once];
    const run = await farm(folder, ...args, '--input', 'steps.mjs', '--json');
    test.skip(/cannot be measured: .*(not installed|not found)/.test(run.stderr), run.stderr);
    const { comparisons, command } = JSON.parse(run.stdout) as Answer;
    expect(command).toContain('--input steps.mjs');
    const named = Object.fromEntries(comparisons.map((one) => [one.title, one]));
    // WebKitGTK takes the input, and has no Event Timing that would tell of it.
    const lacks = browser === 'webkitgtk' ? ['interaction to next paint'] : [];
    for (const title of lacks) expect(named[title]!.verdict).toBe('not supported');
    for (const title of ['answered', 'interaction to next paint']) {
      if (lacks.includes(title)) continue;
      expect(named[title]!.value, title).toBeGreaterThan(990);
      expect(named[title]!.firstValue, title).toBeLessThan(990);
    }
    const report = (await farm(folder, 'report', '--terminal')).stdout;
    expect(report).toMatch(/input=steps\.mjs [0-9a-f]{8}/);
  });
}

test('input that a page cannot take is refused before anything is measured', async () => {
  const folder = await aFolderOf({ 'old.html': busy(1), 'new.html': busy(2) });
  const args = ['compare', 'old.html', 'new.html', '--browsers', 'chromium', ...once];
  const withSteps = async (text: string): Promise<Awaited<ReturnType<typeof farm>>> => {
    await writeFile(join(folder, 'steps.json'), text);
    return farm(folder, ...args, '--input', 'steps.json');
  };
  const unknown = await withSteps('[{ "click": "#go" }, { "press": "Entre" }]');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toMatch(/\$\[1\]\.press is "Entre"/);
  const absent = await withSteps('[{ "click": "#go" }, { "click": "#gone" }]');
  expect(absent.code).toBe(2);
  expect(absent.stderr).toMatch(/step 2 \(click "#gone"\): no such element/);
  const far = createServer((_, response) => response.end('<p>far')).listen(0, '127.0.0.1');
  await onceEmitted(far, 'listening');
  const { port } = far.address() as AddressInfo;
  for (const name of ['old', 'new']) {
    await writeFile(
      join(folder, `${name}.html`),
      `<a id="far" href="http://127.0.0.1:${String(port)}/">x</a>`,
    );
  }
  const left = await withSteps('[{ "click": "#far" }]');
  far.close();
  expect(left.code).toBe(2);
  expect(left.stderr).toMatch(/led to a page of another origin/);
});

/** A page that blocks after a click, goes on to another address by itself, and leads to another page. */
const journey = (ms: number): Readonly<Record<string, string>> => ({
  'index.html': `<!doctype html><title>x</title><button id="menu">menu</button>
    <button id="tab">tab</button><a id="away" href="next.html">away</a><script>
    const spin = () => { const from = performance.now(); while (performance.now() - from < ${String(ms)}); };
    menu.onclick = spin;
    tab.onclick = () => setTimeout(() => { spin(); history.pushState(null, '', '?tab'); tab.id = 'opened'; }, 50);
  </script>`,
  'next.html': `<!doctype html><title>y</title><script>
    const spin = () => { const from = performance.now(); while (performance.now() - from < ${String(ms)}); };
    spin();
  </script><button id="there" onclick="spin()">there</button>`,
});

for (const browser of ['chromium', 'firefox', 'webkitgtk']) {
  test(`each named step, address and page of a journey is a row in ${browser}`, async () => {
    const files = Object.entries({ old: journey(1), new: journey(300) }).flatMap(([name, pages]) =>
      Object.entries(pages).map(([page, text]) => [`${name}/${page}`, text] as const),
    );
    const folder = await aFolderOf(Object.fromEntries(files));
    const steps = [
      { click: '#menu', name: 'menu' },
      ...[{ click: '#tab' }, { waitFor: '#opened' }],
      ...[{ click: '#away' }, { waitFor: '#there' }],
      { repeat: 2, click: '#there', name: 'there' },
    ];
    await writeFile(join(folder, 'steps.json'), JSON.stringify(steps));
    const args = ['compare', 'old', 'new', '--browsers', browser, ...once];
    const run = await farm(folder, ...args, '--input', 'steps.json', '--json');
    test.skip(/cannot be measured: .*(not installed|not found)/.test(run.stderr), run.stderr);
    expect(run.code, run.stderr).toBe(0);
    const { comparisons } = JSON.parse(run.stdout) as Answer;
    const titles = comparisons.map(({ title }) => title);
    expect(titles.toSorted()).toEqual(['click #away', 'click #tab', 'menu', 'there']);
    for (const { title, value } of comparisons) expect(value, title).toBeGreaterThan(295);
  });
}

test('with a warm cache the files of a page are not asked for again', async () => {
  const html = '<!doctype html><title>x</title><p>text</p><script src="data.js"></script>';
  const data = `/*${'x'.repeat(60_000)}*/`;
  const files = { 'one/index.html': html, 'two/index.html': html };
  const folder = await aFolderOf({ ...files, 'one/data.js': data, 'two/data.js': data });
  const args = ['compare', 'one', 'two', '--browsers', 'chromium', ...once];
  const run = await farm(folder, ...args, '--measure', 'transferred', '--warm', '--json');
  const { comparisons } = JSON.parse(run.stdout) as Answer;
  // The HTML alone, of 60 kB.
  expect(comparisons[0]!.firstValue).toBeLessThan(10);
  const report = await farm(folder, 'report', '--terminal');
  expect(report.stdout, report.stderr).toMatch(/cache=warm/);
});

test('a page that its service worker has kept is measured, too', async () => {
  const html = `<!doctype html><title>x</title><script>
    navigator.serviceWorker.register('sw.js').then(() => navigator.serviceWorker.ready)
      .then(() => performance.measure('ready'));
    performance.measure(navigator.serviceWorker.controller ? 'kept' : 'fresh');</script>`;
  const worker = `addEventListener('install', (e) => e.waitUntil(
      caches.open('x').then((kept) => kept.addAll(['./'])).then(() => skipWaiting())));
    addEventListener('activate', (e) => e.waitUntil(clients.claim()));
    addEventListener('fetch', (e) => e.respondWith(
      caches.match(e.request, { ignoreSearch: true }).then((kept) => kept ?? fetch(e.request))));`;
  const files = { 'one/index.html': html, 'two/index.html': html };
  const folder = await aFolderOf({ ...files, 'one/sw.js': worker, 'two/sw.js': worker });
  const args = ['compare', 'one', 'two', '--browsers', 'chromium', ...once];
  const run = await farm(folder, ...args, '--warm', '--json');
  const { comparisons } = JSON.parse(run.stdout) as Answer;
  expect(comparisons.map(({ title }) => title).toSorted(), run.stderr).toEqual(['kept', 'ready']);
});

/** A page that times one loop, once it has been compiled. */
const loop = (rounds: number): string => `<!doctype html><title>x</title><script>
  const once = () => { let x = 0; for (let i = 0; i < ${String(rounds)}; i++) x = (x * 31 + i) | 0; return x; };
  for (let i = 0; i < 100; i++) globalThis.kept = once();
  const start = performance.now();
  for (let i = 0; i < 50; i++) globalThis.kept = once();
  performance.measure('loop', { start });
</script>`;

test('compares versions on a constantly busy machine and tells the reader', async () => {
  test.skip(process.platform !== 'linux', 'what others use is read from /proc');
  const folder = await aFolderOf({ 'old.html': loop(200_000), 'new.html': loop(1_000_000) });
  const args = ['compare', 'old.html', 'new.html', '--browsers', 'chromium', '--seed', '1'];
  const summary = join(folder, 'summary.md');
  const run = await under('whole', () =>
    // A repeat would be disturbed, too, and count no more than its trial.
    startFarm(folder, [...args, '--max-blocks', '7', '--no-repeat', '--json'], {
      GITHUB_STEP_SUMMARY: summary,
    }),
  );
  const answer = JSON.parse(run.stdout) as Answer & { disturbed: { waitLeftOut: number } };
  const [row] = answer.comparisons;
  expect(row).toMatchObject({ title: 'loop' });
  expect(row!.value).toBeGreaterThan(2 * row!.firstValue);
  // With more than two cores the other program may take a core that the page did not want.
  const least = cpus().length > 2 ? 0 : Number.EPSILON;
  expect(answer.disturbed.waitLeftOut).toBeGreaterThanOrEqual(least);
  expect(answer.disturbed.waitLeftOut).toBeLessThan(0.9);
  expect(await readFile(summary, 'utf8')).toMatch(
    /(\d+) trials of \d+ ran while something else used the machine, and count/,
  );
  expect((await farm(folder, 'report', '--terminal')).stdout).toMatch(
    /\d+ of \d+ trials count although the machine was busy/,
  );
});

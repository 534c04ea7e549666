/** `farm compare old.html new.html` under conditions: a network, a processor, a cache, a person's input. */
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { under } from '../app/audit/foreign-load.ts';
import { findOnPath } from '../setup/executable.ts';
import { farm } from '../testing/farm.ts';
import { aFolderOf } from '../testing/folder.ts';

test.setTimeout(240_000);
test.skip(findOnPath(['chromium', 'chromium-browser']) === null, 'no Chromium is installed');

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
  const args = ['compare', 'one', 'two', '--max-blocks', '5', '--no-probes', '--measure', 'load'];
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

/** A page whose button and field block for so long before they show what was done. */
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
    const folder = await aFolderOf({ 'old.html': busy(30), 'new.html': busy(150) });
    await writeFile(
      join(folder, 'steps.mjs'),
      `export default [{ click: '#go' }, { type: 'ab', into: '#name' }, { scroll: 100 }, { press: 'Enter' }, { waitFor: '#seen' }];`,
    );
    const args = ['compare', 'old.html', 'new.html', '--browsers', browser, '--max-blocks', '14'];
    const given = ['--input', 'steps.mjs', '--no-probes', '--seed', '1', '--json'];
    const run = await farm(folder, ...args, ...given);
    test.skip(/cannot be measured: .*(not installed|not found)/.test(run.stderr), run.stderr);
    const { comparisons, command } = JSON.parse(run.stdout) as Answer;
    expect(command).toContain('--input steps.mjs');
    const named = Object.fromEntries(comparisons.map((one) => [one.title, one]));
    // WebKitGTK takes the input, and has no Event Timing that would tell of it.
    const lacks = browser === 'webkitgtk' ? ['interaction to next paint'] : [];
    for (const title of lacks) expect(named[title]!.verdict).toBe('not supported');
    for (const title of ['answered', 'interaction to next paint']) {
      if (lacks.includes(title)) continue;
      expect(named[title], title).toMatchObject({ verdict: 'slower' });
      expect(named[title]!.value, title).toBeGreaterThan(145);
      expect(named[title]!.firstValue, title).toBeLessThan(145);
    }
    const report = (await farm(folder, 'report', '--terminal')).stdout;
    expect(report).toMatch(/input=steps\.mjs [0-9a-f]{8}/);
  });
}

test('input that a page cannot take is refused before anything is measured', async () => {
  const folder = await aFolderOf({ 'old.html': busy(1), 'new.html': busy(2) });
  const args = [
    'compare',
    'old.html',
    'new.html',
    '--browsers',
    'chromium',
    '--no-probes',
    '--input',
    'steps.json',
  ];
  const withSteps = async (text: string): Promise<Awaited<ReturnType<typeof farm>>> => {
    await writeFile(join(folder, 'steps.json'), text);
    return farm(folder, ...args);
  };
  const unknown = await withSteps('[{ "click": "#go" }, { "press": "Entre" }]');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toMatch(/\$\[1\]\.press is "Entre"/);
  const absent = await withSteps('[{ "click": "#go" }, { "click": "#gone" }]');
  expect(absent.code).toBe(2);
  expect(absent.stderr).toMatch(/step 2 \(click "#gone"\): no such element/);
  const left = await withSteps('[{ "click": "#away" }, { "wait": 500 }]');
  expect(left.code).toBe(2);
  expect(left.stderr).toMatch(/led to another page/);
});

test('with a warm cache the files of a page are not asked for again', async () => {
  const html = '<!doctype html><title>x</title><p>text</p><script src="data.js"></script>';
  const data = `/*${'x'.repeat(60_000)}*/`;
  const files = { 'one/index.html': html, 'two/index.html': html };
  const folder = await aFolderOf({ ...files, 'one/data.js': data, 'two/data.js': data });
  const args = ['compare', 'one', 'two', '--max-blocks', '5', '--no-probes', '--json'];
  const measured = ['--measure', 'transferred', '--browsers', 'chromium'];
  const run = await farm(folder, ...args, ...measured, '--warm');
  const { comparisons } = JSON.parse(run.stdout) as Answer;
  // The HTML alone, of 60 kB.
  expect(comparisons[0]!.firstValue).toBeLessThan(10);
  expect((await farm(folder, 'report', '--terminal')).stdout).toMatch(/cache=warm/);
});

/** A page that times one loop, once it has been compiled. */
const loop = (rounds: number): string => `<!doctype html><title>x</title><script>
  const once = () => { let x = 0; for (let i = 0; i < ${String(rounds)}; i++) x = (x * 31 + i) | 0; return x; };
  for (let i = 0; i < 100; i++) globalThis.kept = once();
  const start = performance.now();
  for (let i = 0; i < 50; i++) globalThis.kept = once();
  performance.measure('loop', { start });
</script>`;

/** A page that times short calls, of code that is the browser's best by then. */
const shortCalls = `<!doctype html><title>x</title><script>
  const once = (x) => { for (let i = 0; i < 1000; i++) x = (x * 31 + i) | 0; return x; };
  const run = (calls) => { for (let i = 0; i < calls; i++) globalThis.kept = once(i); };
  const began = performance.now();
  do run(1000); while (performance.now() - began < 700);
  const start = performance.now();
  run(60000);
  performance.measure('calls', { start });
</script>`;

test('beside a neighbour that never rests equal versions are the same', async () => {
  test.skip(process.platform !== 'linux', 'what others use is read from /proc');
  const html = shortCalls;
  const folder = await aFolderOf({ 'old.html': html, 'new.html': html.replace('x', 'y') });
  const args = ['compare', 'old.html', 'new.html', '--browsers', 'chromium', '--seed', '1'];
  const given = ['--margin', '0.2', '--max-blocks', '20', '--json'];
  const run = await under('whole', () => farm(folder, ...args, ...given));
  const answer = JSON.parse(run.stdout) as Answer & { disturbed: { waitLeftOut: number } };
  expect(answer.comparisons).toMatchObject([{ title: 'calls', verdict: 'equivalent' }]);
  // With more than two cores the neighbour may take none that the page wanted.
  const least = cpus().length > 2 ? 0 : Number.EPSILON;
  expect(answer.disturbed.waitLeftOut).toBeGreaterThanOrEqual(least);
  expect(answer.disturbed.waitLeftOut).toBeLessThan(0.9);
});

test('beside a neighbour that never rests versions are compared, and the reader is told', async () => {
  test.skip(process.platform !== 'linux', 'what others use is read from /proc');
  const folder = await aFolderOf({ 'old.html': loop(200_000), 'new.html': loop(500_000) });
  const args = ['compare', 'old.html', 'new.html', '--browsers', 'chromium', '--seed', '1'];
  const run = await under('whole', () => farm(folder, ...args, '--max-blocks', '30'));
  expect(run.stdout).toMatch(/new\.html .*slower/);
  expect(run.stdout).toMatch(
    /(\d+) trials of \d+ ran while something else used the machine, and count/,
  );
  expect((await farm(folder, 'report', '--terminal')).stdout).toMatch(
    /\d+ of \d+ trials were disturbed, and count/,
  );
});

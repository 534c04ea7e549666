/** `farm compare old.html new.html` as a user has it: in their own folder, with their own pages. */
import { once as onceEmitted } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { execa } from 'execa';
import type { Outcome } from '../../core/model/trial.ts';
import { findOnPath } from '../../core/setup/executable.ts';
import { farm, leftRunning, newestTrials, startFarm } from '../../testing/farm.ts';
import { aFolder, aFolderOf } from '../../testing/folder.ts';

test.skip(findOnPath(['chromium', 'chromium-browser']) === null, 'no Chromium is installed');

/** A page that times its own loop: ten times by performance.measure, and by bench until a time is over. */
function page(rounds: number, more = ''): string {
  return `<!doctype html><title>x</title><script>
    function work() { let x = 0; for (let i = 0; i < ${String(rounds)}; i++) x = (x * 31 + i) | 0; return x; }
    for (let i = 0; i < 20; i++) work();
    for (let i = 0; i < 10; i++) {
      performance.mark('from');
      globalThis.kept = work();
      performance.measure('loop', 'from');
    }
    const end = performance.now() + 200;
    while (performance.now() < end) {
      bench.start();
      globalThis.kept = work();
      bench.stop();
    }
    ${more}
  </script>`;
}

/**
 * One block shows a page's numbers and decides nothing: verdicts and their exit codes do not depend
 * on the numbers' source (`versions.test.ts`).
 */
const onceIn = (browser: string): readonly string[] => [
  ...['--browsers', browser, '--measurement', 'fast', '--max-blocks', '1'],
  ...['--no-probes', '--seed', '1'],
];

const once = onceIn('chromium');

type CompletedOutcome = Extract<Outcome, { kind: 'completed' }>;

interface Answer {
  readonly onlyIn: readonly object[];
  readonly comparisons: readonly {
    readonly title: string;
    readonly version: string;
    readonly ratio: number;
    readonly value: number;
    readonly firstValue: number;
  }[];
}

test('compares two files of any name by their own measures', async () => {
  const folder = await aFolderOf({
    'old #1.html': page(200_000),
    'new?50%.html': page(2_000_000, 'performance.measure("new only");'),
  });
  const args = ['compare', 'old #1.html', 'new?50%.html', ...once];
  const run = await farm(folder, ...args, '--json');
  const { comparisons, onlyIn } = JSON.parse(run.stdout) as Answer;
  expect(comparisons.map(({ title }) => title).sort()).toEqual([
    'bench.start() to bench.stop()',
    'loop',
    'new only',
  ]);
  const both = comparisons.filter(({ title }) => title !== 'new only');
  for (const { ratio, version, value, firstValue } of both) {
    expect(version).toBe('new?50%.html');
    expect(ratio).toBeGreaterThan(2);
    expect(value / firstValue).toBeCloseTo(ratio, 9);
  }
  expect(onlyIn).toEqual([{ measure: 'new only', versions: ['new?50%.html'] }]);
  expect(run.code).toBe(0);
  expect(leftRunning(folder)).toEqual([]);
});

test('packages in CommonJS run as users bundle them, and a page without its package ends with 2', async () => {
  const files = ['one', 'two'].flatMap((name, index) => [
    [`${name}/package.json`, JSON.stringify({ name, version: '1.0.0' })],
    [
      `${name}/index.js`,
      `exports.work = () => {
         if (process.env.NODE_ENV !== 'production') throw new Error('for developers');
         const end = performance.now() + ${String(2 + 6 * index)};
         while (performance.now() < end);
       };`,
    ],
  ]);
  const script = `import { work } from 'lib';
    for (let i = 0; i < 10; i++) { performance.mark('a'); work(); performance.measure('work', 'a'); }`;
  const folder = await aFolderOf({
    ...(Object.fromEntries(files) as Record<string, string>),
    'page.html': `<!doctype html><title>x</title><script type="module">${script}</script>`,
  });
  const args = ['compare', 'one@file:one', 'two@file:two', '--page', 'page.html', ...once];
  const run = await farm(folder, ...args, '--as', 'lib', '--json');
  const { comparisons } = JSON.parse(run.stdout) as Answer;
  expect(comparisons.map(({ title }) => title)).toEqual(['work']);
  expect(comparisons[0]?.ratio).toBeGreaterThan(1);
  const without = await farm(folder, ...args);
  expect(without.code).toBe(2);
  expect(without.stderr).toMatch(/page\.html:1: Could not resolve "lib"/);
});

test('Ctrl-C while a version is built is an interruption, and ends the build', async () => {
  const folder = await aFolderOf({ 'index.html': '<title>x</title>' });
  const git = async (...args: readonly string[]): Promise<void> => {
    const author = ['-c', 'user.name=x', '-c', 'user.email=x@example.org'];
    await execa('git', [...author, ...args], { cwd: folder });
  };
  await git('init', '--quiet');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'one');
  await git('branch', 'other');
  const begun = join(folder, 'begun');
  const script = `require('fs').writeFileSync('${begun}', String(process.pid)); setInterval(() => {}, 1000);`;
  const build = ['--build', `node -e "${script}"`];
  const child = startFarm(folder, ['compare', 'HEAD', 'other', ...once, ...build]);
  const pid = (): string => (existsSync(begun) ? readFileSync(begun, 'utf8') : '');
  await expect.poll(pid, { timeout: 60_000 }).not.toBe('');
  child.kill('SIGINT');
  const { exitCode, stderr } = await child;
  expect(String(stderr)).toMatch(/farm: Interrupted by SIGINT/);
  expect(exitCode).toBe(3);
  await expect.poll(() => existsSync(`/proc/${pid()}`)).toBe(false);
});

test("reports a page's errors as the reason of a missing metric", async () => {
  const broken = (script: string): string => `<!doctype html><title>x</title>${script}<p>text</p>`;
  const folder = await aFolderOf({
    'old.html': broken("<script>throw new Error('gone\\x1b[2J\\nfor good')</script>"),
    'new.html': broken(
      '<script type="module">import "./gone.js"</script><script>import("./later.js")</script>',
    ),
  });
  const args = ['compare', 'old.html', 'new.html', ...once];
  const run = await farm(folder, ...args);
  expect(run.stderr).toMatch(/old\.html has an error: .*gone for good \(old\.html:1\)/);
  expect(run.stderr).toMatch(/new\.html has an error: .*could not be loaded/);
  expect(run.stderr).toMatch(/new\.html has an error: a promise was rejected: .* later\.js/);
  // The page's server has another port each time, and the error of two versions would be two.
  expect(run.stderr).not.toContain('127.0.0.1');
  const asked = await farm(folder, ...args, '--measure', 'measure:run');
  expect(asked.stderr).toMatch(/cannot be measured: .*(gone for good|not be loaded)/);
  expect(asked.code).toBe(2);
  expect(run.stderr + asked.stderr).not.toContain('\u001b[2J');
});

for (const [kind, files, says] of [
  [
    'imports a missing module',
    { 'main.js': 'import "./parts/gone.js"' },
    ['parts/gone.js could not be loaded'],
  ],
  [
    'imports a module with a syntax error',
    { 'main.js': 'import "./broken.js"', 'broken.js': 'const = 1' },
    [/SyntaxError.* \(broken\.js:1\)/],
  ],
  [
    'imports what is no script',
    { 'main.js': 'import "./part.txt"', 'part.txt': 'export {}' },
    ['part.txt could not be loaded: it is sent as text/plain, and is no script'],
  ],
  ['asks for a name with spaces twice', { 'main.js': '' }, ['my own.js could not be loaded']],
] as const) {
  test(`a page that ${kind} is refused, and the file named once`, async () => {
    const more = kind.startsWith('asks')
      ? '<script src="my own.js"></script><img src="my%20own.js">'
      : '';
    const html = `<!doctype html><title>x</title><script type="module" src="main.js"></script>${more}`;
    const folder = await aFolderOf({ 'new/index.html': html, 'old.html': '<title>x</title>' });
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(folder, 'new', name), text);
    }
    const run = await farm(folder, 'compare', 'old.html', 'new', ...once);
    for (const one of says) expect(run.stderr).toMatch(one);
    const lines = run.stderr.split('\n').filter((line) => /own\.js|gone\.js|part\.txt/.test(line));
    expect(lines.length).toBe(kind.includes('syntax') ? 0 : 1);
    expect(run.code).toBe(2);
  });
}

for (const browser of ['chromium', 'webkitgtk']) {
  test(`refuses an answer that is not a page in ${browser}`, async () => {
    const server = createServer(({ url = '' }, answer) => {
      answer.writeHead(url === '/gone' ? 404 : 200, { 'content-type': 'text/html' });
      answer.end('<!doctype html><title>x</title><p>text</p>');
    }).listen(0, '127.0.0.1');
    await onceEmitted(server, 'listening');
    const origin = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const args = [`http://${origin}/good`, `http://bo:geheim@${origin}/gone`];
    const folder = await aFolder();
    const how = ['--measure', 'load', '--measurement', 'fast', '--browsers', browser];
    const run = await farm(folder, 'compare', ...args, ...how);
    server.close();
    test.skip(/cannot be measured: .*(not installed|not found)/.test(run.stderr), run.stderr);
    expect(run.code, run.stderr).toBe(2);
    expect(run.stderr).toContain(`http://${origin}/gone answers 404`);
    expect(run.stderr).not.toContain('geheim');
  });
}

for (const browser of ['chromium', 'firefox']) {
  test(`refuses a page at a URL that throws early in ${browser}`, async () => {
    const server = createServer(({ url }, answer) => {
      answer.writeHead(200, { 'content-type': 'text/html' });
      const script = url === '/good' ? '' : '<script>undefinedThing.go()</script>';
      answer.end(`<!doctype html><title>x</title>${script}<p>text</p>`);
    }).listen(0, '127.0.0.1');
    await onceEmitted(server, 'listening');
    const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const args = [`${origin}/good`, `${origin}/bad`, ...onceIn(browser)];
    const run = await farm(await aFolder(), 'compare', ...args);
    server.close();
    expect(run.stderr).toMatch(/bad has an error: .*undefinedThing/);
    expect(run.code).toBe(2);
  });
}

for (const browser of ['chromium', 'firefox', 'webkitgtk']) {
  test(`counts cleared measures and those of frames and workers in ${browser}`, async () => {
    const page = (ms: number): string =>
      `<!doctype html><title>x</title><iframe src="frame.html"></iframe><script>
      performance.measure('cleared', { start: 0, end: ${String(ms)} });
      performance.clearMeasures();
      for (const type of ['classic', 'module']) {
        const worker = new Worker(type + '.js', { type });
        worker.onmessage = () => worker.terminate();
      }
      const isStrict = '(function () { return this; })() === undefined';
      for (const [type, strict] of [['classic', true], ['classic', false], ['module', true]]) {
        const text = (type === 'classic' && strict ? '/* x */ "use strict";' : '') +
          'if ((' + isStrict + ') !== ' + strict + ') throw new Error("strict");' +
          'performance.measure("blob ' + type + ' ' + strict + '", { start: 0, end: 8 });';
        const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
        new Worker(url, { type });
        URL.revokeObjectURL(url);
      }
      new SharedWorker('shared.js').port.start();</script>`;
    const frame = `<!doctype html><script>performance.measure('framed', { start: 0, end: 7 })</script>`;
    const working = (name: string): string =>
      `"use strict"; performance.measure('${name}', { start: 0, end: 9 }); postMessage('done');`;
    const shared = {
      'frame.html': frame,
      'classic.js': working('classic'),
      'module.js': `import './part.js'; ${working('module')}`,
      'part.js': '',
      'shared.js': `performance.measure('shared', { start: 0, end: 9 });`,
    };
    const folder = await aFolderOf(
      Object.fromEntries(
        [['old', 10] as const, ['new', 20] as const].flatMap(([name, ms]) =>
          Object.entries({ 'index.html': page(ms), ...shared }).map(
            ([file, text]) => [`${name}/${file}`, text] as const,
          ),
        ),
      ),
    );
    const run = await farm(folder, 'compare', 'old', 'new', ...onceIn(browser), '--json');
    test.skip(/cannot be measured: .*(not installed|not found)/.test(run.stderr), run.stderr);
    const { comparisons } = JSON.parse(run.stdout) as Answer;
    const values = comparisons.map(({ title, firstValue, value }) => [title, firstValue, value]);
    const same = (ms: number): readonly unknown[] => [
      expect.closeTo(ms, 6) as unknown,
      expect.closeTo(ms, 6) as unknown,
    ];
    expect(values.toSorted(), run.stderr).toEqual([
      ['blob classic false', ...same(8)],
      ['blob classic true', ...same(8)],
      ['blob module true', ...same(8)],
      ['classic', ...same(9)],
      ['cleared', 10, expect.closeTo(20, 6)],
      ['framed', ...same(7)],
      ['module', ...same(9)],
      ['shared', ...same(9)],
    ]);
  });
}

test('reads a page that continues after its load, or says so itself', async () => {
  const goesOn = (then: string): string =>
    `<!doctype html><title>x</title><p>wait</p><script>
    fetch('index.html').then(() => setTimeout(() => { ${then} }, 900));</script>`;
  const shows = (size: number): string =>
    goesOn(`document.body.innerHTML = '<h1 style="font-size: ${String(size)}px">data</h1>';`);
  const works = goesOn(
    'const from = performance.now(); setTimeout(() => { performance.measure("work", { start: from }); bench.done(); }, 1200);',
  );
  const folder = await aFolderOf({
    'old/index.html': shows(200),
    'new/index.html': shows(300),
    'a/index.html': works,
    'b/index.html': works,
  });
  const valuesOf = async (...names: readonly string[]): Promise<readonly number[]> => {
    const run = await farm(folder, 'compare', ...names, ...once, '--json');
    const { comparisons } = JSON.parse(run.stdout) as Answer;
    return comparisons.flatMap(({ firstValue, value }) => [firstValue, value]);
  };
  const paints = await valuesOf('old', 'new', '--measure', 'lcp');
  expect(Math.min(...paints)).toBeGreaterThan(900);
  const times = await valuesOf('a', 'b');
  expect(Math.min(...times)).toBeGreaterThanOrEqual(1200);
});

test('pages that measure nothing are compared by how they load', async () => {
  const html = '<!doctype html><title>x</title><p>text</p>';
  const folder = await aFolderOf({ 'one/index.html': html, 'two/index.html': html });
  const run = await farm(folder, 'compare', 'one', 'two', ...once, '--markdown');
  expect(run.stderr).toMatch(/two holds the same bytes as one/);
  expect(run.stdout).toContain('| browser | measure | one | two | difference |');
  expect(run.stdout).toMatch(/\| load \| [\d.]+ ms \| [\d.]+ ms \|/);
  expect(run.stdout).toMatch(/\| largest contentful paint( \(drawn by software\))? \|/);
  expect(run.code).toBe(0);
});

test('memory of the whole browser and bytes are measures', async () => {
  const hoard = 'globalThis.kept = Array.from({ length: 40 }, () => new Uint8Array(4e6).fill(7));';
  const padding = '<!--' + 'x'.repeat(300_000) + '-->';
  const html = (script: string, more = ''): string =>
    `<!doctype html><title>x</title><p>text${more}</p><script>${script}</script>`;
  const folder = await aFolderOf({ 'small.html': html(''), 'large.html': html(hoard, padding) });
  const wanted = ['memory', 'memory-end', 'transferred'];
  const args = ['compare', 'small.html', 'large.html', ...once, '--json'];
  const run = await farm(folder, ...args, ...wanted.flatMap((one) => ['--measure', one]));
  const { comparisons } = JSON.parse(run.stdout) as Answer;
  const named = Object.fromEntries(comparisons.map((one) => [one.title, one]));
  expect(named['memory, at most']!.value - named['memory, at most']!.firstValue).toBeGreaterThan(
    100,
  );
  const atEnd = named['memory at the end']!;
  expect(atEnd.value - atEnd.firstValue).toBeGreaterThan(100);
  // The page alone, without the adapter that the farm puts into it.
  expect(named['transferred']!.firstValue).toBeLessThan(2);
  expect(named['transferred']!.value).toBeGreaterThan(300);
});

/** Pages of the same structure as the real suites, which are done after a while. */
const standIns = {
  speedometer: [
    'index.html',
    `if (!/startAutomatically=true/.test(location.search)) throw new Error('not begun');
     let done = false;
     globalThis.benchmarkClient = { hasFinished: () => done, metrics: {} };
     setTimeout(() => {
       const all = { name: 'TodoMVC-Vue', mean: 40, children: [{}] };
       const step = { name: 'TodoMVC-Vue/Adding', mean: 30, parent: all, children: [] };
       const iteration = { name: 'Iteration-0', mean: 1, children: [{}] };
       benchmarkClient.metrics = { Score: { name: 'Score', mean: 20, children: [] }, all, step, iteration };
       done = true;
     }, 300);`,
    { Score: 20, 'TodoMVC-Vue': 40 },
  ],
  jetstream: [
    'index.html',
    `globalThis.JetStream = { isDone: false, benchmarks: [{ name: 'richards', score: 100 }, { name: 'splay', score: 400 }] };
     setTimeout(() => { JetStream.isDone = true; }, 300);`,
    { Score: 200, richards: 100, splay: 400 },
  ],
  motionmark: [
    'MotionMark/index.html',
    `document.body.innerHTML = '<button id="start-button" disabled>';
     setTimeout(() => { document.getElementById('start-button').disabled = false; }, 300);
     globalThis.benchmarkController = { startBenchmark() {
       const tests = { Multiply: { score: 300 }, Canvas: { score: 100 } };
       this.runnerClient = { scoreCalculator: { score: 173, results: [{ testsResults: { MotionMark: tests } }] } };
       document.body.classList.add('showing-results');
     } };`,
    { Score: 173, Multiply: 300, Canvas: 100 },
  ],
  octane: [
    'index.html',
    `document.body.innerHTML = '<div id="main-banner">Running Octane...</div><i id="Result-Richards">...</i>';
     setTimeout(() => {
       document.getElementById('Result-Richards').textContent = '30000';
       document.getElementById('main-banner').textContent = 'Octane Score: 25000';
     }, 300);`,
    { Score: 25_000, Richards: 30_000 },
  ],
} as const;

for (const [suite, [path, script, expected]] of Object.entries(standIns)) {
  test(`${suite} is run on a device, each subtest a metric`, async () => {
    const html = `<!doctype html><title>x</title><body><script>${script}</script>`;
    const folder = await aFolderOf({ [`copy/${path}`]: html });
    const args = ['run', '--suite', suite, '--from', 'copy', '--device', 'chromium'];
    const run = await farm(folder, ...args, '--trials', '1', '--measurement', 'fast');
    expect(run.code, run.stderr).toBe(0);
    const [trial] = await newestTrials(folder);
    const { metrics } = trial!.job.case.benchmark;
    const { samples } = (trial!.outcome as CompletedOutcome).result;
    const values = metrics.map(({ id, title }) => [
      title,
      Math.round(samples.find(({ metric }) => metric === id)!.timed[0]!),
    ]);
    expect(Object.fromEntries(values)).toEqual(expected);
    if (suite !== 'octane') return;
    const report = await farm(folder, 'report', '--terminal');
    expect(report.stdout).toMatch(/octane version=copy +Richards, higher is better/);
  });
}

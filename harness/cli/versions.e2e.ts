/** `farm compare old.html new.html` as a user has it: in their own folder, with their own pages. */
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { execa } from 'execa';
import { findOnPath } from '../setup/executable.ts';
import { farm, leftRunning, startFarm } from '../testing/farm.ts';
import { aFolderOf } from '../testing/folder.ts';

test.setTimeout(240_000);
test.skip(findOnPath(['chromium', 'chromium-browser']) === null, 'no Chromium is installed');

/** A page that times its own loop ten times, by bench and by performance.measure. */
function page(rounds: number, more = ''): string {
  return `<!doctype html><title>x</title><script>
    function work() { let x = 0; for (let i = 0; i < ${String(rounds)}; i++) x = (x * 31 + i) | 0; return x; }
    for (let i = 0; i < 200; i++) work();
    for (let i = 0; i < 10; i++) {
      performance.mark('from'); bench.start();
      globalThis.kept = work();
      bench.stop(); performance.measure('loop', 'from');
    }
    ${more}
  </script>`;
}

/** Without probes nothing is quarantined, however busy the machine is with other tests. */
const chromium = ['--browsers', 'chromium', '--max-blocks', '30', '--seed', '1', '--no-probes'];

interface Answer {
  readonly onlyIn: readonly object[];
  readonly command: string;
  readonly comparisons: readonly {
    readonly title: string;
    readonly version: string;
    readonly verdict: string;
    readonly ratio: number;
    readonly value: number;
    readonly firstValue: number;
  }[];
}

test('compares two files by what they measure themselves', async () => {
  const folder = await aFolderOf({
    'old.html': page(200_000),
    'new.html': page(2_000_000, 'performance.measure("new only");'),
  });
  const args = ['compare', 'old.html', 'new.html', ...chromium];
  const summary = join(folder, 'summary.md');
  const run = await startFarm(folder, [...args, '--json', '--fail-on', 'slower=5%'], {
    GITHUB_STEP_SUMMARY: summary,
  });
  const { comparisons, onlyIn } = JSON.parse(run.stdout) as Answer;
  expect(comparisons.map(({ title }) => title).sort()).toEqual([
    'bench.start() to bench.stop()',
    'loop',
  ]);
  for (const { verdict, ratio, version, value, firstValue } of comparisons) {
    expect(verdict).toBe('slower');
    expect(version).toBe('new.html');
    expect(ratio).toBeGreaterThan(2);
    expect(value / firstValue).toBeCloseTo(ratio, 9);
  }
  expect(onlyIn).toEqual([{ measure: 'new only', versions: ['new.html'] }]);
  expect(run.exitCode).toBe(1);
  expect(await readFile(summary, 'utf8')).toMatch(/\| .*new\.html \|.*slower/);
  expect(leftRunning(folder)).toEqual([]);
});

test('--fail-on asks whether a version is slower by more than that, and says when it is not known', async () => {
  const folder = await aFolderOf(
    Object.fromEntries(
      [100, 103, 105, 109].map((score) => [
        `of${String(score)}.html`,
        `<!doctype html><title>x</title><script>globalThis.score = ${String(score)};</script>`,
      ]),
    ),
  );
  for (const [page, code, says] of [
    ['of103.html', 0, 'nothing is slower by more than 5 %'],
    ['of105.html', 4, 'whether a version is slower by more than 5 % is not decided'],
    ['of109.html', 1, 'a version is shown to be slower by more than 5 %'],
  ] as const) {
    const args = ['compare', 'of100.html', page, ...chromium, '--measure', 'score'];
    const run = await startFarm(folder, [...args, '--max-blocks', '9', '--fail-on', 'slower=5%']);
    expect(run.stderr, page).toContain(says);
    expect(run.exitCode, page).toBe(code);
  }
});

test('pages that repeat until a time is over are compared, whatever their files are called', async () => {
  const boxed = (rounds: number): string => `<!doctype html><title>x</title><script>
    const end = performance.now() + 200;
    while (performance.now() < end) {
      bench.start();
      let x = 0;
      for (let i = 0; i < ${String(rounds)}; i++) x = (x * 31 + i) | 0;
      globalThis.kept = x;
      bench.stop();
    }
  </script>`;
  const folder = await aFolderOf({
    'old #1.html': boxed(100_000),
    'new?50%.html': boxed(2_000_000),
  });
  const run = await farm(folder, 'compare', 'old #1.html', 'new?50%.html', ...chromium, '--json');
  const { comparisons } = JSON.parse(run.stdout) as Answer;
  expect(comparisons).toMatchObject([{ version: 'new?50%.html', verdict: 'slower' }]);
  expect(run.code).toBe(0);
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
  const child = startFarm(folder, ['compare', 'HEAD', 'other', ...chromium, ...build]);
  const pid = (): string => (existsSync(begun) ? readFileSync(begun, 'utf8') : '');
  await expect.poll(pid, { timeout: 60_000 }).not.toBe('');
  child.kill('SIGINT');
  const { exitCode, stderr } = await child;
  expect(String(stderr)).toMatch(/farm: Interrupted by SIGINT/);
  expect(exitCode).toBe(3);
  await expect.poll(() => existsSync(`/proc/${pid()}`)).toBe(false);
});

test('a version that has lost what is measured fails, whether a browser gives it or the page', async () => {
  const folder = await aFolderOf({
    'old.html': '<title>x</title>text',
    'new.html': '<title>x</title>',
  });
  const args = ['compare', 'old.html', 'new.html', ...chromium, '--measure', 'fcp'];
  const run = await farm(folder, ...args, '--fail-on', 'slower');
  expect(run.stdout).toMatch(/first contentful paint: only old\.html has one in chromium/);
  expect(run.stdout).toMatch(/new\.html .* lost/);
  expect(run.code).toBe(1);
  await writeFile(join(folder, 'old.html'), page(1_000));
  const brief = ['--max-blocks', '5', '--fail-on', 'slower', '--markdown'];
  const own = await farm(folder, ...args.slice(0, 3), ...chromium, ...brief);
  expect(own.stdout).toMatch(/loop is only in old\.html/);
  expect(own.stdout).toMatch(/^\*\*new\.html has lost /);
  expect(own.code).toBe(1);
});

test('a page that never gives its number is refused before anything is measured', async () => {
  const folder = await aFolderOf({
    'old.html': '<title>x</title>',
    'new.html': '<title>y</title>',
  });
  const args = ['compare', 'old.html', 'new.html', ...chromium, '--deadline', '20s'];
  const run = await farm(folder, ...args, '--measure', 'nothing.at.all');
  expect(run.code).toBe(2);
  expect(run.stderr).toMatch(/old\.html .*nothing\.at\.all threw ReferenceError/);
});

test('errors of a page are said, and are why what was asked for never comes', async () => {
  const broken = (script: string): string => `<!doctype html><title>x</title>${script}<p>text</p>`;
  const folder = await aFolderOf({
    'old.html': broken("<script>throw new Error('gone\\x1b[2J\\nfor good')</script>"),
    'new.html': broken('<script type="module">import "./gone.js"</script>'),
  });
  const args = ['compare', 'old.html', 'new.html', ...chromium];
  const run = await farm(folder, ...args, '--max-blocks', '5');
  expect(run.stderr).toMatch(/old\.html has an error: .*gone for good \(old\.html:1\)/);
  expect(run.stderr).toMatch(/new\.html has an error: .*could not be loaded/);
  const asked = await farm(folder, ...args, '--measure', 'measure:run');
  expect(asked.stderr).toMatch(/cannot be measured: .*(gone for good|not be loaded)/);
  expect(asked.code).toBe(2);
  expect(run.stderr + asked.stderr).not.toContain('\u001b[2J');
});

test('pages that measure nothing are compared by how they load', async () => {
  const html = '<!doctype html><title>x</title><p>text</p>';
  const folder = await aFolderOf({ 'one/index.html': html, 'two/index.html': html });
  const args = [
    'compare',
    'one',
    'two',
    '--browsers',
    'chromium',
    '--max-blocks',
    '5',
    '--no-probes',
    '--markdown',
  ];
  const run = await farm(folder, ...args);
  expect(run.stderr).toMatch(/two holds the same bytes as one/);
  expect(run.stdout).toMatch(/\| load \| one \| +[\d.]+ ms \|/);
  expect(run.stdout).toMatch(/\| largest contentful paint \| two \|/);
  expect(run.code).toBe(0);
});

test('memory of the whole browser and bytes are measures', async () => {
  const hoard = 'globalThis.kept = Array.from({ length: 40 }, () => new Uint8Array(4e6).fill(7));';
  const padding = '<!--' + 'x'.repeat(300_000) + '-->';
  const html = (script: string, more = ''): string =>
    `<!doctype html><title>x</title><p>text${more}</p><script>${script}</script>`;
  const folder = await aFolderOf({ 'small.html': html(''), 'large.html': html(hoard, padding) });
  const wanted = ['memory', 'memory-end', 'transferred'];
  const args = ['compare', 'small.html', 'large.html', '--browsers', 'chromium', '--seed', '1'];
  const measures = wanted.flatMap((one) => ['--measure', one]);
  const run = await farm(
    folder,
    ...args,
    ...measures,
    '--max-blocks',
    '6',
    '--no-probes',
    '--json',
  );
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
  test(`the subtests of ${suite} are rows`, async () => {
    const html = `<!doctype html><title>x</title><body><script>${script}</script>`;
    const folder = await aFolderOf({ [`one/${path}`]: html, [`two/${path}`]: html });
    const args = ['compare', 'one', 'two', '--suite', suite, ...chromium, '--max-blocks', '5'];
    const run = await farm(folder, ...args, '--json');
    const { comparisons } = JSON.parse(run.stdout) as Answer;
    const values = comparisons.map(({ title, firstValue }) => [title, Math.round(firstValue)]);
    expect(Object.fromEntries(values)).toEqual(expected);
  });
}

test('a well-known suite is run on devices, each subtest a metric', async () => {
  const [path, script] = standIns.octane;
  const html = `<!doctype html><title>x</title><body><script>${script}</script>`;
  const folder = await aFolderOf({ [`copy/${path}`]: html });
  const args = ['run', '--suite', 'octane', '--from', 'copy', '--device', 'chromium'];
  const run = await farm(folder, ...args, '--trials', '2', '--no-probes');
  expect(run.code).toBe(0);
  const report = await farm(folder, 'report', '--terminal');
  expect(report.stdout).toMatch(/octane version=copy +Richards, higher is better/);
  const unknown = await farm(folder, 'run', '--suite', 'octan', '--from', 'copy');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toMatch(/no suite whose results/);
});

test('CPU time needs the probes', async () => {
  const folder = await aFolderOf({ 'one.html': '<p>1', 'two.html': '<p>2' });
  const run = await farm(
    folder,
    'compare',
    'one.html',
    'two.html',
    '--no-probes',
    '--measure',
    'cpu',
  );
  expect(run.code).toBe(2);
  expect(run.stderr).toMatch(/--no-probes/);
});

test('wrong use is refused with what to do', async () => {
  const folder = await aFolderOf({ 'old.html': page(1) });
  for (const [args, says] of [
    [['old.html'], /at least two versions/],
    [['old.html', 'gone.html'], /no file or folder .*gone\.html/],
    [['old.html', 'old.html'], /given twice/],
    [['old.html', 'chromium', '--bench', 'fib'], /--bench cannot/],
    [['old.html', 'x.html', '--fail-on', 'faster'], /slower=5%/],
    [['old.html', 'x.html', '--network', 'dial-up'], /slow-4g/],
    [['old.html', 'x.html', '--cpu-throttling', '1'], /more than 1/],
    [['http://127.0.0.1:9/', 'http://127.0.0.1:8/', '--network', '4g'], /page server/],
    [['chromium', 'firefox', '--measure', 'lcp'], /--measure cannot/],
  ] as const) {
    const run = await farm(folder, 'compare', ...args);
    expect(run.code, args.join(' ')).toBe(2);
    expect(run.stderr).toMatch(says);
  }
});

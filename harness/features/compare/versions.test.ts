/** `farm compare old.html new.html`: texts about numbers that pages give. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { readingOfSuite } from './versions/well-known.ts';
import type { FakeTrial } from '../../../drivers/fake/fake.ts';
import { parseData, parsePage } from '../../../reports/golden/markup.ts';
import type { Findings } from '../../core/results/index.ts';
import { aTestApi } from '../../testing/api.ts';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { type PageNumbers, pagesWith } from '../../testing/fake-pages.ts';
import type { FinishedCommand } from '../../testing/farm.ts';

interface Answer {
  readonly onlyIn: readonly object[];
  readonly comparisons: readonly {
    readonly ratio: number;
    readonly title: string;
    readonly verdict: string;
  }[];
}

interface ComparedValue {
  readonly firstValue: number;
  readonly blockRatios: readonly number[];
  readonly value: number;
  readonly ratio: number;
}

interface ReportJson {
  readonly cases: readonly { readonly targets: readonly { readonly centre: number }[] }[];
}

interface ApiAnswer {
  readonly rows: readonly {
    readonly cells: readonly {
      readonly measured: { readonly centre: number; readonly words: { readonly centre: string } };
    }[];
  }[];
}

type Farm = (...args: readonly string[]) => Promise<FinishedCommand>;

/** A folder with these files, and one browser that shows them. */
async function aFolderWith(names: readonly string[], trial: FakeTrial): Promise<Farm> {
  const { folder, farm } = await aFakeFarm({ devices: ['chromium'], trial });
  for (const name of names) await writeFile(join(folder, name), `<!doctype html><title>${name}`);
  return farm;
}

/** The same with files that give these numbers. */
function pagesOf(numbers: Readonly<Record<string, PageNumbers>>): Promise<Farm> {
  return aFolderWith(
    Object.keys(numbers),
    pagesWith((version) => numbers[version] ?? {}),
  );
}

const both = ['compare', 'old.html', 'new.html', '--seed', '1'];

for (const [title, score, code, says] of [
  ['passes what is within its limit', 103, 0, 'nothing is slower by more than 5 %'],
  [
    'has a code for what is not decided',
    105,
    4,
    'whether a version is slower by more than 5 % is not decided',
  ],
  ['fails what is beyond its limit', 109, 1, 'a version is shown to be slower by more than 5 %'],
] as const) {
  test(`--fail-on ${title}`, async () => {
    const farm = await pagesOf({ 'old.html': { score: 100 }, 'new.html': { score } });
    const asked = ['--measure', 'score', '--max-blocks', '9', '--fail-on', 'slower=5%'];
    const run = await farm(...both, ...asked);
    expect(run.stderr).toContain(says);
    expect(run.code).toBe(code);
  });
}

test("fails a version slower by its page's measures, with a step summary", async () => {
  const { folder, farmIn } = await aFakeFarm({
    devices: ['chromium'],
    trial: pagesWith((version) => {
      const factor = version === 'new.html' ? 10 : 1;
      return {
        bench: 3 * factor,
        'measure:loop': 5 * factor,
        ...(factor > 1 && { 'measure:new only': 1 }),
      };
    }),
  });
  for (const name of ['old.html', 'new.html']) await writeFile(join(folder, name), name);
  const summary = join(folder, 'summary.md');
  const environment = { GITHUB_STEP_SUMMARY: summary };
  const run = await farmIn({ environment }, ...both, '--json', '--fail-on', 'slower=5%');
  const { comparisons, onlyIn } = JSON.parse(run.stdout) as Answer;
  expect(comparisons).toMatchObject([
    { title: 'bench.start() to bench.stop()', version: 'new.html', verdict: 'slower' },
    { title: 'loop', version: 'new.html', verdict: 'slower' },
    { title: 'new only', version: 'new.html', verdict: 'not supported' },
  ]);
  for (const { ratio } of comparisons.slice(0, 2)) expect(ratio).toBeCloseTo(10, 6);
  expect(onlyIn).toEqual([{ measure: 'new only', versions: ['new.html'] }]);
  expect(run.code).toBe(1);
  const words = await readFile(summary, 'utf8');
  expect(words).toContain('| browser | measure | old.html | new.html | difference |');
  expect(words).toMatch(/\| loop \| 5\.00 ms \| 50\.0 ms \| ▼ 10× slower/);
  expect(words).toMatch(/sure is: the end of each interval/);
});

test('fails a version that lost a measure of the browser or page', async () => {
  const browsers = await pagesOf({ 'old.html': { fcp: 5 }, 'new.html': {} });
  const run = await browsers(...both, '--measure', 'fcp', '--fail-on', 'slower');
  expect(run.stdout).toMatch(/first contentful paint: only old\.html has one in chromium/);
  expect(run.stdout).toMatch(/new\.html .* lost/);
  expect(run.code).toBe(1);
  const pages = await pagesOf({ 'old.html': { 'measure:loop': 5 }, 'new.html': {} });
  const own = await pages(...both, '--max-blocks', '7', '--fail-on', 'slower', '--markdown');
  expect(own.stdout).toMatch(/loop: only old\.html has one in chromium/);
  expect(own.stdout).toMatch(/^\*\*new\.html has lost /);
  expect(own.code).toBe(1);
});

test('a page that never gives its number is refused before anything is measured', async () => {
  const message = 'nothing.at.all threw ReferenceError: nothing is not defined';
  const failing = { does: 'reports-error', phase: 'timed', message } as const;
  const farm = await aFolderWith(['old.html', 'new.html'], failing);
  const run = await farm(...both, '--measure', 'nothing.at.all');
  expect(run.code).toBe(2);
  expect(run.stderr).toMatch(/old\.html .*nothing\.at\.all threw ReferenceError/);
  expect((await farm('report')).stderr).toContain('No run was found');
});

test('the subtests of a suite are rows, each in its own unit', async () => {
  const [score, times] = readingOfSuite('speedometer').asked.map((one) =>
    'reader' in one && one.reader.by === 'expression' ? one.reader.expression : '',
  );
  const page = 'index.html?startAutomatically=true';
  const { folder, farm } = await aFakeFarm({
    devices: ['chromium'],
    trial: pagesWith((version) => {
      const isFirst = version === 'one';
      const ofScore = { Score: isFirst ? 20 : 10 };
      const ofTimes = { 'TodoMVC-Vue': 40, 'TodoMVC-React': isFirst ? 30 : 90 };
      return Object.fromEntries<Readonly<Record<string, number>>>([
        [score!, ofScore],
        [times!, ofTimes],
      ]);
    }),
  });
  for (const name of ['one', 'two']) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, page.replace(/\?.*/, '')), '<!doctype html>');
  }
  const run = await farm(
    'compare',
    'one',
    'two',
    '--suite',
    'speedometer',
    '--seed',
    '1',
    '--json',
  );
  const { comparisons } = JSON.parse(run.stdout) as { readonly comparisons: readonly object[] };
  expect(comparisons).toMatchObject([
    { title: 'Score', unit: 'points', firstValue: 20, verdict: 'slower' },
    { title: 'TodoMVC-Vue', unit: 'ms', firstValue: 40, verdict: 'equivalent' },
    { title: 'TodoMVC-React', unit: 'ms', firstValue: 30, verdict: 'slower' },
  ]);
});

test('CPU time needs the probes', async () => {
  const farm = await pagesOf({ 'old.html': {}, 'new.html': {} });
  const run = await farm(...both, '--no-probes', '--measure', 'cpu');
  expect(run.code).toBe(2);
  expect(run.stderr).toMatch(/--no-probes/);
});

test('wrong use is refused with what to do', async () => {
  const farm = await pagesOf({ 'old.html': {} });
  for (const [args, says] of [
    [['old.html'], /at least two versions/],
    [['old.html', 'gone.html'], /gone\.html does not exist/],
    [['old.html', 'old.html'], /given twice/],
    [['old.html', 'chromium', '--bench', 'fib'], /--bench cannot/],
    [['old.html', 'x.html', '--fail-on', 'faster'], /slower=5%/],
    [['old.html', 'x.html', '--network', 'dial-up'], /slow-4g/],
    [['old.html', 'x.html', '--cpu-throttling', '1'], /more than 1/],
    [['http://127.0.0.1:9/', 'http://127.0.0.1:8/', '--network', '4g'], /page server/],
    [['chromium', 'firefox', '--measure', 'lcp'], /--measure cannot/],
  ] as const) {
    const run = await farm('compare', ...args);
    expect(run.code, args.join(' ')).toBe(2);
    expect(run.stderr).toMatch(says);
  }
  const unknown = await farm('run', '--suite', 'octan', '--from', 'copy');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toMatch(/is not a suite whose results/);
});

test('marks the verdict of a page that was still warming up', async () => {
  const falling = [12, 6, 4, 3, 2.5, 2, 1.9, 1.9, 1.9, 1.9, 1.9, 1.9];
  const farm = await pagesOf({
    'old.html': { 'measure:loop': falling, 'measure:still': Array<number>(12).fill(3) },
    'new.html': {
      'measure:loop': falling.map((value) => 3 * value),
      'measure:still': Array<number>(12).fill(3),
    },
  });
  const asked = [...both, '--max-blocks', '7', '--fail-on', 'slower'];
  const words = /loop in chromium \S+ was still warming up, 36\.0\sms → 5\.70\sms within the page/;
  const run = await farm(...asked);
  expect(run.stdout).toMatch(words);
  expect(run.stderr).toMatch(words);
  expect(run.stdout).not.toMatch(/still in chromium/);
  expect(run.stdout).toMatch(/sure is: new\.html is at least [\d.]+× slower/);
  expect((await farm(...asked, '--markdown')).stdout).toMatch(
    /loop in chromium .* was still warming up/,
  );
  const told = JSON.parse((await farm(...asked, '--json')).stdout) as object;
  expect(told).toMatchObject({ warmingUp: [{ device: 'chromium', trials: 7, of: 7, first: 36 }] });
  expect((await farm('report', '--terminal')).stdout).toMatch(/was still warming up/);
});

test('the two values of a comparison divide to its ratio everywhere', async () => {
  // Of 1.2 times, but in the middle: the ratio of the two medians is 1.
  const olds = [10, 10, 10, 20, 20, 20, 15];
  const news = olds.map((value) => (value === 15 ? 15 : 1.2 * value));
  const turns: Record<string, number> = { 'old.html': -1, 'new.html': -1 };
  const { folder, farmIn } = await aFakeFarm({
    devices: ['chromium'],
    trial: pagesWith((version) => {
      // The first look at each page does not count as a trial.
      const turn = Math.max(0, turns[version]!);
      turns[version]! += 1;
      return { 'measure:loop': (version === 'new.html' ? news : olds)[turn % 7]! };
    }),
  });
  for (const name of ['old.html', 'new.html']) await writeFile(join(folder, name), name);
  const summary = join(folder, 'summary.md');
  const asked = ['--measure', 'measure:loop', '--max-blocks', '7', '--json'];
  const run = await farmIn({ environment: { GITHUB_STEP_SUMMARY: summary } }, ...both, ...asked);
  const [row] = (JSON.parse(run.stdout) as { comparisons: readonly ComparedValue[] }).comparisons;
  const { firstValue, value, ratio, blockRatios } = row!;
  expect(ratio).toBeCloseTo(1.2, 2);
  expect([firstValue, value / firstValue]).toEqual([15, expect.closeTo(ratio, 9)]);

  const shown = [/\b15\.0\sms/, /\b18\.0\sms/];
  const text = async (...args: readonly string[]): Promise<string> =>
    (await farmIn({}, ...args)).stdout;
  await text('report', '1', '--out', 'report.html');
  const report = await readFile(join(folder, 'report.html'), 'utf8');
  const page = parsePage(report);
  const [pair] = (parseData(report) as Findings).verdicts.pairs;
  expect(blockRatios).toHaveLength(7);
  expect(pair?.blockRatios, 'blocks of the report').toEqual(
    blockRatios.map((one) => expect.closeTo(one, 3) as unknown),
  );
  const places = {
    'step summary': await readFile(summary, 'utf8'),
    terminal: await text('report', '1', '--terminal'),
    report: (page.querySelector('main')?.textContent ?? '').replace(/\s+/g, ' '),
  };
  for (const [place, words] of Object.entries(places))
    for (const one of shown) expect(words, place).toMatch(one);
  const { cases } = JSON.parse(await text('report', '1', '--terminal', '--json')) as ReportJson;
  const centres = cases.flatMap(({ targets }) => targets.map(({ centre }) => centre));
  expect(centres, 'JSON of the report').toEqual([15, expect.closeTo(value, 9)]);
  const api = await aTestApi(undefined, join(folder, '.farm', 'farm.db'));
  const answer = await api.get('/api/v1/runs/1/findings');
  await api.close();
  const measured = answer.json<ApiAnswer>().rows.flatMap(({ cells }) => cells[0]!.measured);
  expect(measured.map(({ centre }) => centre)).toEqual([15, expect.closeTo(value, 9)]);
  expect(measured.map(({ words }) => words.centre)).toEqual(
    shown.map((one) => expect.stringMatching(one) as unknown),
  );
});

/** Two versions that load as they like, of which the new one may have an error. */
function erringPages(errs: (isLook: boolean) => boolean): Promise<Farm> {
  return aFolderWith(
    ['old.html', 'new.html'],
    pagesWith(
      (version) => ({ load: version === 'new.html' ? 5 : 20, 'measure:job': 7 }),
      (version, isLook) =>
        version === 'new.html' && errs(isLook) ? ['app.js could not be loaded'] : [],
    ),
  );
}

test('measures a page with an error in the first look only on request', async () => {
  const farm = await erringPages(() => true);
  const load = ['--measure', 'load', '--measure', 'measure:job', '--max-blocks', '7'];
  const refused = await farm(...both, ...load);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(
    /new\.html has an error: app\.js could not be loaded[^]*--despite-errors/,
  );

  const shown = await farm(...both, ...load, '--despite-errors');
  expect(shown.stdout).toMatch(/no verdict: new\.html had an error/);
  const run = await farm(...both, ...load, '--despite-errors', '--json');
  const { comparisons, errors, command } = JSON.parse(run.stdout) as Answer & Erring;
  expect(comparisons.map(({ title, verdict }) => ({ title, verdict }))).toEqual([
    { title: 'load', verdict: 'undecided' },
    { title: 'job', verdict: 'equivalent' },
  ]);
  expect(errors).toMatchObject([
    { device: 'chromium', version: 'new.html', error: 'app.js could not be loaded', alone: true },
  ]);
  expect(command).toContain('--despite-errors');
  expect(run.code).toBe(0);
});

test('a report without a verdict names the error that forbids it', async () => {
  const farm = await erringPages(() => true);
  const asked = ['--measure', 'load', '--max-blocks', '2', '--despite-errors'];
  await farm(...both, ...asked);
  const { path } = JSON.parse((await farm('report', '--json')).stdout) as { path: string };
  const report = await readFile(path, 'utf8');
  expect(report).toMatch(
    /No verdict: new\.html had an error: app\.js could not be loaded, so there is no difference/,
  );
  expect(report).not.toContain('No case has trials');
});

interface Erring {
  readonly command: string;
  readonly errors: readonly { readonly trials: number; readonly of: number }[];
}

test("reports one version's error in some loads everywhere and fails every limit", async () => {
  let loads = 0;
  const farm = await erringPages((isLook) => !isLook && loads++ === 2);
  const asked = ['--measure', 'measure:job', '--max-blocks', '7', '--fail-on', 'slower'];
  const run = await farm(...both, ...asked);
  const says = /new\.html had an error in 1 of \d trials in .*: app\.js could not be loaded/;
  expect(run.stdout).toMatch(says);
  expect(run.stderr).toMatch(/has errors of its own/);
  expect(run.code).toBe(1);
  loads = 0;
  const odd = ['--measure', 'a`b`', '--begin', 'x_1*2'];
  const pasted = await farm(...both, '--max-blocks', '7', ...odd, '--markdown', '--despite-errors');
  expect(pasted.stdout).toMatch(
    /^- again: `` npx crossfarm compare .*'a`b`' --begin 'x_1\*2' .*``$/m,
  );
  loads = 0;
  expect((await farm(...both, ...asked, '--markdown')).stdout.replaceAll('\\', '')).toMatch(says);
  const { path } = JSON.parse((await farm('report', '--json')).stdout) as { path: string };
  expect(await readFile(path, 'utf8')).toMatch(says);
});

test('compares a metric from the loads that have it', async () => {
  let loads = 0;
  const farm = await aFolderWith(
    ['old.html', 'new.html'],
    pagesWith((version) => {
      loads += 1;
      const ms = version === 'new.html' ? 20 : 10;
      return { 'measure:job': ms, ...(loads % 5 > 0 && { 'measure:cache': 3 }) };
    }),
  );
  const run = await farm(...both, '--max-blocks', '14', '--fail-on', 'slower');
  expect(run.stdout).toMatch(
    /cache in .*: in \d+ of \d+ loads of old\.html, and \d+ of \d+ of new\.html/,
  );
  expect(run.stdout).not.toMatch(/lost|only in/);
  expect(run.stdout).toMatch(/▼ 100 % slower/);
  expect(run.code).toBe(1);
});

test('reports a lost measure of a requested record and keeps all trials', async () => {
  const farm = await pagesOf({
    'old.html': { results: { sort: 10, gone: 1 } },
    'new.html': { results: { sort: 20 } },
  });
  const run = await farm(...both, '--measure', 'results', '--max-blocks', '7', '--json');
  const { comparisons, onlyIn } = JSON.parse(run.stdout) as Answer;
  expect(comparisons).toMatchObject([
    { title: 'sort', verdict: 'slower' },
    { title: 'gone', verdict: 'lost' },
  ]);
  expect(onlyIn).toEqual([{ measure: 'gone', versions: ['old.html'] }]);
  expect(run.code).toBe(0);
});

test('reports a page that fails in some sessions as a finding', async () => {
  const working = pagesWith(() => ({ 'measure:job': 10 }));
  const message = 'Uncaught TypeError: nothing is undefined';
  const failing = { does: 'reports-error', phase: 'timed', message } as const;
  let loads = 0;
  const { folder, farm } = await aFakeFarm({
    devices: ['chromium'],
    trial: ({ url }) => {
      if (!url.includes('new.html')) return working;
      loads += 1;
      return loads % 3 === 0 ? failing : working;
    },
  });
  for (const name of ['old.html', 'new.html']) await writeFile(join(folder, name), name);
  const run = await farm(...both, '--max-blocks', '9', '--json');
  const { failures } = JSON.parse(run.stdout) as { readonly failures: readonly object[] };
  const [found] = failures;
  expect(found).toMatchObject({
    device: 'chromium',
    version: 'new.html',
    why: `timed: ${message}`,
  });
  expect(failures).toHaveLength(1);
  const says = /new\.html fails in \d of \d+ sessions of chromium.*Uncaught TypeError: nothing/;
  await farm('report', '1', '--out', 'report.html');
  expect(await readFile(join(folder, 'report.html'), 'utf8')).toMatch(says);
  const words = await farm(...both, '--max-blocks', '9', '--markdown');
  expect(words.stdout).toMatch(says);
});

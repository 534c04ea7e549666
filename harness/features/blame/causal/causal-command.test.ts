/** `crossfarm causal page.html`: a page on the disk, a browser that is played. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { seededGenerator } from '../../../core/analysis/stats/random.ts';
import { aFakeFarm, type FakeFarm } from '../../../testing/fake-farm.ts';
import { parsePage } from '../../../../reports/golden/markup.ts';
import { pagesWith } from '../../../testing/fake-pages.ts';

const page = `<!doctype html><title>page</title>
<script>
function render() { return 1; }
function log() {}
</script>
<script src="lib/app.js"></script>`;

const calls = 'crossfarmCalls("measure:work")';
const delay = 'crossfarmDelay("measure:work")';

interface Answer {
  readonly command: string;
  readonly notDelayed: number;
  readonly browsers: readonly {
    readonly value: number;
    readonly functions: readonly {
      readonly name: string;
      readonly slope: number;
      readonly low: number | null;
      readonly high: number | null;
      readonly isLine: boolean;
    }[];
  }[];
}

/** A page whose functions are called so often, and whose work takes longer by this when one waits. */
async function aPage(
  costOf: (name: string, delayMs: number) => number,
  counts: readonly number[] = [0, 4, 4, 1, 2, 2, 2, 1, 1],
): Promise<FakeFarm> {
  const generator = seededGenerator(1);
  const fake = await aFakeFarm({
    devices: ['chromium'],
    trial: pagesWith((version) => {
      const [, name = '', ms = '0'] = /^(\w+) \d+ \+([\d.]+) ms$/.exec(version) ?? [];
      const work = (100 + costOf(name, Number(ms))) * (1 + 0.005 * generator.normal());
      return { 'measure:work': work, [calls]: [0, 0, 0, ...counts], [delay]: Number(ms) };
    }),
  });
  await mkdir(join(fake.folder, 'lib'));
  await writeFile(join(fake.folder, 'page.html'), page);
  await writeFile(join(fake.folder, 'lib', 'app.js'), 'const start = () => render();\nstart();\n');
  return fake;
}

const asked = ['causal', 'page.html', '--measure', 'measure:work', '--seed', '1'];

test('says of each function what a millisecond in it costs', async () => {
  const { farm } = await aPage((name, ms) => (name === 'render' ? ms / 2 : 0));
  const named = ['--function', 'render', '--function', 'start', '--max-blocks', '10'];
  const { code, stdout } = await farm(...asked, ...named, '--json');
  expect(code).toBe(0);
  const { browsers, command, notDelayed } = JSON.parse(stdout) as Answer;
  const [{ functions } = { functions: [] }] = browsers;
  expect(functions.map(({ name }) => name)).toEqual(['render', 'start']);
  for (const [index, truth] of [0.5, 0].entries()) {
    const { slope = NaN, low, high, isLine } = functions[index] ?? {};
    expect(Math.abs(slope - truth)).toBeLessThan(0.1);
    expect(low).toBeLessThan(truth);
    expect(high).toBeGreaterThan(truth);
    expect(isLine).toBe(true);
  }
  expect(notDelayed).toBe(1);
  expect(command).toMatch(/^npx crossfarm causal page\.html --measure measure:work .*--seed 1$/);
});

test('ends with a report that begins with the function which brings most', async () => {
  const { farm } = await aPage((name, ms) => (name === 'render' ? ms / 2 : 0));
  const named = ['--function', 'render', '--function', 'start', '--max-blocks', '10'];
  const { stdout } = await farm(...asked, ...named, '--json');
  const { report } = JSON.parse(stdout) as { readonly report: string };
  const written = parsePage(await readFile(report, 'utf8'));
  expect(written.querySelector('h1')?.textContent.trim()).toMatch(
    /^A faster render \(page\.html:3\) brings most: each ms in it costs 0\.[45]\d* ms of work$/,
  );
  expect(written.querySelector('title')?.textContent).toContain('Run 1: page.html');
  const rows = [...written.querySelectorAll('[aria-labelledby="causal"] tbody tr')];
  expect(rows.map((row) => row.textContent)).toEqual([
    expect.stringContaining('render (page.html:3)'),
    expect.stringMatching(/start \(lib\/app\.js:1\)[^]*nothing waits for it/),
  ]);
  expect(written.querySelectorAll('.delays circle')).toHaveLength(4);
});

test('names of a page are text in its report', async () => {
  const { farm, folder } = await aPage((name, ms) => (name === 'render' ? ms : 0));
  const named = 'const all = { "<img src=x>": () => 1 }; function render()';
  const hostile = page.replace('function render()', named);
  await writeFile(join(folder, 'page.html'), hostile);
  const { stdout } = await farm(...asked, '--max-blocks', '8', '--json');
  const { report } = JSON.parse(stdout) as { readonly report: string };
  expect(await readFile(report, 'utf8')).not.toContain('<img src=x>');
});

test('writes no report where none is wanted', async () => {
  const { farm, folder } = await aPage(() => 0);
  const { stdout } = await farm(...asked, '--max-blocks', '8', '--no-report');
  expect(stdout).toContain('see it: npx crossfarm report 1');
  expect(existsSync(join(folder, '.farm', 'reports'))).toBe(false);
  const { stdout: later } = await farm('report', '1', '--json');
  const { path } = JSON.parse(later) as { readonly path: string };
  expect(await readFile(path, 'utf8')).toContain('id="causal"');
});

test('delays the functions that are named alone, and leaves no copy of the page', async () => {
  const { farm } = await aPage((name, ms) => (name === 'start' ? ms : 0));
  const named = ['--function', 'start (lib/app.js:1)', '--max-blocks', '8'];
  const { stdout, stderr } = await farm(...asked, ...named);
  expect(stdout).toContain('start (lib/app.js:1)');
  expect(stdout).toContain('all of its time counts');
  expect(stdout).not.toContain('render');
  expect(stdout).toContain('2 other functions are called');
  const [, copy = ''] = /(\/\S*crossfarm-versions-\w+)/.exec(stdout + stderr) ?? [];
  expect(copy === '' || !existsSync(copy)).toBe(true);
});

test('says that it is no line where a path becomes the longest on the way', async () => {
  const { farm } = await aPage((name, ms) => (name === 'render' ? Math.max(0, ms - 5) : 0));
  const { stdout } = await farm(...asked, '--function', 'render', '--max-blocks', '20');
  expect(stdout).toContain('no line: it begins to cost once it is slower');
});

for (const [title, args, says] of [
  [
    'a page that is not there',
    ['causal', 'none.html', '--measure', 'load'],
    'none.html is neither an HTML file',
  ],
  [
    'a page at a URL',
    ['causal', 'http://127.0.0.1:1/', '--measure', 'load'],
    'is neither an HTML file',
  ],
  ['no measure', ['causal', 'page.html'], 'is about one measure'],
  [
    'a function that is not called',
    [...asked, '--function', 'none'],
    'The page calls no function none',
  ],
] as const) {
  test(`refuses ${title}`, async () => {
    const { farm } = await aPage(() => 0);
    const { code, stderr } = await farm(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(says);
  });
}

test('says of a page that calls none of its functions that nothing can be delayed', async () => {
  const { farm } = await aPage(() => 0, []);
  const { code, stderr } = await farm(...asked);
  expect(code).toBe(2);
  expect(stderr).toContain('page.html calls none of its own functions');
});

test('opens no page that has no function', async () => {
  const { farm, folder } = await aPage(() => 0);
  await mkdir(join(folder, 'plain'));
  await writeFile(join(folder, 'plain', 'page.html'), '<!doctype html><p>Text</p>');
  const { code, stderr } = await farm('causal', 'plain/page.html', '--measure', 'bench');
  expect(code).toBe(2);
  expect(stderr).toContain('page.html calls none of its own functions');
  expect(stderr).not.toContain('counts the calls');
});

test('refuses a page without the measure by its name', async () => {
  const { farm } = await aPage(() => 0);
  const { code, stderr } = await farm('causal', 'page.html', '--measure', 'measure:none');
  expect(code).toBe(2);
  expect(stderr).toContain('page.html gave no measure:none');
  expect(stderr).not.toContain('as it is');
});

test('says of the page what is wrong with its copies', async () => {
  const trial = pagesWith(
    () => ({ 'measure:work': 100 }),
    () => ['boom is not defined'],
  );
  const { farm, folder } = await aFakeFarm({ devices: ['chromium'], trial });
  await writeFile(join(folder, 'page.html'), page);
  const { code, stderr } = await farm(...asked);
  expect(code).toBe(2);
  expect(stderr.match(/page\.html has an error: boom is not defined/g)).toHaveLength(1);
  expect(stderr).not.toContain('as it is');
});

/** `farm compare old.html new.html --measure lcp`: what the browser itself says of the difference. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { FakeTrial } from '../../../drivers/fake/fake.ts';
import { parsePage, visibleWords } from '../../../reports/golden/markup.ts';
import type { Explanation } from '../../core/model/explanation.ts';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { pagesWith } from '../../testing/fake-pages.ts';
import type { FinishedCommand } from '../../testing/farm.ts';

type Explain = (version: string) => readonly unknown[];

/** Pages of which the new one paints later, in a browser that explains it. */
async function aFarmThat(
  explain: Explain,
  lcp = { old: 400, new: 480 },
): Promise<(...args: readonly string[]) => Promise<FinishedCommand>> {
  const pages = pagesWith((version) => ({ lcp: version === 'old.html' ? lcp.old : lcp.new }));
  const trial: FakeTrial = {
    ...pages,
    result: (assignment) => ({
      ...(typeof pages.result === 'function' && pages.result(assignment)),
      ...(assignment.guest?.discover === undefined && {
        explanations: explain(String(assignment.parameters['version'])),
      }),
    }),
  };
  const { folder, farm } = await aFakeFarm({ devices: ['chromium'], trial });
  for (const name of ['old.html', 'new.html']) await writeFile(join(folder, name), name);
  return (...args) => farm(...args);
}

const asked = [
  'compare',
  'old.html',
  'new.html',
  '--measure',
  'lcp',
  '--max-blocks',
  '9',
  '--precision',
  '0.001',
  '--seed',
  '1',
];

const script = {
  ms: 90,
  layoutMs: 30,
  name: 'render',
  source: 'app.js',
  line: 3,
  invoker: 'IMG.onload',
};

function aPaint(version: string, more: Partial<Explanation> = {}): readonly Explanation[] {
  const isNew = version === 'new.html';
  return [
    {
      metric: 'lcp',
      parts: { firstByte: 30, loadDelay: isNew ? 150 : 70, loadDuration: 200, renderDelay: 100 },
      element: 'img.hero',
      resource: 'hero.png',
      ...(isNew && { frame: { ms: 140, blockedMs: 90, frames: 2, scripts: [script] } }),
      ...more,
    },
  ];
}

test('the parts of a slower paint stand below the table, with what they are of', async () => {
  const farm = await aFarmThat(aPaint);
  const run = await farm(...asked);
  expect(run.stdout).toMatch(/largest contentful paint of new\.html in chromium/);
  expect(run.stdout).toMatch(/resource load delay +\+80 ms \([\d.]+ … [\d.]+\) +70 → 150 ms/);
  expect(run.stdout).toMatch(/element render delay +not settled +100 → 100 ms/);
  expect(run.stdout).toMatch(/element img\.hero \(hero\.png\)/);
  expect(run.stdout).toMatch(
    /longest frame 140 ms \(none before\), 90 ms of it in render \(app\.js:3\), called by IMG\.onload, 30 ms of that style and layout/,
  );
  // The terminal's and the stored run's are the same.
  const report = visibleWords(await reportOf(farm));
  expect(report).toMatch(/resource load delay \+80 ms \(/);
  expect(report).toContain('element img.hero (hero.png)');
});

async function reportOf(
  farm: Awaited<ReturnType<typeof aFarmThat>>,
  ...args: readonly string[]
): Promise<string> {
  const { stdout } = await farm('report', '--json', ...args);
  const { path } = JSON.parse(stdout) as { readonly path: string };
  return readFile(path, 'utf8');
}

test('--json has all parts and evidence, and Markdown one line', async () => {
  const farm = await aFarmThat(aPaint);
  const { comparisons } = JSON.parse((await farm(...asked, '--json')).stdout) as {
    readonly comparisons: readonly { readonly explained: object }[];
  };
  expect(comparisons[0]!.explained).toMatchObject({
    parts: [
      { name: 'firstByte', isSettled: false },
      { name: 'loadDelay', beforeMs: 70, isSettled: true },
      { name: 'loadDuration' },
      { name: 'renderDelay' },
    ],
    before: { element: 'img.hero', resource: 'hero.png', frame: null },
    after: { frame: { ms: 140, scripts: [{ name: 'render (app.js:3)', layoutMs: 30 }] } },
    notSupported: [],
  });
  const { stdout } = await farm(...asked, '--markdown');
  expect(stdout).toMatch(
    /^largest contentful paint of new\.html in chromium [^:]*: resource load delay \+80 ms \(.*\); element `img\.hero \(hero\.png\)`; longest frame/m,
  );
});

const quick = asked.filter((one) => !/precision|0\.001/.test(one));

test('says which command measures the blocks that a settled part takes', async () => {
  const farm = await aFarmThat(aPaint);
  const first = await farm(...quick);
  expect(first.stdout).toMatch(/it ended after 6 blocks: all is decided/);
  expect(first.stdout).toMatch(/resource load delay +not settled +70 → 150 ms/);
  const advice = '2 more blocks may settle a part: npx crossfarm continue 1';
  expect(first.stdout).toContain(advice);
  expect(visibleWords(await reportOf(farm))).toContain(advice);
  // Who got the run from another farm cannot continue it.
  await farm('export', '1', '--out', 'run.json');
  await farm('import', 'run.json', '--into', 'other.db');
  const foreign = visibleWords(await reportOf(farm, '--database', 'other.db'));
  expect(foreign).toContain('resource load delay');
  expect(foreign).not.toContain('may settle a part');
  // A verdict was reached: who names no run does not ask for that.
  expect((await farm('continue')).code).toBe(2);
  const more = await farm('continue', '1');
  expect(more.code, more.stderr).toBe(0);
  expect(more.stderr).toContain('all is decided, and 1 difference may be explained');
  expect(more.stdout).toMatch(/it ended after 8 blocks: all is decided/);
  expect(more.stdout).toMatch(/resource load delay +\+80 ms \(/);
  expect(more.stdout).not.toContain('may settle a part');
  expect((await farm('continue', '1')).code).toBe(2);
});

test('advises no more blocks where nothing differs', async () => {
  const farm = await aFarmThat(() => aPaint('old.html'), { old: 400, new: 400 });
  const { stdout } = await farm(...quick);
  expect(stdout).not.toContain('may settle a part');
  expect((await farm('continue', '1')).code).toBe(2);
});

test('explains nothing of versions that are the same', async () => {
  const farm = await aFarmThat(() => aPaint('old.html'), { old: 400, new: 400 });
  expect((await farm(...asked)).stdout).not.toContain('resource load delay');
});

test('a browser without long frames says why, and one without explanations nothing', async () => {
  const lacksFrame = 'this browser does not tell of them';
  const partly = await aFarmThat((version) => aPaint(version, { lacksFrame }));
  expect((await partly(...asked)).stdout).toMatch(
    /long frames are not supported here, because this browser does not tell of them/,
  );
  const silent = await aFarmThat(() => []);
  const run = await silent(...asked);
  expect(run.stdout).toMatch(/new\.html .*slower/);
  expect(run.stdout).not.toMatch(/not supported here|longest frame/);
});

test('escapes the names of elements and functions @attack', async () => {
  const name = '<img src=x onerror=alert(1)>`[x](javascript:1)';
  const farm = await aFarmThat((version) =>
    aPaint(version, {
      element: name,
      resource: '@everyone <script>',
      frame: { ms: 140, blockedMs: 90, frames: 1, scripts: [{ ...script, name, invoker: name }] },
    }),
  );
  const markdown = (await farm(...asked, '--markdown')).stdout;
  // As code, between more backticks than it has.
  expect(markdown).toContain(`\`\` ${name} (@everyone <script>) \`\``);
  const page = await reportOf(farm);
  expect(page).not.toContain('<img src=x');
  expect(() => parsePage(page)).not.toThrow();
});

test('an explanation of another form is left out, and the trial counts', async () => {
  const farm = await aFarmThat(() => [{ metric: 'lcp', element: '\u001b[31m'.repeat(1000) }]);
  const run = await farm(...asked);
  expect(run.stdout).toMatch(/new\.html .*slower/);
  expect(run.stdout).not.toContain('element');
});

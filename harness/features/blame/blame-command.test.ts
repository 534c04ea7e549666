/** `crossfarm blame RUN`: a stored comparison, a browser that is played. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { cannot } from '../../../drivers/driver.ts';
import { parsePage } from '../../../reports/golden/markup.ts';
import { aFakeFarm, type FakeAssignment } from '../../testing/fake-farm.ts';
import { pagesWith } from '../../testing/fake-pages.ts';
import { playTrace } from '../../testing/played-trace.ts';

test('profiles both versions of a stored comparison again, and says where it cannot', async () => {
  const { folder, farm } = await aFakeFarm({
    devices: ['chromium'],
    trial: pagesWith((version) => ({ 'measure:work': version === 'new.html' ? 110 : 100 })),
  });
  for (const name of ['old.html', 'new.html']) await writeFile(join(folder, name), name);
  const asked = ['--measure', 'measure:work', '--seed', '1', '--max-blocks', '8'];
  await farm('compare', 'old.html', 'new.html', ...asked);
  const { code, stdout } = await farm('blame', 'latest', '--max-blocks', '12', '--json');
  expect(code).toBe(4);
  expect(JSON.parse(stdout)).toMatchObject({
    run: 1,
    profiledRuns: [2],
    comparisons: [],
    notProfiled: [expect.stringContaining('chromium has trials without a profile: ')],
  });
});

test('versions that are called like options are measured again', async () => {
  const { folder, farm } = await aFakeFarm({
    devices: ['chromium'],
    trial: pagesWith(() => ({ 'measure:work': 100 })),
  });
  for (const name of ['seed', 'budget']) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'index.html'), name);
  }
  await farm('compare', 'seed', 'budget', '--measure', 'measure:work', '--max-blocks', '8');
  const { stdout, stderr } = await farm('blame', 'latest', '--max-blocks', '12', '--json');
  expect(stdout, stderr).not.toBe('');
  expect(JSON.parse(stdout)).toMatchObject({ run: 1, profiledRuns: [2] });
});

test('refuses a run that compares nothing', async () => {
  const { farm } = await aFakeFarm();
  await farm('run', '--bench', 'control', '--trials', '1');
  const { code, stderr } = await farm('blame', 'latest');
  expect(code).toBe(2);
  expect(stderr).toContain('Run 1 compares neither versions of a page nor two devices.');
});

/** Two devices of which one works longer, all of it in one function, as a parameter says. */
async function tracedDevices(): Promise<Awaited<ReturnType<typeof aFakeFarm>>> {
  const isSlow = ({ parameters }: FakeAssignment): boolean => parameters['extraPercent'] === 10;
  return aFakeFarm({
    durationOf: (assignment) => (isSlow(assignment) ? 11 : 10),
    trace: (assignment) => playTrace({ parse: 6, layoutRows: isSlow(assignment) ? 5 : 4 }),
  });
}

test('names the function that made one of two devices slower', async () => {
  const { farm } = await tracedDevices();
  const sides = ['compare', 'one', 'two', '--bench', 'control', '--a-param', 'extraPercent=10'];
  await farm(...sides, '--error-rate', '1%', '--seed', '1');
  const { code, stdout, stderr } = await farm('blame', 'latest', '--json');
  expect(code, stderr).toBe(0);
  const { comparisons, functions } = JSON.parse(stdout) as Record<string, readonly object[]>;
  expect(functions).toMatchObject([{ name: 'layoutRows', change: 1, share: 1 }]);
  expect(comparisons).toHaveLength(1);
  expect(comparisons?.[0]).toMatchObject({
    version: expect.stringMatching(/^one with control .*extraPercent=10/),
    against: expect.stringMatching(/^two with control .*extraPercent=0/),
  });
  expect(comparisons?.[0]).not.toHaveProperty('browser');
  const report = await farm('report', '1', '--json');
  const { path } = JSON.parse(report.stdout) as { readonly path: string };
  const page = await readFile(path, 'utf8');
  expect(page).toContain('layoutRows (page.js:2)');
  expect(page.replaceAll(/\s+/g, ' ')).toMatch(/At most 1.% of the functions named here are wrong/);
});

test('a comparison of two devices that is asked to blame names the function below its verdict', async () => {
  const { farm } = await tracedDevices();
  const sides = ['compare', 'one', 'two', '--bench', 'control', '--seed', '1', '--blame'];
  const { stdout } = await farm(...sides, '--a-param', 'extraPercent=10');
  expect(stdout).toContain('layoutRows (page.js:2): +1 ms');
  const equal = await farm(...sides, '--json');
  expect(JSON.parse(equal.stdout)).not.toHaveProperty('blame');
});

test('measures nothing where a browser gives no profile, and says so', async () => {
  const { farm } = await aFakeFarm({
    durationOf: ({ parameters }) => (parameters['extraPercent'] === 10 ? 11 : 10),
    capabilities: { trace: cannot('it is not tried') },
  });
  await farm('compare', 'one', 'two', '--bench', 'control', '--a-param', 'extraPercent=10');
  const { code, stdout } = await farm('blame', 'latest', '--json');
  expect(code).toBe(4);
  expect(JSON.parse(stdout)).toMatchObject({
    profiledRuns: [],
    inShort: 'its function is not known: one gives no profile: it is not tried',
  });
});

test('does not choose among the browsers of a comparison of two devices', async () => {
  const { farm } = await tracedDevices();
  await farm('compare', 'one', 'two', '--bench', 'control', '--max-blocks', '8');
  const { code, stderr } = await farm('blame', 'latest', '--browsers', 'one');
  expect(code).toBe(2);
  expect(stderr).toContain('Run 1 compares two devices, so --browsers does not apply.');
});

test('does not repeat the command of a run that came from elsewhere', async () => {
  const { farm } = await tracedFarm();
  await farm(...compared);
  await farm('export', '--out', 'run.json');
  await farm('import', 'run.json', '--into', 'other.db');
  const { code, stderr } = await farm('blame', 'latest', '--database', 'other.db');
  expect(code).toBe(2);
  expect(stderr).toContain('cannot be measured again: it was imported');
});

test('says of a run whose pages are gone that it cannot be measured again', async () => {
  const { folder, farm } = await aFakeFarm({
    devices: ['chromium'],
    trial: pagesWith(() => ({ 'measure:work': 100 })),
  });
  for (const name of ['old.html', 'new.html']) await writeFile(join(folder, name), name);
  await farm('compare', 'old.html', 'new.html', '--measure', 'measure:work', '--max-blocks', '8');
  await rm(join(folder, 'new.html'));
  const { code, stderr } = await farm('blame', 'latest');
  expect(code).toBe(2);
  expect(stderr).toContain('Run 1 cannot be measured again');
});

test('refuses to explain a difference by a page that has changed since', async () => {
  const { folder, farm } = await aFakeFarm({
    devices: ['chromium'],
    trial: pagesWith(() => ({ 'measure:work': 100 })),
  });
  for (const name of ['old.html', 'new.html']) await writeFile(join(folder, name), name);
  await farm('compare', 'old.html', 'new.html', '--measure', 'measure:work', '--max-blocks', '8');
  await writeFile(join(folder, 'new.html'), 'another');
  const { code, stderr } = await farm('blame', 'latest');
  expect(stderr).toContain(
    'Run 1 cannot be measured again: new.html of new.html has changed since',
  );
  expect(code).toBe(2);
});

/** Pages that take 100 and 110 ms, in a browser that traces them; all that the later one does more is in one function. */
async function tracedFarm(
  name = 'layoutRows',
  file?: string,
): Promise<Awaited<ReturnType<typeof aFakeFarm>>> {
  const scene = await aFakeFarm({
    devices: ['chromium'],
    trial: pagesWith((version) => ({ 'measure:work': version === 'new.html' ? 110 : 100 })),
    trace: ({ parameters: { version } }) =>
      playTrace({ parse: 60, [name]: version === 'new.html' ? 50 : 40 }, file),
  });
  for (const file of ['old.html', 'new.html']) await writeFile(join(scene.folder, file), file);
  return scene;
}

const compared = ['compare', 'old.html', 'new.html', '--measure', 'measure:work', '--seed', '1'];

test('names the function that made a stored comparison differ, in one browser for all trials', async () => {
  const { farm, driver } = await tracedFarm();
  await farm(...compared);
  const before = driver.launches.length;
  const { code, stdout } = await farm('blame', 'latest', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    functions: [{ name: 'layoutRows', source: '/page.js', line: 2, change: 10, share: 1 }],
    profiledRuns: [2],
  });
  // A look at each page, and the one that is shared.
  expect(driver.launches.length - before).toBeLessThanOrEqual(3);
});

test('a comparison that is asked to blame names the function beside its verdict', async () => {
  const { farm } = await tracedFarm();
  const { stdout } = await farm(...compared, '--blame');
  expect(stdout).toContain('layoutRows (page.js:2): +10 ms');
  expect(stdout.indexOf('layoutRows')).toBeGreaterThan(stdout.indexOf('slower'));
  const { blame, markdown } = JSON.parse(
    (await farm(...compared, '--blame', '--json', '--markdown')).stdout,
  ) as { readonly blame: unknown; readonly markdown: string };
  expect(blame).toMatchObject([{ name: 'layoutRows' }]);
  expect(markdown.split('\n').slice(2, 4)).toEqual([
    'new.html in chromium:',
    '- `layoutRows (page.js:2)`: +10 ms (9.51 … 10.5), 100 % of the difference',
  ]);
});

test('a comparison without a difference blames nothing, and profiles nothing', async () => {
  const { folder, farm } = await aFakeFarm({
    devices: ['chromium'],
    trial: pagesWith(() => ({ 'measure:work': 100 })),
  });
  for (const file of ['old.html', 'new.html']) await writeFile(join(folder, file), file);
  const { stdout } = await farm(...compared, '--blame', '--json');
  expect(JSON.parse(stdout)).not.toHaveProperty('blame');
  expect(JSON.parse((await farm('db', '--json')).stdout)).toMatchObject({ runs: [{ run: 1 }] });
});

const markup = '\u001b[2J<script>alert(1)<img src=x>`|';

for (const [what, name, file] of [
  ['name', markup, 'page.js'],
  ['source URL', 'layoutRows', `${markup}.js`],
] as const) {
  test(`a ${what} that looks like markup and moves cursors stays text @attack`, async () => {
    const { farm } = await tracedFarm(name, file);
    const { stdout } = await farm(...compared, '--blame');
    expect(stdout).toContain('alert(1)');
    expect(stdout).not.toContain('\u001b[2J');
    const { path } = JSON.parse((await farm('report', '1', '--json')).stdout) as { path: string };
    const page = await readFile(path, 'utf8');
    expect(page).toContain('alert(1)');
    expect(page).not.toMatch(/<script>alert|<img src=x/);
    expect(() => parsePage(page)).not.toThrow();
  });
}

test('a page without functions has its script blamed', async () => {
  const { farm } = await tracedFarm('', 'page.html');
  const { stdout } = await farm(...compared, '--blame');
  expect(stdout).toContain('(anonymous) (page.html:2): +10 ms');
});

/** `crossfarm blame RUN`: a stored comparison, a browser that is played. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { pagesWith } from '../../testing/fake-pages.ts';

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

test('refuses a run that compares no versions of a page', async () => {
  const { farm } = await aFakeFarm();
  await farm('compare', 'one', 'two', '--bench', 'control', '--max-blocks', '8');
  const { code, stderr } = await farm('blame', 'latest');
  expect(code).toBe(2);
  expect(stderr).toContain('Run 1 compares no versions of a page.');
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

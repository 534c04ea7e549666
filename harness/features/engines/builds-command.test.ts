import { expect, test } from '@playwright/test';
import { join } from 'node:path';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess as farm } from '../../testing/in-process-farm.ts';
import { storedBuilds } from '../../testing/stored-builds.ts';

/** A folder with a store of two builds of Node.js. */
async function aStore(): Promise<string> {
  const folder = await aFolder();
  await storedBuilds(join(folder, '.farm', 'farm.db'), 'node', ['20.0.1', '21.0.1']);
  return folder;
}

test('a build is listed, is a device, and is removed', async () => {
  const folder = await aStore();
  const listed = await farm(folder, 'builds', 'list', '--here', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { id: 'node@20', browser: 'node', version: '20.0.1', state: 'here' },
    { id: 'node@21', browser: 'node', version: '21.0.1', state: 'here' },
  ]);
  const devices = await farm(folder, 'devices', '--device', 'node@21', '--json');
  expect(JSON.parse(devices.stdout)).toMatchObject([
    { id: 'node@21', status: 'found', browser: { name: 'node', version: '21.0.1' } },
  ]);
  const removed = await farm(folder, 'builds', 'remove', 'node@20..21');
  expect(removed.stdout).toMatch(/removed: node@20\.0\.1.*\n.*node@21\.0\.1/);
  expect((await farm(folder, 'builds', 'list', '--here', '--json')).stdout.trim()).toBe('[]');
});

test('refuses a run on a missing build with the command to get it', async () => {
  const missing = await farm(await aFolder(), 'run', '--device', 'node@20', '--bench', 'control');
  expect(missing.stderr).toMatch(/build node@20 is not here[^]*npx crossfarm engines get node@20/);
  expect(missing.code).toBe(2);
});

for (const sides of [
  ['--a-build', '19', '--b-build', '21'],
  ['--a-build', '21', '--b-build', '19'],
]) {
  test(`a comparison with ${sides.join(' ')} names the builds that are here`, async () => {
    const args = ['compare', 'node', 'node', '--bench', 'control', ...sides];
    const compared = await farm(await aStore(), ...args);
    expect(compared.stderr).toMatch(/build node@19 is not here[^]*Here are node@20[^]*node@21/);
    expect(compared.code).toBe(2);
  });
}

import { expect, test } from '@playwright/test';
import { farm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { aRegistry, closeRegistries } from '../../testing/npm-registry.ts';

closeRegistries();

/** This Node.js, published as another version. */
function aNode(version: string) {
  const script = `#!/bin/sh
if [ "$1" = --version ]; then echo v${version}; else exec '${process.execPath}' "$@"; fi
`;
  return { version, files: { 'bin/node': script } };
}

test('fetched builds are devices of a run', async () => {
  const folder = await aFolder();
  await aRegistry(`node-${process.platform}-${process.arch}`, ['20.0.1', '21.0.1'].map(aNode));

  const got = await farm(folder, 'builds', 'get', 'node@20..21', '--json');
  expect(got.code, got.stderr).toBe(0);
  expect(got.stderr).toMatch(/^2 builds: about \d+ MiB to fetch/m);
  const listed = await farm(folder, 'builds', 'list', '--here', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { id: 'node@20', version: '20.0.1', source: 'npm', state: 'here' },
    { id: 'node@21', version: '21.0.1', source: 'npm', state: 'here' },
  ]);
  const run = await farm(
    folder,
    ...['run', '--device', 'node@20,node@21', '--bench', 'control', '--param', 'rounds=20000'],
    ...['--trials', '1', '--measurement', 'fast', '--no-probes', '--json'],
  );
  expect(run.code, run.stderr).toBe(0);
  const last = JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '') as object;
  expect(last).toMatchObject({ type: 'run-finished', cells: { planned: 2, completed: 2 } });
});

test('a Chromium of npm’s is fetched and runs', { tag: '@campaign' }, async () => {
  test.setTimeout(180_000);
  const folder = await aFolder();
  const { stdout, stderr } = await farm(folder, 'builds', 'list', '--json');
  const listed = JSON.parse(stdout) as { id: string; source: string }[];
  const offered = listed.filter(({ id, source }) => source === 'npm' && /^chromium@/.test(id));
  const id = offered.at(-1)?.id ?? '';
  test.skip(id === '', `npm has no Chromium for this machine, or does not answer: ${stderr}`);

  const got = await farm(folder, 'builds', 'get', id);
  expect(got.code, got.stderr).toBe(0);
  const run = await farm(
    folder,
    ...['run', '--device', id, '--bench', 'control', '--param', 'rounds=20000'],
    ...['--trials', '1', '--measurement', 'fast', '--no-probes'],
  );
  expect(run.stderr + run.stdout).toMatch(/1 completed of 1 planned/);
  const devices = await farm(folder, 'devices', '--device', id, '--json');
  const major = id.replace('chromium@', '');
  expect(JSON.parse(devices.stdout)).toMatchObject([
    { browser: { version: expect.stringMatching(new RegExp(`^${major}\\.\\d`)) as unknown } },
  ]);
});

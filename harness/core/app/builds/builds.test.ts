import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { addBuild, buildsFolder, listBuilds, makeRoom } from '../../setup/build-store.ts';
import { aFolder } from '../../../testing/folder.ts';
import { aRegistry, closeRegistries } from '../../../testing/npm-registry.ts';
import { loadDevices } from './build-devices.ts';
import { getBuilds, listKnownBuilds, removeBuilds } from './builds.ts';

closeRegistries();

const node = `node-${process.platform}-${process.arch}`;
const keepBuilds = 1e9;

function aCaller(said: string[] = []) {
  return { signal: new AbortController().signal, say: (sentence: string) => said.push(sentence) };
}

function aNode(version: string) {
  return { version, files: { 'bin/node': `#!/bin/sh\necho v${version}\n` } };
}

async function aDatabase(): Promise<string> {
  return join(await aFolder(), 'farm.db');
}

/** A build in the store, as it is after it was fetched, or copied by a night. */
async function stored(
  database: string,
  product: string,
  version: string,
  { origin, day = 1, bytes = 10 }: { origin?: string; day?: number; bytes?: number } = {},
): Promise<void> {
  await addBuild(buildsFolder(database), async (half) => {
    await mkdir(join(half, 'bin'));
    await writeFile(join(half, 'bin', product), 'x'.repeat(bytes));
    await chmod(join(half, 'bin', product), 0o755);
    const keptAt = `2026-01-0${String(day)}T00:00:00.000Z`;
    const facts = { product, version, executable: `bin/${product}`, keptAt };
    return { ...facts, ...(origin !== undefined && { origin, flags: ['--needed'] }) };
  });
}

test('announces the size of a range and fetches each build only once', async () => {
  await aRegistry(node, ['10.2.0', '14.1.0', '14.2.0', '22.1.0'].map(aNode));
  const database = await aDatabase();
  const said: string[] = [];
  const { builds, failed } = await getBuilds(
    ['node@10..14'],
    { database, keepBuilds },
    aCaller(said),
  );
  expect(failed).toEqual([]);
  expect(builds.map(({ version }) => version)).toEqual(['10.2.0', '14.2.0']);
  expect(said[0]).toMatch(/^2 builds: about \d+ MiB to fetch, then about \d+ MiB in /);
  const again: string[] = [];
  await getBuilds(['node@10', 'node@14.2'], { database, keepBuilds }, aCaller(again));
  expect(again).toEqual([]);
});

test('lists kept and available builds with the name that gets each', async () => {
  await aRegistry(node, ['10.2.0', '22.1.0', '22.2.0'].map(aNode));
  const database = await aDatabase();
  await getBuilds(['node@22.1.0'], { database, keepBuilds }, aCaller());
  const { builds } = await listKnownBuilds({ database, here: false }, aCaller());
  expect(
    builds.filter(({ browser }) => browser === 'node').map(({ id, state }) => [id, state]),
  ).toEqual([
    ['node@10', 'available'],
    ['node@22.1.0', 'here'],
    ['node@22.2.0', 'available'],
  ]);
  const here = await listKnownBuilds({ database, here: true }, aCaller());
  expect(here.builds.map(({ id }) => id)).toEqual(['node@22']);
});

test('refuses an unknown version with the nearest, a full store by size', async () => {
  await aRegistry(node, ['10.2.0', '14.1.0'].map(aNode));
  const database = await aDatabase();
  const get = (text: string, limit = keepBuilds) =>
    getBuilds([text], { database, keepBuilds: limit }, aCaller());
  await expect(get('node@12')).rejects.toMatchObject({
    message: 'node@12 is in no registry.',
    next: expect.stringMatching(/nearest: node@10\.2\.0 and node@14\.1\.0/) as unknown,
  });
  await expect(get('opera@1')).rejects.toThrow(/opera@1 is in no registry/);
  await expect(get('node@14', 1e6)).rejects.toThrow(/may hold 1 MiB/);
  expect(await listBuilds(buildsFolder(database))).toEqual([]);
});

test('one unavailable build does not stop the others', async () => {
  await aRegistry(node, [{ ...aNode('10.2.0'), damaged: true }, aNode('14.1.0')]);
  const database = await aDatabase();
  const got = await getBuilds(['node@10..14'], { database, keepBuilds }, aCaller());
  expect(got.builds.map(({ version }) => version)).toEqual(['14.1.0']);
  expect(got.failed).toMatchObject([{ id: 'node@10' }]);
});

test('removes builds by name and reports those that are missing', async () => {
  const database = await aDatabase();
  for (const version of ['109.0.1', '110.0.1', '153.0.1'])
    await stored(database, 'chromium', version);
  await removeBuilds(['chromium@109..110'], { database });
  const left = await listBuilds(buildsFolder(database));
  expect(left.map(({ version }) => version)).toEqual(['153.0.1']);
  await expect(removeBuilds(['chromium@110'], { database })).rejects.toMatchObject({
    next: 'Here are chromium@153.0.1.',
  });
});

test('removes downloadable builds before copies of nights when space is short', async () => {
  const database = await aDatabase();
  await stored(database, 'chromium', '1.0', { day: 1, bytes: 1000 });
  await stored(database, 'chromium', '2.0', { day: 2, bytes: 1000, origin: 'npm:x@2' });
  await stored(database, 'chromium', '3.0', { day: 3, bytes: 1000, origin: 'npm:x@3' });
  const folder = buildsFolder(database);
  const versions = async () => (await listBuilds(folder)).map(({ version }) => version);
  await makeRoom({ folder, budgetBytes: 2500 }, () => false);
  expect(await versions()).toEqual(['1.0', '3.0']);
  await makeRoom({ folder, budgetBytes: 1500 }, ({ version }) => version === '3.0');
  expect(await versions()).toEqual(['3.0']);
});

test('a build is a device with the settings of the one named before', async () => {
  const database = await aDatabase();
  const inventory = join(await aFolder(), 'devices.json');
  const devices = [
    { id: 'mine', browser: 'chromium', driver: 'puppeteer', flags: ['--mine'] },
    { id: 'node22', browser: 'node', driver: 'process', version: '22' },
    { id: 'far', browser: 'chromium', driver: 'webdriver', server: 'http://far:4444' },
  ];
  await writeFile(inventory, JSON.stringify({ devices }));
  await stored(database, 'chromium', '110.0.1', { origin: 'npm:x@110' });
  await stored(database, 'chromium', '110.0.2', { origin: 'npm:x@110.0.2' });
  await stored(database, 'node', '14.1.0', { origin: 'npm:n@14' });
  const load = async (...names: string[]) =>
    (await loadDevices({ inventory, database }, names)).slice(devices.length);
  const [build, runtime] = await load('mine@110', 'node@14', 'mine');
  expect(build).toMatchObject({
    id: 'mine@110',
    driver: 'puppeteer',
    executable: join(buildsFolder(database), 'chromium', '110.0.2', 'bin', 'chromium'),
    flags: ['--needed', '--mine'],
    automatic: false,
  });
  expect(runtime).not.toHaveProperty('version');
  expect(await load('chromium@110.0.1')).toMatchObject([
    { driver: 'puppeteer', id: 'chromium@110.0.1' },
  ]);
  await expect(load('chromium@120')).rejects.toMatchObject({
    message: 'The build chromium@120 is not here.',
    next: expect.stringMatching(/farm engines get chromium@120.*chromium@110\.0\.1/) as unknown,
  });
  await expect(load('far@110')).rejects.toThrow(/far is not on this machine/);
  await expect(load('mine@109..110')).rejects.toThrow(/range/);
});

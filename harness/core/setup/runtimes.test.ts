import { test, expect } from '@playwright/test';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { processDriver } from '../../../drivers/process/process.ts';
import { aDevice } from '../../testing/builders.ts';
import { aFolder } from '../../testing/folder.ts';
import { findDevice } from './presence.ts';
import { findRuntime, runtimeFolder } from './runtimes.ts';

test.skip(process.platform === 'win32', 'these programs are shell scripts');

async function aProgram(path: string, output: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\necho "${output}"\n`);
  await chmod(path, 0o755);
  return path;
}

/** Runs with these folders alone on PATH. */
async function withPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  const before = process.env['PATH'];
  process.env['PATH'] = path;
  try {
    return await work();
  } finally {
    process.env['PATH'] = before;
  }
}

test('Node.js of any version is the one that runs the farm', async () => {
  expect(await findRuntime({ browser: 'node' })).toBe(process.execPath);
});

test('looks for the right version on PATH and among installed programs', async () => {
  const [path, root] = [await aFolder(), await aFolder()];
  const node99 = { browser: 'node', version: '99' };
  await aProgram(join(path, 'node'), 'v9.9.9');
  const find = (): Promise<string | null> => withPath(path, () => findRuntime(node99, root));
  expect(await find()).toBeNull();
  const own = join(runtimeFolder(node99, root), 'node_modules/node/bin/node');
  await aProgram(own, 'v99.1.0');
  expect(await find()).toBe(own);
  const onPath = await aProgram(join(path, 'node99'), 'v99.2.0');
  expect(await find()).toBe(onPath);
});

test('Deno and Bun are found where their npm packages put them', async () => {
  const root = await aFolder();
  const deno = join(root, 'deno/node_modules/@deno/linux-x64-glibc/deno');
  const bun = join(root, 'bun/node_modules/bun/bin/bun.exe');
  await aProgram(deno, 'deno 2.9.6 (stable)');
  await aProgram(bun, '1.4.5');
  await withPath('/nowhere', async () => {
    expect(await findRuntime({ browser: 'deno' }, root)).toBe(deno);
    expect(await findRuntime({ browser: 'bun' }, root)).toBe(bun);
  });
});

test('reports the version of a runtime, or the command that installs a missing one', async () => {
  const node = aDevice('node', { browser: 'node', driver: 'process' });
  expect(await findDevice(node, processDriver)).toMatchObject({
    status: 'found',
    target: {
      executable: process.execPath,
      browser: { name: 'node', version: process.version.slice(1) },
    },
  });
  expect(await findDevice({ ...node, version: '9999' }, processDriver)).toMatchObject({
    status: 'missing',
    reason: 'Node.js 9999 is not installed',
    remedy: 'npx crossfarm devices setup --runtimes',
  });
});

import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import type { Parameters } from '../protocol.d.ts';
import { prepare } from './benchmark.js';

const temporary = process.env['TMPDIR'];
let folder: string;

test.beforeEach(async () => {
  folder = test.info().outputPath('temporary');
  await mkdir(folder, { recursive: true });
  process.env['TMPDIR'] = folder;
});

test.afterEach(() => {
  if (temporary === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = temporary;
});

function someParameters(more: Partial<Record<string, string | number>> = {}): Parameters {
  const defaults = { files: 3, size: 2, mode: 'sync', state: 'warm', open: 'within' };
  return { ...defaults, after: 'nothing', place: 'main', ...more } as Parameters;
}

const modes = ['sync', 'async-parallel', 'async-sequential', 'callback-parallel'];

/** The files that are there now, each with its path. */
async function filesThere(): Promise<readonly string[]> {
  const folders = await readdir(folder);
  const paths = folders.map(async (one) => {
    const names = await readdir(join(folder, one));
    return names.map((name) => join(folder, one, name));
  });
  return (await Promise.all(paths)).flat();
}

for (const mode of modes) {
  test(`${mode}: whole files are read again and again, checked, and removed in the end`, async () => {
    const prepared = await prepare(someParameters({ mode }));
    const { once, asynchronous, check, counters, end } = prepared;
    expect(once() instanceof Promise).toBe(asynchronous);
    expect(asynchronous).toBe(mode !== 'sync');
    check(await once());
    expect(await counters?.()).toEqual({ bytes: 3 * 2048 });
    await end?.();
    expect(await readdir(folder)).toEqual([]);
  });

  test(`${mode}: bytes that were not read as they were written are noticed`, async () => {
    const { once, check, end } = await prepare(someParameters({ mode }));
    const path = (await filesThere()).find((one) => one.endsWith('/1')) ?? '';
    await writeFile(path, Buffer.alloc(2048));
    const changed = await once();
    expect(() => check(changed)).toThrow(/^File 1 .*other bytes/);
    await writeFile(path, 'short');
    const shorter = await once();
    expect(() => check(shorter)).toThrow(/^File 1 .* 5 bytes.*\b2048\b/);
    await end?.();
  });

  test(`${mode}: the first reads happen in fresh processes, which tell how long they took`, async () => {
    const { once, check, also, end } = await prepare(someParameters({ mode, state: 'first' }));
    check(await once());
    check(await once());
    expect(also).toEqual([
      { metric: 'reading', unit: 'ms', values: [expect.any(Number), expect.any(Number)] },
    ]);
    for (const value of also?.[0]?.values ?? []) expect(value).toBeGreaterThan(0);
    await end?.();
    expect(await readdir(folder)).toEqual([]);
  });
}

for (const after of ['sync', 'module', 'pool', 'read', 'many']) {
  test(`after ${after}: the process does that first, and the first reads are sound`, async () => {
    const parameters = someParameters({ mode: 'async-parallel', state: 'first', after });
    const { once, check, end } = await prepare(parameters);
    check(await once());
    await end?.();
  });
}

test('cold files come from the disk in every single reading', async () => {
  test.skip(!existsSync('/proc/self/io'), 'only Linux counts what came from the disk');
  const parameters = someParameters({ mode: 'async-parallel', state: 'cold' });
  const { once, check, counters, end } = await prepare(parameters);
  check(await once());
  check(await once());
  const { fetched } = (await counters?.()) ?? {};
  expect(fetched).toBeGreaterThanOrEqual(3 * 2048);
  await end?.();
  expect(await readdir(folder)).toEqual([]);
});

test('cold files are refused where nothing makes them cold, and none is left behind', async () => {
  const { PATH } = process.env;
  try {
    process.env['PATH'] = folder;
    const refused = prepare(someParameters({ state: 'cold' }));
    await expect(refused).rejects.toThrow(/page cache .*GNU dd .*dd.*not found/);
  } finally {
    process.env['PATH'] = PATH;
  }
  expect(await readdir(folder)).toEqual([]);
});

test('reports that files in memory are never cold', async () => {
  test.skip(!existsSync('/dev/shm'), 'there is no file system in memory at /dev/shm');
  process.env['TMPDIR'] = '/dev/shm';
  await expect(prepare(someParameters({ state: 'cold' }))).rejects.toThrow(
    /not cold.* 6144 bytes.* \d+ .*disk/,
  );
  expect((await readdir('/dev/shm')).filter((name) => name.startsWith('file-read-'))).toEqual([]);
});

const refused = [
  [{ files: 0 }, 'files cannot be 0: it is 1 to 1000.'],
  [{ files: 1.5 }, 'files cannot be 1.5'],
  [{ size: 16385 }, 'size cannot be 16385: it is 1 to 16384.'],
  [{ files: 1000, size: 1024 }, '1000 files of 1024 KiB are more than 256 MiB together.'],
  [{ mode: 'toString' }, 'mode cannot be "toString"'],
  [{ state: 'frozen' }, 'state cannot be "frozen"'],
  [{ after: 'lunch' }, 'after cannot be "lunch"'],
  [{ open: 'before' }, 'open cannot be "before": in a runtime files are read by their paths.'],
  [{ after: 'read' }, 'after concerns first reads'],
] as const;

for (const [parameters, message] of refused) {
  test(`${JSON.stringify(parameters)} is refused with a sentence`, async () => {
    await expect(prepare(someParameters(parameters))).rejects.toThrow(message);
    expect(await readdir(folder)).toEqual([]);
  });
}

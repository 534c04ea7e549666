import { expect, test } from '@playwright/test';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { readJsonFile } from './json-file.ts';
import { findExcess } from './json-shape.ts';
import { openRegularFile, readBounded } from './regular-file.ts';
import { aFolder } from '../testing/folder.ts';
import { readBundle } from '../features/bundles/bundle/read.ts';

test.skip(process.platform === 'win32', 'Windows has no pipes with a path in a folder');

test('refuses pipes, sockets, devices and folders without waiting @attack', async () => {
  const folder = await aFolder();
  const pipe = join(folder, 'pipe');
  // The system takes no longer names of sockets than 107 bytes: relative to here.
  const socket = join(relative('.', folder), 's');
  execFileSync('mkfifo', [pipe]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const kind = { noun: 'suite', code: 'bad-suite', schema: z.unknown() } as const;
  for (const path of [pipe, socket, '/dev/zero', folder]) {
    await expect(openRegularFile(path), path).rejects.toThrow(/not a file|ENXIO/);
    await expect(readJsonFile(path, kind), path).rejects.toMatchObject({ code: 'bad-suite' });
    await expect(readBundle(path), path).rejects.toMatchObject({ code: 'bad-bundle' });
  }
  await new Promise((resolve) => server.close(resolve));
});

test('refuses a file above its bound before reading it', async () => {
  const path = join(await aFolder(), 'file');
  writeFileSync(path, '12345');
  const file = await openRegularFile(path);
  await expect(readBounded(file, 4)).rejects.toThrow('it has 5 bytes, and 4 are read at most');
  expect((await readBounded(file, 5)).toString()).toBe('12345');
  await file.close();
});

test('finds JSON that is too deep, too long or too much, outside of texts', async () => {
  const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  expect(findExcess(deep(101))).toContain('nested');
  expect(findExcess('{"a":'.repeat(200_000))).toContain('nested');
  expect(findExcess(JSON.stringify({ ['n'.repeat(2 ** 20 + 1)]: 1 }))).toContain('characters');
  expect(findExcess(`[${'0,'.repeat(20_000_000)}0]`)).toContain('values');
  for (const fine of [deep(100), JSON.stringify([deep(5_000), '\\"[[', '"']), '"open', '{'])
    expect(findExcess(fine)).toBeNull();
  const path = join(await aFolder(), 'deep.json');
  writeFileSync(path, deep(100_000));
  const kind = { noun: 'suite', code: 'bad-suite', schema: z.unknown() } as const;
  await expect(readJsonFile(path, kind)).rejects.toThrow(/deep\.json is not valid: it is nested/);
});

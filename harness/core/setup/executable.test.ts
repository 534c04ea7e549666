import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFolder } from '../../testing/folder.ts';
import { askPackage, findOnPath } from './executable.ts';

test('a program of the distribution has the version of its package', async () => {
  const found = findOnPath(['dpkg-query']);
  test.skip(found === null, 'dpkg is not the package manager here');
  expect(await askPackage(found ?? '')).toMatch(/^\d+\.\d+/);
  expect(await askPackage('/bin/sh', ['--', 'dpkg-query'])).toBe(await askPackage(found ?? ''));
});

test('a program outside packages has no package and is not started', async () => {
  const folder = await aFolder();
  const program = join(folder, 'program');
  await writeFile(program, `#!/bin/sh\ntouch ${join(folder, 'started')}\necho 1.2.3\n`, {
    mode: 0o755,
  });
  expect(await askPackage(program)).toBeNull();
  await expect(writeFile(join(folder, 'started'), '', { flag: 'wx' })).resolves.toBeUndefined();
});

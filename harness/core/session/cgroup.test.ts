import { expect, test } from '@playwright/test';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aFolder } from '../../testing/folder.ts';
import { findCgroupHome, SessionCgroup } from './cgroup.ts';

const own = ['cgroup.procs', 'cgroup.kill'];

/** A folder that looks like Linux's, as far as a session needs it; no kernel is behind it. */
async function aSystem({ files = own, line = '0::/farm.service\n', version = 2 } = {}) {
  const folder = await aFolder();
  const [root, self] = [join(folder, 'cgroup'), join(folder, 'self')];
  await mkdir(join(root, 'farm.service'), { recursive: true });
  await writeFile(self, line);
  if (version === 2) await writeFile(join(root, 'cgroup.controllers'), 'cpu\n');
  for (const file of files) await writeFile(join(root, 'farm.service', file), '');
  return { root, self };
}

test('a session has its own group and ends with its whole content', async () => {
  const places = await aSystem();
  const group = SessionCgroup.make('0a1b2c3d', findCgroupHome(places))!;
  const folder = join(places.root, 'farm.service', 'crossfarm-0a1b2c3d');
  expect(group.take([41, 42])).toBe(2);
  // The kernel adds one to the others; a file keeps what was written last.
  expect(readFileSync(join(folder, 'cgroup.procs'), 'utf8')).toBe('42\n');
  let looks = 0;
  await group.end({
    forMs: 60_000,
    pause: () => {
      looks += 1;
      expect(readFileSync(join(folder, 'cgroup.kill'), 'utf8')).toBe('1');
      for (const file of own) rmSync(join(folder, file));
      return Promise.resolve();
    },
  });
  expect(looks).toBe(1);
  expect(existsSync(folder)).toBe(false);
});

test('the memory of a group is bounded, where the system counts it', async () => {
  const places = await aSystem();
  const group = SessionCgroup.make('0a1b2c3d', findCgroupHome(places))!;
  const folder = join(places.root, 'farm.service', 'crossfarm-0a1b2c3d');
  expect(group.boundMemory(2 ** 30)).toBe(true);
  expect(readFileSync(join(folder, 'memory.max'), 'utf8')).toBe('1073741824');
  expect(readFileSync(join(folder, 'memory.swap.max'), 'utf8')).toBe('0');
  expect(readFileSync(join(folder, 'memory.oom.group'), 'utf8')).toBe('1');
  rmSync(folder, { recursive: true });
  expect(group.boundMemory(2 ** 30)).toBe(false);
});

test('throws if a group cannot be ended', async () => {
  const group = SessionCgroup.make('0a1b2c3d', findCgroupHome(await aSystem()))!;
  group.take([42]);
  await expect(group.end({ forMs: 0, pause: () => Promise.resolve() })).rejects.toThrow();
});

const unfit: readonly [string, Parameters<typeof aSystem>[0], string][] = [
  ['of version 1', { version: 1 }, 'no cgroups of version 2'],
  ['of an older Linux', { files: ['cgroup.procs'] }, 'before Linux 5.14'],
  ['that name none as ours', { line: '4:cpu:/farm\n' }, 'does not name ours'],
  ['that are not delegated', { files: ['cgroup.kill'] }, 'not ours to divide'],
];

for (const [what, system, because] of unfit) {
  test(`cgroups ${what} are not used, with a reason`, async () => {
    const home = findCgroupHome(await aSystem(system));
    expect(home.kind === 'none' && home.because).toContain(because);
    expect(SessionCgroup.make('0a1b2c3d', home)).toBeNull();
  });
}

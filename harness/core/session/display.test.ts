import { expect, test } from '@playwright/test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from '../setup/executable.ts';
import { aFolder } from '../../testing/folder.ts';
import { openDisplay, shareDisplay } from './display.ts';

test('a display that is there is used', async () => {
  const display = await openDisplay({ existing: ':5', program: '/nowhere/Xvfb' });
  expect(display.name).toBe(':5');
  await display.close();
});

test('without a display and Xvfb it names the command to type', async () => {
  await expect(openDisplay({ existing: '', program: '/nowhere/Xvfb' })).rejects.toMatchObject({
    name: 'DriverError',
    code: 'launch-failed',
    message: expect.stringContaining('apt-get install --no-install-recommends xvfb'),
  });
});

test('reports a program that ends early or names no display', async () => {
  test.skip(process.platform === 'win32', 'these programs are of POSIX');
  const ends = openDisplay({ existing: '', program: 'false' });
  await expect(ends).rejects.toThrow(/^false made no display: /);
  const program = join(await aFolder(), 'silent');
  await writeFile(program, '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
  const silent = openDisplay({ existing: '', program, timeoutMs: 100 });
  await expect(silent).rejects.toThrow('it named no display within 0.1 s');
});

test('virtual displays find free numbers by themselves, and are closed', async () => {
  test.skip(findOnPath(['Xvfb']) === null, 'Xvfb is not on this machine');
  const first = await openDisplay({ existing: '' });
  const second = await openDisplay({ existing: '' });
  expect(first.name).toMatch(/^:\d+$/);
  expect(second.name).not.toBe(first.name);
  await first.close();
  await second.close();
});

test('opens one display for all at first, another after its death', async () => {
  const living = new Set<string>();
  let opened = 0;
  const display = shareDisplay(() => {
    opened += 1;
    const name = `:${String(opened)}`;
    living.add(name);
    return Promise.resolve({
      name,
      lives: () => living.has(name),
      close: () => Promise.resolve(void living.delete(name)),
    });
  });
  expect(opened).toBe(0);
  expect([await display.name(), await display.name()]).toEqual([':1', ':1']);
  living.clear();
  expect([await display.name(), await display.name()]).toEqual([':2', ':2']);
  await display.close();
  expect(living.size).toBe(0);
});

test('closes a display without error when it never opened', async () => {
  await shareDisplay(() => Promise.reject(new Error('no Xvfb'))).close();
  const broken = shareDisplay(() => Promise.reject(new Error('no Xvfb')));
  await expect(broken.name()).rejects.toThrow('no Xvfb');
  await broken.close();
});

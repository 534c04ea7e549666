import { expect, test } from '@playwright/test';
import { identify, readProcessTable } from './process-table.ts';

test('the table of this machine has this process, its parent and its environment', () => {
  test.skip(process.platform !== 'linux', '/proc is of Linux');
  const self = readProcessTable().find(({ pid }) => pid === process.pid);
  expect(self).toMatchObject({ parent: process.ppid, dead: false });
  expect(self?.command).toContain(process.argv[1]);
  expect(self?.environment.some((entry) => entry.startsWith('PATH='))).toBe(true);
  expect(identify(process.pid)?.start).toBe(self?.start);
  expect(identify(2 ** 30)).toBeNull();
});

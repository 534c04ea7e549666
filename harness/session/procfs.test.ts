import { expect, test } from '@playwright/test';
import { parseList, parseStat, readProcfs, readStat } from './process-table.ts';

/** Captured from Chromium 156 under Linux. */
const chromium =
  '18269 (chromium) S 18238 18238 18238 0 -1 4194560 4431 1 0 0 2 3 0 0 20 0 1 0 8351922 34837905408 14982 18446744073709551615 1 1 0 0 0 0 0 4098 81920 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n';

test('pid, parent, state and start are read from a line of stat', () => {
  expect(parseStat(chromium)).toEqual({
    pid: 18269,
    parent: 18238,
    state: 'S',
    start: '8351922',
  });
});

test('a name with spaces and parentheses does not shift the fields', () => {
  const odd = chromium.replace('(chromium)', '(Web Content) (S 1 2)');
  expect(parseStat(odd)).toMatchObject({ pid: 18269, parent: 18238, state: 'S' });
});

test('what is not of the form is refused', () => {
  for (const text of ['', '18269', '18269 (x', '18269 (x) S 1', ')(']) {
    expect(parseStat(text)).toBeNull();
  }
});

test('lists are separated by NUL, and may be empty', () => {
  expect(parseList('A=1\0B=x y\0')).toEqual(['A=1', 'B=x y']);
  expect(parseList('')).toEqual([]);
});

test('the table of this machine has this process, its parent and its environment', () => {
  test.skip(process.platform !== 'linux', '/proc is of Linux');
  const self = readProcfs().find(({ pid }) => pid === process.pid);
  expect(self).toMatchObject({ parent: process.ppid, dead: false });
  expect(self?.command).toContain(process.argv[1]);
  expect(self?.environment.some((entry) => entry.startsWith('PATH='))).toBe(true);
  expect(readStat(process.pid)?.start).toBe(self?.start);
  expect(readStat(2 ** 30)).toBeNull();
});

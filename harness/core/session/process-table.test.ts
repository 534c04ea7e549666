import { expect, test } from '@playwright/test';
import { findOnPath } from '../setup/executable.ts';
import { identify, parsePs, readProcessTable, readPs } from './process-table.ts';

test('the table of this machine has this process, its parent and its environment', () => {
  test.skip(process.platform !== 'linux', '/proc is of Linux');
  const self = readProcessTable().find(({ pid }) => pid === process.pid);
  expect(self).toMatchObject({ parent: process.ppid, dead: false });
  expect(self?.command).toContain(process.argv[1]);
  expect(self?.environment.some((entry) => entry.startsWith('PATH='))).toBe(true);
  expect(identify(process.pid)?.start).toBe(self?.start);
  expect(identify(2 ** 30)).toBeNull();
});

test('a line of ps gives pid, parent, start and command', () => {
  const text = [
    '    1     0 Ss   Fri Nov  6 08:00:01 2026 /sbin/launchd',
    '  812     1 S+   Sat Nov 21 09:39:26 2026 /Applications/Firefox.app/Contents/MacOS/firefox --profile /tmp/a b',
    '  813   812 Z    Sat Nov 21 09:39:27 2026 (firefox)',
    'not a line',
  ].join('\n');
  expect(parsePs(text)).toEqual([
    {
      pid: 1,
      parent: 0,
      start: 'Fri Nov 6 08:00:01 2026',
      dead: false,
      command: '/sbin/launchd',
      environment: [],
    },
    {
      pid: 812,
      parent: 1,
      start: 'Sat Nov 21 09:39:26 2026',
      dead: false,
      command: '/Applications/Firefox.app/Contents/MacOS/firefox --profile /tmp/a b',
      environment: [],
    },
    {
      pid: 813,
      parent: 812,
      start: 'Sat Nov 21 09:39:27 2026',
      dead: true,
      command: '(firefox)',
      environment: [],
    },
  ]);
});

test('ps of this machine lists this process under its parent', () => {
  test.skip(findOnPath(['ps']) === null, 'there is no ps on this machine');
  const self = readPs().find(({ pid }) => pid === process.pid);
  expect(self).toMatchObject({ parent: process.ppid, dead: false });
});

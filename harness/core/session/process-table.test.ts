import { expect, test } from '@playwright/test';
import { findOnPath } from '../setup/executable.ts';
import { identify, parseCim, parsePs, readProcessTable, readPs } from './process-table.ts';

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

/** As Windows PowerShell 5.1 writes it, shortened. */
const cim = String.raw`[{"ProcessId":0,"ParentProcessId":0,"CreationDate":null,"CommandLine":null},{"ProcessId":4,"ParentProcessId":0,"CreationDate":"\/Date(1795253401123)\/","CommandLine":null},{"ProcessId":812,"ParentProcessId":4711,"CreationDate":"\/Date(1795253966123)\/","CommandLine":"\"C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe\" --user-data-dir=C:\\Users\\J\u00f6rg\\AppData\\Local\\Temp\\s1\\profile"},{"ProcessId":813,"ParentProcessId":812,"CreationDate":"\/Date(1795253967000)\/","CommandLine":"chrome.exe --type=renderer"},{"ProcessId":4711,"ParentProcessId":4,"CreationDate":"\/Date(1795259999000)\/","CommandLine":"notepad.exe"}]`;

test('the processes of Windows have their parents and command lines', () => {
  const [, , chrome, renderer] = parseCim(cim);
  expect(chrome).toMatchObject({ pid: 812, start: '1795253966123', dead: false, environment: [] });
  expect(chrome?.command).toContain(String.raw`C:\Users\Jörg\AppData\Local\Temp\s1\profile`);
  expect(renderer).toMatchObject({ pid: 813, parent: 812 });
});

test('a younger process with the number of a parent that ended is not the parent', () => {
  expect(parseCim(cim).find(({ pid }) => pid === 812)?.parent).toBe(0);
});

test('reads the dates of PowerShell 7, one process alone, and nothing of other texts', () => {
  const one = { ProcessId: 7, ParentProcessId: 1, CommandLine: 'sh' };
  const text = JSON.stringify({ ...one, CreationDate: '2026-11-21T09:39:26.123+00:00' });
  expect(parseCim(text)).toMatchObject([{ pid: 7, start: '1795253966123' }]);
  expect(parseCim('Get-CimInstance : Access denied')).toEqual([]);
  expect(parseCim('')).toEqual([]);
});

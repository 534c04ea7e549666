import { expect, test } from '@playwright/test';
import type { PidStat } from '../../../core/procfs.ts';
import { sessionProcesses } from './node-recorder.ts';

const born = (pid: number, name: string, ppid: number, startTick = 100): PidStat => ({
  pid,
  name,
  ppid,
  startTick,
  state: 'S',
  ownTicks: 0,
  childTicks: 0,
  lastCore: 0,
});

test('a session is the later browsers, driver servers and their descendants', () => {
  const processes = [
    born(1, 'systemd', 0, 0),
    born(10, 'java', 1, 50),
    born(20, 'chromedriver', 10),
    born(21, 'chromium', 20),
    // Children may take any name.
    born(22, 'zygote', 21),
    born(23, 'Web Content', 22),
  ];
  expect(sessionProcesses(processes, 100)).toEqual([20, 21, 22, 23]);
});

test('below a driver server that was there before, the browser is still found', () => {
  const processes = [
    born(30, 'WebKitWebDriver', 1, 50),
    born(31, 'MiniBrowser', 30),
    born(32, 'WebKitWebProces', 31),
  ];
  expect(sessionProcesses(processes, 100)).toEqual([31, 32]);
});

test('excludes other new processes and older browsers', () => {
  const processes = [
    born(40, 'chromium', 1, 99),
    born(41, 'cron', 1),
    born(42, 'sh', 41),
    born(43, 'firefox-esr', 1),
  ];
  expect(sessionProcesses(processes, 100)).toEqual([43]);
});

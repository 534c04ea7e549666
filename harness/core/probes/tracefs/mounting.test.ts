import { expect, test } from '@playwright/test';
import { realFiles, type SystemFiles } from '../../system-files.ts';
import { isLeftover, newOwnedName } from './mounting.ts';

/** A line of /proc/<pid>/stat of a process that began at this tick. */
function statOf(pid: number, startTick: number): string {
  const zeros = (count: number): string => Array(count).fill('0').join(' ');
  return `${String(pid)} (farm) S ${zeros(18)} ${String(startTick)} ${zeros(30)}`;
}

function processes(startTicks: Readonly<Record<number, number>>): SystemFiles {
  return {
    list: () => [],
    read: (path) => {
      const pid = Number(/^\/proc\/(\d+)\/stat$/.exec(path)?.[1]);
      const startTick = startTicks[pid];
      return startTick === undefined ? null : statOf(pid, startTick);
    },
  };
}

test('names are unique, and those of a live process are no leftovers', () => {
  test.skip(process.platform !== 'linux', 'only Linux has /proc');
  const first = newOwnedName(realFiles, '402');
  const second = newOwnedName(realFiles, '402');
  expect(first).not.toBe(second);
  expect([first, second].map((name) => isLeftover(name, realFiles, '402'))).toEqual([false, false]);
});

test('a name is left over when its process ended or pid changed', () => {
  const name = 'crossfarm-402-77-1234-1';
  expect(isLeftover(name, processes({ 77: 1234 }), '402')).toBe(false);
  expect(isLeftover(name, processes({}), '402')).toBe(true);
  expect(isLeftover(name, processes({ 77: 9999 }), '402')).toBe(true);
});

test('names of another container or another program are no leftovers', () => {
  const none = processes({});
  expect(isLeftover('crossfarm-402-77-1234-1', none, '500')).toBe(false);
  for (const name of ['my-instance', 'crossfarm-x', 'crossfarm-402-77-1234-1-old', '']) {
    expect(isLeftover(name, none, '402'), name).toBe(false);
  }
});

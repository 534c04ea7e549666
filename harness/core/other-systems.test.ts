/** Reads samples of the output of macOS and Windows. */
import { expect, test } from '@playwright/test';
import { filesOfSystem, parseCpuTimes, type SystemSource } from './other-systems.ts';
import { parseCmdline, parseLoadavg, parseMeminfo, parsePidStat, parseStat } from './procfs.ts';

/** `ps -A -ww -o pid=,ppid=,time=,lstart=,comm=` of macOS 14, shortened. */
const psOfMac = `    1     0   0:12.85 Sat Nov 21 09:30:01 2026     /sbin/launchd
  345     1   1:02.33 Sat Nov 21 09:39:26 2026     /usr/libexec/logd
 4711   345 123:45.67 Sun Nov 22 10:00:00 2026     /Applications/Google Chrome.app/Contents/MacOS/Google Chrome
garbage
`;

function aSystem(more: Partial<SystemSource> = {}): SystemSource {
  return {
    platform: 'darwin',
    cpus: () => [
      { times: { user: 1000, nice: 10, sys: 500, idle: 8000, irq: 5 } },
      { times: { user: 2000, nice: 0, sys: 300, idle: 7000, irq: 0 } },
    ],
    ps: () => psOfMac,
    loadavg: () => [1.5, 1.25, 1],
    freeBytes: () => 3 * 2 ** 30,
    uptime: () => 86_400,
    now: () => Date.parse('Sun Nov 22 10:00:10 2026'),
    ...more,
  };
}

test('reads the CPU time of processes from the ps of macOS', () => {
  expect(parseCpuTimes(psOfMac).map(({ pid, ppid, cpuMs }) => [pid, ppid, cpuMs])).toEqual([
    [1, 0, 12_850],
    [345, 1, 62_330],
    [4711, 345, 7_425_670],
  ]);
});

test('reads days and hours as other systems write them', () => {
  const text = '7 1 1-02:03:04 Sat Nov 21 09:39:26 2026 /usr/bin/sh\n';
  expect(parseCpuTimes(text)).toMatchObject([{ cpuMs: (26 * 3600 + 184) * 1000 }]);
});

test('tells of a Mac what the parsers of Linux read', () => {
  const files = filesOfSystem('darwin', aSystem());
  const read = (path: string): string => files.read(path) ?? '';
  expect(parseStat(read('/proc/stat'))).toEqual([
    { core: 0, busy: 151.5, idle: 800, steal: 0 },
    { core: 1, busy: 230, idle: 700, steal: 0 },
  ]);
  expect(parseLoadavg(read('/proc/loadavg'))?.load1).toBe(1.5);
  // Its free memory leaves out what programs can have at once.
  expect(parseMeminfo(read('/proc/meminfo')).availableBytes).toBeNull();
  expect(files.list('/proc')).toEqual(['1', '345', '4711']);
  const chrome = parsePidStat(read('/proc/4711/stat'));
  // It began 10 s ago, a day after the boot, and is known to a second.
  expect(chrome).toMatchObject({ pid: 4711, ppid: 345, ownTicks: 742_567, startTick: 8_639_100 });
  expect(parseCmdline(read('/proc/4711/cmdline'))[0]).toContain('Google Chrome');
  expect(files.read('/proc/9/stat')).toBeNull();
});

test('tells of Windows its cores and memory, and no processes', () => {
  const files = filesOfSystem('win32', aSystem({ platform: 'win32' }));
  expect(parseStat(files.read('/proc/stat') ?? '')).toHaveLength(2);
  expect(parseMeminfo(files.read('/proc/meminfo') ?? '').availableBytes).toBe(3 * 2 ** 30);
  expect(files.read('/proc/loadavg')).toBeNull();
  expect(files.list('/proc')).toEqual([]);
});

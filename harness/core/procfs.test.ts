import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import {
  parseAllowedCores,
  parseCmdline,
  parseFrequencyMhz,
  parseLoadavg,
  parseMeminfo,
  parseMountPoints,
  parsePidStat,
  parsePressure,
  parseSchedstat,
  parseStat,
  parseUptime,
} from './procfs.ts';

/** Captured on Debian 12, Linux 6.18, two cores. */
function fixture(name: string): string {
  return readFileSync(new URL(`../testing/procfs/${name}`, import.meta.url), 'utf8');
}

test.describe('/proc/stat', () => {
  test('gives the cores and leaves out their sum and the other counters', () => {
    const text = fixture('stat.txt');
    const cores = parseStat(text);
    expect(cores.map(({ core }) => core)).toEqual([0, 1]);
    const sums = /^cpu {2}(.*)$/m.exec(text)![1]!.split(' ').map(Number);
    const busy = sums[0]! + sums[1]! + sums[2]! + sums[5]! + sums[6]!;
    const counted = cores.reduce((sum, core) => sum + core.busy, 0);
    // The kernel rounds each core and the sum separately.
    expect(Math.abs(counted - busy)).toBeLessThanOrEqual(10);
  });

  test('keeps the number of a core when one before it is offline', () => {
    expect(parseStat('cpu  9 0 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu2 1 0 0 4\nintr 1\n')).toEqual([
      { core: 0, busy: 19, idle: 9, steal: 8 },
      { core: 2, busy: 1, idle: 4, steal: 0 },
    ]);
  });

  test('leaves out a line that was cut in the middle, wherever it was cut', () => {
    const text = fixture('stat.txt');
    const whole = parseStat(text);
    fc.assert(
      fc.property(fc.nat(text.length), (length) => {
        expect(whole.slice(0, parseStat(text.slice(0, length)).length)).toEqual(
          parseStat(text.slice(0, length)),
        );
      }),
    );
  });
});

test.describe('/proc/<pid>/stat', () => {
  test('is read from a captured line', () => {
    expect(parsePidStat(fixture('pid-stat.txt'))).toMatchObject({ name: 'cat', childTicks: 0 });
  });

  test('keeps a name with spaces and parentheses whole', () => {
    expect(parsePidStat(fixture('pid-stat-odd-name.txt'))).toEqual({
      pid: 19655,
      name: 'a) S 1 (b',
      state: 'S',
      ppid: 19643,
      ownTicks: 0,
      childTicks: 0,
      startTick: 232065,
      lastCore: 1,
    });
  });

  test('parses any name and numbers of a process', () => {
    const tick = fc.nat(2 ** 31);
    fc.assert(
      fc.property(
        fc.record({
          pid: fc.integer({ min: 1, max: 4_194_304 }),
          name: fc.string({ unit: 'binary', maxLength: 15 }),
          ppid: fc.nat(4_194_304),
          ownTicks: tick,
          childTicks: tick,
          startTick: tick,
          lastCore: fc.nat(1023),
        }),
        (stat) => {
          const zeros = (count: number): string => ' 0'.repeat(count);
          const line =
            `${stat.pid} (${stat.name}) S ${stat.ppid}${zeros(9)} ${stat.ownTicks} 0 ` +
            `${stat.childTicks} 0${zeros(4)} ${stat.startTick}${zeros(16)} ${stat.lastCore}${zeros(13)}\n`;
          expect(parsePidStat(line)).toEqual({ ...stat, state: 'S' });
        },
      ),
    );
  });

  test('gives null for text of another form', () => {
    for (const text of ['', '1 bash S 2', '1 (bash) S 2', '18269 (x', ')(']) {
      expect(parsePidStat(text)).toBeNull();
    }
  });
});

test.describe('schedstat', () => {
  test('gives nanoseconds', () => {
    expect(parseSchedstat(fixture('schedstat.txt'))).toEqual({
      onCpuNs: 173549695,
      waitingNs: 21566155,
    });
  });

  test('refuses text of another form', () => {
    expect(() => parseSchedstat('12 x 3')).toThrow('Not a line of schedstat');
  });
});

test('loadavg gives the three averages, and null for other text', () => {
  const text = fixture('loadavg.txt');
  const [load1, load5, load15] = text.split(' ').map(Number);
  expect(parseLoadavg(text)).toEqual({ load1, load5, load15 });
  expect(parseLoadavg('')).toBeNull();
});

test('pressure turns percentages into shares, and gives null where it is switched off', () => {
  expect(
    parsePressure('some avg10=12.50 avg60=3.00 avg300=0.20 total=1\nfull avg10=9.00 total=2\n'),
  ).toEqual({ some10: 0.125, some60: 0.03, some300: 0.002 });
  expect(parsePressure(fixture('pressure-cpu.txt'))).not.toBeNull();
  expect(parsePressure('')).toBeNull();
});

test('meminfo gives bytes, and null for what an old kernel does not have', () => {
  const { totalBytes, availableBytes } = parseMeminfo(fixture('meminfo.txt'));
  expect(totalBytes).toBeGreaterThan(availableBytes!);
  expect(parseMeminfo('MemTotal:     10 kB\n')).toEqual({
    totalBytes: 10_240,
    availableBytes: null,
  });
});

test('uptime gives seconds with both decimals', () => {
  expect(parseUptime('2319.07 4000.00\n')).toBe(2319.07);
  expect(parseUptime(fixture('uptime.txt'))).toBeGreaterThan(0);
  expect(parseUptime('')).toBeNull();
});

test('cpuinfo gives the mean frequency, and null where none is printed', () => {
  expect(parseFrequencyMhz(fixture('cpuinfo.txt'))).toBeCloseTo(2596.12);
  expect(parseFrequencyMhz('cpu MHz\t\t: 1000.0\ncpu MHz\t\t: 2000.0\n')).toBe(1500);
  expect(parseFrequencyMhz('processor\t: 0\nBogoMIPS\t: 48.00\n')).toBeNull();
});

test.describe('cmdline', () => {
  test('splits at NUL, not at spaces', () => {
    expect(parseCmdline(fixture('cmdline.bin'))).toEqual(['/tmp/pt/a) S 1 (b', '30']);
  });

  test('gives back any arguments, empty ones included', () => {
    const argument = fc.string().filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(argument, { minLength: 1 }), (argv) => {
        expect(parseCmdline(argv.map((one) => `${one}\0`).join(''))).toEqual(argv);
      }),
    );
  });

  test('gives nothing for a process that has ended', () => {
    expect(parseCmdline('')).toEqual([]);
  });
});

test.describe('/proc/self/mounts', () => {
  test('gives the mount points of one type, with their spaces', () => {
    const text = [
      'proc /proc proc rw,relatime 0 0',
      'tracefs /sys/kernel/tracing tracefs rw,nosuid 0 0',
      String.raw`nodev /tmp/my\040traces tracefs rw 0 0`,
      '',
    ].join('\n');
    expect(parseMountPoints(text, 'tracefs')).toEqual(['/sys/kernel/tracing', '/tmp/my traces']);
    expect(parseMountPoints(text, 'cgroup2')).toEqual([]);
  });
});

test('the cores that may be used are read from their list, wherever it begins', () => {
  expect(parseAllowedCores('Name:\tnode\nCpus_allowed_list:\t0-1\n')).toEqual([0, 1]);
  expect(parseAllowedCores('Cpus_allowed_list:\t4-6,9')).toEqual([4, 5, 6, 9]);
  expect(parseAllowedCores('Cpus_allowed_list:\t3')).toEqual([3]);
  expect(parseAllowedCores('Name:\tnode\n')).toEqual([]);
});

import { expect, test } from '@playwright/test';
import type { SystemFiles } from '../system-files.ts';
import type { DeclaredReading, Reading } from '../model/reading.ts';
import { createMemoryProbe } from './memory.ts';

/** Of a process: kB, or what its files are otherwise. */
type Process = number | 'unreadable' | 'ended' | 'zombie';

function aSystem(processes: Readonly<Record<number, Process>>): SystemFiles {
  return {
    list: () => [],
    read: (path) => {
      const [, pid = '', file] = /^\/proc\/(\w+)\/(\w+)$/.exec(path) ?? [];
      const process = pid === 'self' ? 1 : (processes[Number(pid)] ?? 'ended');
      if (process === 'ended') return null;
      if (file === 'cmdline') return process === 'zombie' ? '' : 'chromium\0';
      if (typeof process !== 'number') return null;
      const own = `Pss_Anon: ${String(process - 100)} kB\nPss_File: 777 kB\nPss_Shmem: 100 kB\n`;
      return `00400000-7fff [rollup]\nRss: 999999 kB\nPss: 888888 kB\nPss_Dirty: 1 kB\n${own}`;
    },
  };
}

function watch(
  processes: Record<number, Process>,
  pids: readonly number[],
  change: () => void = () => undefined,
): DeclaredReading['values'] {
  const probe = createMemoryProbe(aSystem(processes), 'linux').create!();
  const attached = probe.attach({ browser: 'chromium', processTree: () => pids });
  attached.start();
  change();
  attached.stop();
  const reading: Reading = attached.collect();
  attached.detach();
  if (!('values' in reading)) throw new Error('it reads memory');
  return reading.values;
}

test('sums what all processes have written, without files and processes that have ended', () => {
  const values = watch({ 10: 1_000, 11: 500, 12: 'zombie' }, [10, 11, 12, 13]);
  expect(values).toEqual({
    peak: { title: 'Most memory', unit: 'MB', value: 1.536 },
    end: { title: 'Memory at the end', unit: 'MB', value: 1.536 },
  });
});

test('an unreadable living process leaves the sum unknown', () => {
  const values = watch({ 10: 1_000, 11: 'unreadable' }, [10, 11]);
  expect([values['peak']?.value, values['end']?.value]).toEqual([null, null]);
});

test('is not supported where the kernel has no such file', () => {
  const files = { read: () => null, list: () => [] };
  for (const platform of ['linux', 'darwin'] as const) {
    const support = createMemoryProbe(files, platform).create!().supports();
    expect(support).toMatchObject({ supported: false });
  }
});

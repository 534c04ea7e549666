import { test, expect } from '@playwright/test';
import fc from 'fast-check';
import { anEnvironment } from '../../testing/builders.ts';
import { environmentLimits, judgeEnvironment } from './environment-limits.ts';
import type { EnvironmentReading } from './reading.ts';

const judge = (overrides: Partial<EnvironmentReading>): readonly string[] =>
  judgeEnvironment([anEnvironment(overrides)]);

test('others may use one core at most, of however many', () => {
  const judged = (cores: number, foreignShare: number): number =>
    judge({ foreignShare, cores }).length;
  expect([judged(2, 0.149), judged(2, 0.15)]).toEqual([0, 1]);
  expect([judged(64, 0.9 / 64), judged(64, 1 / 64)]).toEqual([0, 1]);
});

test('a trial on a quiet machine counts', () => {
  expect(judge({})).toEqual([]);
});

const beyond: readonly [string, Partial<EnvironmentReading>, string][] = [
  ['other programs', { foreignShare: 0.42 }, 'other programs used 42 % of the CPU (limit 15 %)'],
  ['a hypervisor', { stealShare: 0.07 }, 'the hypervisor took 7 % of the CPU (limit 5 %)'],
  [
    'too little memory',
    { freeMemoryBytes: 100 * 2 ** 20 },
    'only 100 MiB of memory were free (limit 512 MiB)',
  ],
  ['heat', { throttleEvents: 3 }, 'the processor was slowed down because of heat (3 times)'],
  [
    'a browser that was stopped',
    { standstill: { process: 'renderer', stoppedMs: 2_100, starvedMs: 0 } },
    'the browser stood still for 2.10 s while the page measured: its process renderer was stopped (limit 2.00 s)',
  ],
];

for (const [what, readings, reason] of beyond) {
  test(`${what} beyond the limit quarantines a trial, and says by how much`, () => {
    expect(judge(readings)).toEqual([reason]);
  });
}

test('names the programs that used the CPU, where they are known', () => {
  const neighbours = [
    { name: 'node', processes: 2, share: 0.61 },
    { name: 'cc1plus', processes: 1, share: 0.2 },
  ];
  expect(judge({ foreignShare: 0.81, neighbours })).toEqual([
    'other programs used 81 % of the CPU (limit 15 %): node × 2 (61 %), cc1plus (20 %)',
  ]);
});

test('gives every reason, and none for a reading just inside its limit', () => {
  const all = Object.assign({}, ...beyond.map(([, readings]) => readings)) as object;
  expect(judge(all)).toEqual(beyond.map(([, , reason]) => reason));
  expect(judge({ foreignShare: 0.149, stealShare: 0.049, freeMemoryBytes: 2 ** 29 })).toEqual([]);
});

test('accepts short standstills and reports long ones, stopped or without a core', () => {
  const standstill = (stoppedMs: number, starvedMs: number): number =>
    judge({ standstill: { process: 'web', stoppedMs, starvedMs } }).length;
  expect([standstill(1_900, 0), standstill(900, 1_200)]).toEqual([0, 1]);
  expect(judge({ standstill: null })).toEqual([]);
});

test('load, pressure and the frequency of one instant never quarantine', () => {
  const worst = { load1: 99, cpuPressure: 1, frequencyMhz: 400, governor: 'powersave' };
  expect(judge(worst)).toEqual([]);
});

test('a fact that is missing or was not read gives no reason', () => {
  const blind = { foreignShare: null, stealShare: null, freeMemoryBytes: null };
  expect(judge({ ...blind, throttleEvents: null })).toEqual([]);
  const unsupported = { probe: 'environment', notSupported: 'this is darwin' } as const;
  expect(judgeEnvironment([])).toEqual([]);
  expect(judgeEnvironment([unsupported])).toEqual([]);
});

test('cautions well below the limit that quarantines a trial', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(share, (foreignShare) => {
      const quarantined = judge({ foreignShare }).length > 0;
      expect(quarantined).toBe(foreignShare >= environmentLimits.foreignShare.quarantine);
      if (quarantined) expect(foreignShare).toBeGreaterThan(environmentLimits.foreignShare.caution);
    }),
  );
});

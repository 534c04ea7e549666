import { expect, test } from '@playwright/test';
import type { PairVerdict } from '../../../core/results/verdicts.ts';
import { caseName, type Benchmark, type Case } from '../../../core/model/case.ts';
import { aBenchmark, aFoundDevice, aJob, aRecord, aTrial } from '../../../testing/builders.ts';
import { describeRun } from '../../../core/analysis/findings.ts';
import { claims } from '../catalogue/index.ts';
import { fittingClaims } from './fitting.ts';

const fib: Benchmark = {
  ...aBenchmark,
  parameters: [
    ...aBenchmark.parameters,
    { kind: 'choice', name: 'place', values: ['worker', 'main'], default: 'worker' },
  ],
};

interface FittingOptions {
  readonly browsers?: readonly [string, string];
  readonly functions?: readonly [string, string];
  readonly place?: string;
  readonly platform?: string;
  readonly metric?: string;
}

function claimsFor({
  browsers = ['chromium', 'firefox'],
  functions = ['asyncFib', 'asyncFib'],
  place = 'worker',
  platform = 'linux',
  metric = 'duration',
}: FittingOptions): readonly string[] {
  const presences = browsers.map((browser, i) => aFoundDevice(`device-${String(i)}`, { browser }));
  const cases = functions.map((name): Case => ({
    benchmark: fib,
    parameters: { function: name, n: 20, place },
  }));
  const trials = presences.map(({ device }, ordinal) =>
    aTrial(aJob({ ordinal, deviceId: device.id, case: cases[ordinal]! }), [ordinal + 1]),
  );
  const record = aRecord(presences, trials);
  const machine = { ...record.run.machine, platform };
  const side = (i: number) => ({ targetId: `device-${String(i)}`, caseName: caseName(cases[i]!) });
  const pair = { a: side(1), b: side(0), metric } as PairVerdict;
  const ran = { ...record, run: { ...record.run, machine } };
  return fittingClaims(claims, ran, [pair]).map(({ id }) => id);
}

test('fits a claim about the same browsers and choices, with either baseline and any size', () => {
  expect(claimsFor({})).toEqual(['A3']);
  expect(claimsFor({ browsers: ['firefox', 'chrome'] })).toEqual(['A3']);
  expect(claimsFor({ browsers: ['chromium', 'webkitgtk'] })).toEqual(['A9']);
  expect(claimsFor({ functions: ['syncFib', 'syncFib'] })).toEqual(['A12']);
});

test('fits a claim about two functions of one browser only to a comparison of these', () => {
  const functions = ['asyncFib', 'syncFib'] as const;
  expect(claimsFor({ functions, browsers: ['firefox', 'firefox'] })).toContain('A1');
  expect(claimsFor({ functions })).toEqual([]);
});

test('fits no claim to another choice, browser, system or metric', () => {
  expect(claimsFor({ place: 'main' })).toEqual([]);
  expect(claimsFor({ browsers: ['chromium', 'chromium'] })).toEqual([]);
  expect(claimsFor({ platform: 'darwin' })).toEqual([]);
  expect(claimsFor({ metric: 'calls' })).toEqual([]);
});

test('names each fitting claim with the command that measures it', () => {
  const presences = ['chromium', 'firefox'].map((browser) => aFoundDevice(browser, { browser }));
  const trials = presences.map(({ device }, ordinal) =>
    aTrial(aJob({ ordinal, deviceId: device.id }), [ordinal + 1]),
  );
  const writing = { writtenAt: '2026-01-02T00:00:00.000Z', farmVersion: '0.1.0' };
  const record = aRecord(presences, trials);
  const { pairs } = describeRun(record, writing).verdicts;
  const fitting = fittingClaims(claims, record, pairs);
  expect(fitting).toHaveLength(1);
  expect(fitting[0]).toMatchObject({
    command: 'npx crossfarm claims reproduce A3',
    pairs: [{ a: { targetId: 'firefox' }, b: { targetId: 'chromium' } }],
  });
});

import { test, expect } from '@playwright/test';
import type { Device } from '../model/device.ts';
import { aFoundDevice, aJob, aRecord, aTrial } from '../../testing/builders.ts';
import { driverBias, driverPairs } from './driver-bias.ts';
import { describeRun } from './findings.ts';

const by = (driver: string, overrides: Partial<Device> = {}) =>
  aFoundDevice(`${driver}${overrides.headless === false ? '-headed' : ''}`, {
    driver,
    ...overrides,
  });

const jobsOn = (...ids: readonly string[]) =>
  ids.flatMap((deviceId, index) => aJob({ ordinal: index, deviceId }));

test('compares a target with the same build without automation and with the same settings', () => {
  const presences = [
    ...[by('open'), by('open', { headless: false })],
    ...[by('playwright'), by('playwright', { headless: false }), by('puppeteer', { cores: 1 })],
  ];
  const jobs = jobsOn('open', 'open-headed', 'playwright', 'playwright-headed', 'puppeteer');
  const pairs = driverPairs({ presences, jobs });
  expect(pairs.map(({ a, b }) => [a.deviceId, b.deviceId])).toEqual([
    ['playwright', 'open'],
    ['playwright-headed', 'open-headed'],
  ]);
});

test('gives an emulated device no control that is not emulated', () => {
  const emulation = { descriptor: 'Pixel 7' };
  const presences = [by('open'), by('playwright', { emulation })];
  expect(driverPairs({ presences, jobs: jobsOn('open', 'playwright') })).toEqual([]);
});

test('reports a verdict on each driver, and none where nothing was compared', () => {
  const presences = [by('open'), by('playwright'), by('webdriver', { browser: 'firefox' })];
  const trials = Array.from({ length: 12 }, (_, block) => [
    aTrial(aJob({ ordinal: 2 * block, block, deviceId: 'open' }), [10 + (block % 3) / 100]),
    aTrial(aJob({ ordinal: 2 * block + 1, block, deviceId: 'playwright' }), [
      13 + (block % 2) / 100,
    ]),
  ]).flat();
  const record = aRecord(presences, trials);
  const { run } = record;
  const strict = { ...record, run: { ...run, command: `${run.command} --error-rate 1e-30` } };
  expect(driverBias(strict, 0.02).get('playwright')?.cases[0]?.verdict).toBe('undecided');
  const bias = driverBias(record, 0.02);
  expect([...bias.keys()]).toEqual(['playwright']);
  expect(bias.get('playwright')).toMatchObject({
    controlId: 'open',
    cases: [{ caseName: 'fib function=asyncFib n=12', verdict: 'slower', blocks: 12 }],
  });
  const { targets } = describeRun(record, { writtenAt: '2026-01-01', farmVersion: '0' });
  expect(targets.map(({ id, againstOpen }) => [id, againstOpen?.cases.length])).toEqual([
    ['open', undefined],
    ['playwright', 1],
    ['webdriver', undefined],
  ]);
});

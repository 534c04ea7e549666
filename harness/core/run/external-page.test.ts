import { test, expect } from '@playwright/test';
import type { GuestReader } from '../../../pages/protocol.d.ts';
import type { Benchmark } from '../model/case.ts';
import type { Reading } from '../model/reading.ts';
import { memoryProbe } from '../model/measures.ts';
import { aBenchmark, aResult, aThreadReading } from '../../testing/builders.ts';
import { externalPageTask, reasonAgainstExternalPage, withWatched } from './external-page.ts';

const at = { kind: 'url', url: 'https://example.org/' } as const;
const reader: GuestReader = { by: 'global', name: 'score' };
const elsewhere: Benchmark = {
  ...aBenchmark,
  guest: { places: [{ place: at }], readers: { duration: reader } },
};

test("adds the probes' readings as samples and omits missing ones", () => {
  const unit = { unit: 'MB', direction: 'lower', optional: true } as const;
  const [duration] = aBenchmark.metrics;
  const watched = { most: 'memory-peak', last: 'memory-end', cpu: 'cpu-time' } as const;
  const metrics = Object.keys(watched).map((id) => ({ id, title: id, ...unit }));
  const benchmark = {
    ...elsewhere,
    metrics: [duration!, ...metrics],
    guest: { ...elsewhere.guest!, watched },
  };
  const memory: Reading = {
    probe: memoryProbe,
    values: {
      peak: { title: 'Most memory', unit: 'MB', value: 250.5 },
      end: { title: 'Memory at the end', unit: 'MB', value: null },
    },
    costMs: 1,
  };
  const threads = aThreadReading([{ cpuMs: 1200 }, { cpuMs: 300 }]);
  const { samples } = withWatched(aResult([7]), benchmark, [memory, threads]);
  expect(samples.map(({ metric, timed }) => [metric, timed])).toEqual([
    ['duration', [7]],
    ['most', [250.5]],
    ['cpu', [1.5]],
  ]);
  const unread: Reading = { probe: memoryProbe, notSupported: 'this is no Linux' };
  expect(withWatched(aResult([7]), benchmark, [unread]).samples).toHaveLength(1);
});

test('names a driver without page access for pages at URLs alone', () => {
  const blind = [{ name: 'evaluate', supported: false, because: 'nobody can look into it' }];
  const reason = reasonAgainstExternalPage({ benchmark: elsewhere, parameters: {} }, blind);
  expect(reason).toMatch(/page at a URL.*nobody can look into it$/);
  const sighted = [{ name: 'evaluate', supported: true }];
  expect(reasonAgainstExternalPage({ benchmark: elsewhere, parameters: {} }, sighted)).toBeNull();
  expect(reasonAgainstExternalPage({ benchmark: aBenchmark, parameters: {} }, blind)).toBeNull();
});

test('the task names the reader of each metric that has one', () => {
  const metrics = [
    ...aBenchmark.metrics,
    { ...aBenchmark.metrics[0]!, id: 'other', optional: true },
  ];
  const { guest } = elsewhere;
  expect(externalPageTask({ ...elsewhere, metrics }, guest!)).toEqual({
    metrics: [{ metric: 'duration', unit: 'ms', reader }],
  });
});

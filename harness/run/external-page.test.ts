import { test, expect } from '@playwright/test';
import type { GuestReader } from '../../pages/protocol.d.ts';
import type { Benchmark } from '../model/case.ts';
import { aBenchmark } from '../testing/builders.ts';
import { externalPageTask, reasonAgainstExternalPage } from './external-page.ts';

const at = { kind: 'url', url: 'https://example.org/' } as const;
const reader: GuestReader = { by: 'global', name: 'score' };
const elsewhere: Benchmark = {
  ...aBenchmark,
  guest: { places: [{ place: at }], readers: { duration: reader } },
};

test('a driver that cannot look into a page says so for a page at a URL, and for no other', () => {
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

import { test, expect } from '@playwright/test';
import type { Metric } from '../model/case.ts';
import { undeclared } from './attempt.ts';

const duration: Metric = { id: 'duration', title: 'Duration', unit: 'ms', direction: 'lower' };
const wait: Metric = { id: 'wait', title: 'Wait', unit: 'µs', direction: 'lower' };

function posted(...names: readonly (readonly [string, string])[]) {
  return { samples: names.map(([metric, unit]) => ({ metric, unit, warmUp: [], timed: [1] })) };
}

const both = posted(['wait', 'µs'], ['duration', 'ms']);

test('a result holds every declared metric, in any order', () => {
  expect(undeclared(both, [duration, wait])).toBeNull();
  expect(undeclared(posted(['duration', 'ms']), [duration, wait])).toMatch(
    /duration in ms\b.*benchmark\.json.*duration in ms, wait in µs$/,
  );
});

test('an optional metric may be left out, and may be there', () => {
  const metrics = [duration, { ...wait, optional: true }];
  expect(undeclared(posted(['duration', 'ms']), metrics)).toBeNull();
  expect(undeclared(both, metrics)).toBeNull();
});

test('names a metric that is not declared, or in another unit', () => {
  expect(undeclared(both, [duration])).toContain('posted wait in µs, duration in ms');
  expect(undeclared(posted(['duration', 's']), [duration])).toContain('posted duration in s');
});

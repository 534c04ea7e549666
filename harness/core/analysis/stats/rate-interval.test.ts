import { expect, test } from '@playwright/test';
import golden from './golden/scipy.json' with { type: 'json' };
import { rateInterval } from './rate-interval.ts';
import { StatisticsRefusal } from './refusal.ts';

test('bounds agree with SciPy’s exact binomial interval', () => {
  for (const { count, of, confidence, low, high } of golden.rates) {
    const seen = rateInterval({ count, of, confidence });
    expect(seen.low, `${count}/${of}`).toBeCloseTo(low, 9);
    expect(seen.high, `${count}/${of}`).toBeCloseTo(high, 9);
  }
});

for (const [count, of] of [
  [0, 0],
  [3, 2],
  [-1, 2],
  [0.5, 2],
  [NaN, 2],
  [1, NaN],
] as const) {
  test(`refuses ${String(count)} of ${String(of)}`, () => {
    expect(() => rateInterval({ count, of })).toThrow(StatisticsRefusal);
  });
}

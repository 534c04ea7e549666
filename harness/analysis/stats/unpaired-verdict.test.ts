import { expect, test } from '@playwright/test';
import { seededGenerator } from './random.ts';
import { decideUnpaired } from './unpaired-verdict.ts';

const lower = { better: 'lower' } as const;
const around = (centre: number, count: number, spread = 0.01) =>
  Array.from({ length: count }, (_, i) => centre * (1 + spread * (i - (count - 1) / 2)));

test('a run that took longer is slower, and of a metric of which more is better it is faster', () => {
  const seen = decideUnpaired(around(12, 6), around(10, 6), lower);
  expect(seen).toMatchObject({ verdict: 'slower', significant: true, relevant: true });
  expect(seen.ratio).toBeCloseTo(1.2, 2);
  expect(seen.low).toBeLessThan(seen.ratio);
  expect(seen.high).toBeGreaterThan(seen.ratio);
  expect(decideUnpaired(around(12, 6), around(10, 6), { better: 'higher' }).verdict).toBe('faster');
});

test('with too few trials there is a ratio, and neither interval nor verdict', () => {
  expect(decideUnpaired(around(20, 3), around(10, 3), lower)).toMatchObject({
    verdict: 'undecided',
    because: 'too-few-trials',
    low: null,
    high: null,
    significant: false,
  });
  expect(decideUnpaired(around(20, 4), around(10, 4), lower).verdict).toBe('slower');
});

test('runs that differ by less than the margin are equivalent, others are undecided', () => {
  const narrow = decideUnpaired(around(10.01, 12, 0.0005), around(10, 12, 0.0005), lower);
  expect(narrow).toMatchObject({ verdict: 'equivalent', because: null });
  const wide = decideUnpaired(around(10.1, 5, 0.1), around(10, 5, 0.1), lower);
  expect(wide).toMatchObject({ verdict: 'undecided', because: 'too-wide' });
});

test('two runs of one program are called different in 5 % of all cases at most', () => {
  const random = seededGenerator(4);
  const runs = 2_000;
  let alarms = 0;
  for (let run = 0; run < runs; run += 1) {
    const draw = () => Array.from({ length: 6 }, () => 10 * Math.exp(0.1 * random.normal()));
    const { verdict } = decideUnpaired(draw(), draw(), lower);
    if (verdict === 'slower' || verdict === 'faster') alarms += 1;
  }
  expect(alarms / runs).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / runs));
});

test('a value of 0 has no ratio', () => {
  expect(() => decideUnpaired([0, 1], [1, 1], lower)).toThrow(/value of a at index 0 is 0/);
});

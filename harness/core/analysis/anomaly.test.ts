import { test, expect } from '@playwright/test';
import { aBenchmark, aCase, aMeasurement } from '../../testing/builders.ts';
import { decide, type Decision } from './stats/verdict.ts';
import { anomalyQuestion, isFinding } from './anomaly.ts';
import type { Pair } from './pairs.ts';

const pair: Pair = {
  a: { deviceId: 'firefox', case: aCase(12) },
  b: { deviceId: 'chromium', case: aCase(12) },
  metric: aBenchmark.metrics[0]!,
};

/** Blocks with the approximate ratio of a to b. */
function decisionOf(ratio: number, blocks = 12): Decision {
  const differences = Array.from(
    { length: blocks },
    (_, index) => Math.log(ratio) + (index % 2 === 0 ? 0.001 : -0.001),
  );
  return decide({ differences }, { better: 'lower' });
}

const question = (decision: Decision): ReturnType<typeof anomalyQuestion> =>
  anomalyQuestion({ pair, decision, run: 4, sentence: 'slow', measurement: aMeasurement });

test('expects a slower side to be slower again, on the same side of 1', () => {
  const decision = decisionOf(2);
  expect(isFinding(decision)).toBe(true);
  const { assertions, source, sentence } = question(decision);
  expect(assertions).toHaveLength(1);
  expect(assertions[0]).toMatchObject({
    kind: 'ratio',
    role: 'verdict',
    quantity: 'duration',
    expected: { above: 1 },
    published: { low: decision.low, high: decision.high },
    sentence: expect.stringMatching(/duration .*larger in firefox .*chromium/) as unknown,
    a: pair.a,
    b: pair.b,
  });
  expect([source, sentence]).toEqual(['this farm, run 4', 'slow']);
});

test('expects a faster side to be below 1', () => {
  expect(question(decisionOf(0.5)).assertions[0]).toMatchObject({
    expected: { below: 1 },
    sentence: expect.stringMatching(/duration .*smaller in firefox .*chromium/) as unknown,
  });
});

test('equivalent and undecided pairs are no findings', () => {
  expect(isFinding(decisionOf(1.0001, 200))).toBe(false);
  expect(isFinding(decisionOf(2, 4))).toBe(false);
});

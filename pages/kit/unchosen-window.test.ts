/** The speed of an operation that slows down again and again does not choose when it is timed. */
import { expect, test } from '@playwright/test';
import type { SegmentRules } from '../protocol.d.ts';
import { measure } from './measure.js';

const rules: SegmentRules = {
  minGranules: 100,
  settled: { ms: 250, calls: 120 },
  window: { ms: 300, iterations: 5 },
  maxMs: 5_000,
};

/** Milliseconds of a call, which begins at a time and has a number. */
type Cost = (timeMs: number, call: number) => number;

function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

const goldenRatio = (Math.sqrt(5) - 1) / 2;

/** The value of one trial: total time over calls. */
async function valueOf(cost: Cost, trial: number): Promise<number> {
  const noise = seeded(1 + 7_919 * trial);
  const world = { time: 0, calls: 0 };
  const once = (): unknown => {
    world.time += cost(world.time, world.calls) * (1 + 0.01 * (noise() - 0.5));
    return world.calls++;
  };
  const { timed } = await measure({
    rules,
    clock: { granuleMs: 0.001, now: () => world.time },
    hooks: { beforeWindow: async () => {}, afterWindow: async () => {} },
    operation: { once, asynchronous: false },
    // Spread evenly over the trials, as any phases are.
    random: () => (trial * goldenRatio) % 1,
  });
  return timed.reduce((sum, ms) => sum + ms, 0) / timed.length;
}

const trials = 40;

/** How far the mean of trials is from the truth, as a share of it; they begin at evenly spread phases. */
async function biasOf(costAt: (phase: number) => Cost, truth: number): Promise<number> {
  let sum = 0;
  for (let i = 0; i < trials; i++) sum += await valueOf(costAt((i + 0.5) / trials), i + 1);
  return sum / trials / truth - 1;
}

for (const [times, slowMs, fastMs] of [
  [1.3, 50, 500],
  [1.1, 200, 1_000],
  [1.3, 200, 1_000],
  [1.3, 500, 2_000],
  [2, 100, 2_000],
  [2, 20, 400],
] as const) {
  const period = slowMs + fastMs;
  test(`counts ${slowMs} of ${period} ms in which work is ${times} times slower`, async () => {
    const costAt =
      (phase: number): Cost =>
      (timeMs) =>
        (timeMs + phase * period) % period < slowMs ? times : 1;
    const truth = period / (fastMs + slowMs / times);
    expect(Math.abs(await biasOf(costAt, truth))).toBeLessThan(0.01);
  });
}

for (const each of [25, 100, 110]) {
  const costAt =
    (phase: number): Cost =>
    (_, call) =>
      (call + Math.floor(phase * each)) % each === 0 ? 33 : 3;
  const truth = 3 + 30 / each;

  test(`counts a collection of 30 ms in each ${each} calls of 3 ms`, async () => {
    expect(Math.abs(await biasOf(costAt, truth))).toBeLessThan(0.01);
  });

  test(`counts it where each trial has it at the same calls: ${each}`, async () => {
    expect(Math.abs(await biasOf(() => costAt(0), truth))).toBeLessThan(0.01);
  });
}

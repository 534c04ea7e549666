import { expect, test } from '@playwright/test';
import { medianSorted } from 'simple-statistics';
import type { Pair } from '../../analysis/pairs.ts';
import {
  type NoiseShape,
  noiseShapes,
  simulateBlock,
  slotNoise,
} from '../../analysis/stats/noise.ts';
import { seededGenerator } from '../../analysis/stats/random.ts';
import type { Trial } from '../../model/trial.ts';
import { crossArms, makePlan } from '../../plan/plan.ts';
import { RestOfRun } from '../../run/progress/rest.ts';
import {
  aBenchmark,
  aCase,
  aFoundDevice,
  aMeasurement,
  aTrial,
} from '../../../testing/builders.ts';
import { watchBlocks } from './block-watch.ts';

const presences = ['a1', 'b1', 'a2', 'b2'].map((id) => aFoundDevice(id));
const side = (deviceId: string) => ({ deviceId, case: aCase() });
const pairs: readonly Pair[] = ['1', '2'].map((id) => ({
  a: side(`a${id}`),
  b: side(`b${id}`),
  metric: aBenchmark.metrics[0]!,
}));

interface Simulation {
  readonly shape: NoiseShape;
  readonly spread: number;
  /** True a / b of each pair. */
  readonly ratios: readonly number[];
  readonly seed: number;
}

/**
 * Simulates a comparison with trials of a second, and gives after each block from the second on what
 * it said was left, divided by what was.
 */
function compareEstimates({ shape, spread, ratios, seed }: Simulation): readonly number[] {
  const generator = seededGenerator(seed);
  const of = {
    isolation: 'session',
    blocks: 100,
    firstRound: 5,
    measurement: aMeasurement,
  } as const;
  const plan = makePlan({ ...of, seed, presences, arms: crossArms(presences, [aCase()]) });
  const values = new Map(
    pairs.flatMap(({ a, b }, index) => {
      const noise = slotNoise(shape, { spread, generator });
      return Array.from({ length: plan.blocks }, (_, block) => {
        const pair = simulateBlock(noise, { ratio: ratios[index] ?? 1, generator });
        return [
          [`${a.deviceId} ${String(block)}`, 1000 * pair.a],
          [`${b.deviceId} ${String(block)}`, 1000 * pair.b],
        ] as const;
      }).flat();
    }),
  );
  let ms = 0;
  const watch = watchBlocks(plan, pairs, { margin: 0.02, alpha: 0.05, now: () => ms });
  const rest = new RestOfRun(() => ms);
  rest.onRunStarted({ run: 1, plan, mayEndEarly: true });
  const trials: Trial[] = [];
  let ended = 0;
  const said: { readonly at: number; readonly leftMs: number }[] = [];
  for (const job of plan.jobs) {
    ms += 1000;
    const trial = aTrial(job, [values.get(`${job.deviceId} ${String(job.block)}`) ?? NaN]);
    trials.push(trial);
    rest.onTrialEnded({ trial });
    if (watch.enough(trials)) break;
    const look = watch.look(trials);
    if (look === null) continue;
    rest.onLook(look);
    const done = trials.filter(({ job: { block } }) => block === job.block).length;
    if (done === presences.length) ended += 1;
    if (ended >= 2) said.push({ at: ms, leftMs: rest.estimate() });
  }
  return said.map(({ at, leftMs }) => leftMs / (ms - at));
}

/** The factors of each simulated comparison, in rising order. */
function simulateAll(seeds: number, shapes: readonly NoiseShape[]): readonly (readonly number[])[] {
  const ratios = [
    [1, 1],
    [1.05, 1],
    [1.2, 1.1],
    [3, 1.05],
  ];
  const all = shapes.flatMap((shape) =>
    [0.01, 0.03].flatMap((spread) =>
      ratios.flatMap((of) =>
        Array.from({ length: seeds }, (_, seed) => ({ shape, spread, ratios: of, seed })),
      ),
    ),
  );
  return all.map((one) => compareEstimates(one).toSorted((a, b) => a - b));
}

for (const [lane, seeds, shapes] of [
  ['', 1, ['normal', 'bimodal']],
  [' @campaign', 10, noiseShapes],
] as const) {
  test(`the time left of a comparison is mostly right within a factor of 1.5${lane}`, () => {
    const each = simulateAll(seeds, shapes);
    const factors = each.flat();
    const within = factors.filter((one) => one > 1 / 1.5 && one < 1.5).length / factors.length;
    // Each comparison counts once: those that are not decided have the most looks.
    const middles = each.map((own) => medianSorted([...own])).toSorted((a, b) => a - b);
    const middle = medianSorted(middles);
    expect(middle).toBeGreaterThan(0.8);
    expect(middle).toBeLessThan(1.5);
    expect(within).toBeGreaterThan(0.6);
  });
}

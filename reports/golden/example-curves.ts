import type { Crossing, CrossoverChart, TruthChart } from '../../harness/core/results/index.ts';
import { chromium, firefox, webkit } from './example-targets.ts';

const amounts = [1_000, 10_000, 100_000, 1_000_000];

/** Two workers that cost so much to start: a ratio that falls from there to about a half. */
function pointsFor(targetId: string, by: number, startMs: number): CrossoverChart['points'] {
  return amounts.map((x) => {
    const y = 1 / Math.min(by, 2) + (by * startMs) / (0.001 * x);
    return { targetId, by: String(by), x, y, low: y * 0.96, high: y * 1.05 };
  });
}

/** One crossing with an interval, one beyond what was measured, one of which half is. */
export function someCrossover(): CrossoverChart {
  const sure = { confidence: 0.96875, blocks: 6, smallest: 1_000, largest: 1_000_000 };
  const crossings: Crossing[] = [
    { targetId: chromium.id, by: '2', at: 38_412.5, low: 36_120.25, high: 41_003, ...sure },
    { targetId: chromium.id, by: '4', at: 79_300, low: 71_900, high: 84_250, ...sure },
    { targetId: firefox.id, by: '2', at: 612_000, low: 401_000, high: 'never', ...sure },
    { targetId: firefox.id, by: '4', at: 'never', low: 'never', high: 'never', ...sure },
  ];
  return {
    title: 'Hashing on one thread and on several',
    metric: 'Duration',
    over: 'calls',
    by: 'threads',
    base: '0',
    fixed: 'implementation = javascript, place = main',
    points: [
      ...[2, 4].flatMap((by) => pointsFor(chromium.id, by, 10)),
      ...[2, 4].flatMap((by) => pointsFor(firefox.id, by, 150)),
    ],
    crossings,
  };
}

/** Waits from 1 µs to 1 s, recorded a little longer than they are. */
export function someTruth(random: () => number): TruthChart {
  const targets = [chromium, firefox, webkit];
  return {
    title: 'Calibration',
    metric: 'Duration',
    unit: 'ms',
    parameter: 'waitUs',
    fixed: 'place = worker',
    points: [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000].flatMap((waitUs) =>
      targets.map(({ id: targetId }, i) => {
        const expected = waitUs / 1000;
        const recorded = expected * (1.005 + 0.01 * i + 0.02 * random());
        const [low, high] = [recorded * 0.996, recorded * 1.01];
        return { targetId, expected, recorded, low, high, trials: 2, resolution: expected / 2000 };
      }),
    ),
  };
}

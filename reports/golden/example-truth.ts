import type { TruthChart } from '../findings.ts';
import { chromium, firefox, webkit } from './example-targets.ts';

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

import type { WarmUpFacts } from '../findings.ts';
import { generator } from './example.ts';

/** A warm-up as engines give them: slow first calls, a plateau, and compiled code after 25 iterations. */
export function aWarmUp(changes: Partial<WarmUpFacts> = {}): WarmUpFacts {
  const random = generator(3);
  const warmUp = Array.from({ length: 60 }, (_, i) => {
    const compiled = i < 1 ? 12 : i < 8 ? 3 : i < 25 ? 1 : 0.15;
    return compiled * (1 + 0.06 * random());
  });
  return {
    title: 'Warm-up of fib function=syncFib n=20 place=worker',
    writtenAt: '2026-11-21T06:30:00Z',
    farmVersion: '0.1.0',
    run: 12,
    caseName: 'fib function=syncFib n=20 place=worker',
    target: { id: 'chromium', name: 'Chromium', browser: 'Chromium 156.0.7204.49' },
    block: 4,
    chosen: 'the least steady of 27 completed trials',
    metric: 'duration',
    unit: 'ms',
    warmUp,
    timed: Array.from({ length: 20 }, () => 0.15 * (1 + 0.06 * random())),
    steadiness: 'steady',
    repeats: 4,
    granuleUs: 5,
    resolution: 0.00125,
    judged: { iterations: 6, older: 0.153, newer: 0.155, change: 0.013, tolerance: 0.05, trend: 0.2 },
    ...changes,
  };
}

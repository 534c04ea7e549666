import type { WarmUpFacts } from '../../harness/core/results/index.ts';
import { generator } from './example.ts';

/** A warm-up as engines give them: slow first calls, a plateau, and compiled code after 25 iterations. */
export function aWarmUp(changes: Partial<WarmUpFacts> = {}): WarmUpFacts {
  const random = generator(3);
  const warmUp = Array.from({ length: 60 }, (_, i) => {
    const compiled = i < 1 ? 12 : i < 8 ? 3 : i < 25 ? 1 : 0.15;
    return compiled * (1 + 0.06 * random());
  });
  const timed = Array.from({ length: 40 }, () => 0.15 * (1 + 0.06 * random()));
  let now = 0;
  const warmUpEndMs = warmUp.map((value, i) => (now += value * (i < 25 ? 1 : 4)));
  const [steadyAfterMs, windowAtMs] = [warmUpEndMs[24] ?? 0, now + 1];
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
    timed,
    steadiness: 'warm-up',
    course: {
      firstMs: warmUp[0] ?? 0,
      steadyAfterMs,
      noisy: false,
      windowAtMs,
      disturbed: [],
      endMs: [...warmUpEndMs, ...timed.map((_, i) => windowAtMs + 4 * 0.155 * (i + 1))],
      segments: [
        { fromMs: 0, toMs: warmUpEndMs[0] ?? 0, level: 12.2 },
        { fromMs: warmUpEndMs[0] ?? 0, toMs: warmUpEndMs[7] ?? 0, level: 3.1 },
        { fromMs: warmUpEndMs[7] ?? 0, toMs: steadyAfterMs, level: 1.03 },
        { fromMs: steadyAfterMs, toMs: windowAtMs + 4 * 0.155 * timed.length, level: 0.1545 },
      ],
    },
    value: { kind: 'mean', value: 0.1547, median: 0.1542, preemptedMs: 0.21, disturbed: 0 },
    repeats: 4,
    granuleUs: 5,
    resolution: 0.00125,
    ...changes,
  };
}

/** A trial from before steady state was searched for. */
export function aFormerWarmUp(changes: Partial<WarmUpFacts> = {}): WarmUpFacts {
  const value = { kind: 'median', value: 0.1542, median: 0.1542, preemptedMs: 0, disturbed: 0 } as const;
  return aWarmUp({ course: null, steadiness: 'steady', value, ...changes });
}

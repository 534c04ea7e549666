import type { SweepFindings, SweepPointFacts } from '../../harness/core/results/index.ts';

/** A case over eight builds: slower from one on, and faster again. */
export function aSweep(changes: Partial<SweepFindings> = {}): SweepFindings {
  return {
    caseName: 'fib function=syncFib n=23 place=worker',
    metric: 'Duration',
    unit: 'ms',
    writtenAt: '2026-11-25T14:54:00Z',
    farmVersion: '0.1.0',
    reference: 'chromium@156',
    margin: 0.02,
    points: ratios.map(([version, ratio]): SweepPointFacts => ({
      build: `chromium@${String(version)}`,
      version: String(version),
      value: 0.282 * ratio,
      ratio,
      low: ratio * (version === 156 ? 1 : 0.99),
      high: ratio * (version === 156 ? 1 : 1.02),
      trials: 14,
      steadyAfterMs: 40,
      coresBusy: 1.02,
    })),
    changes: [
      {
        between: ['chromium@129', 'chromium@132'],
        verdict: 'slower',
        ratio: 1.082,
        low: 1.068,
        high: 1.099,
      },
      {
        between: ['chromium@138', 'chromium@143'],
        verdict: 'faster',
        ratio: 0.935,
        low: 0.9,
        high: 0.967,
      },
    ],
    open: [
      {
        between: ['chromium@115', 'chromium@118'],
        verdict: 'undecided',
        ratio: 1.02,
        low: 0.99,
        high: 1.07,
      },
    ],
    quarantined: 3,
    referenceSpread: 0.01,
    leftOut: [],
    notMeasured: [],
    runs: [1, 2],
    command: 'npx crossfarm sweep fib --builds chromium@103..156 --seed 1',
    ...changes,
  };
}

const ratios = [
  [103, 1],
  [115, 0.999],
  [118, 1.02],
  [129, 1.05],
  [132, 1.13],
  [138, 1.06],
  [143, 0.999],
  [156, 1],
] as const;

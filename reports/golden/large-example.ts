import type { Findings } from '../../harness/core/results/index.ts';
import { aCell, anUnsearchedExample, aRow, generator, makeGrowth } from './example.ts';
import { chromium } from './example-targets.ts';
import { someCpu } from './example-cpu.ts';
import { makeVerdicts } from './example-verdicts.ts';

/** The report that size limits are stated for: targets × cases × trials, with CPU facts for every pair. */
export function aLargeExample({
  targets,
  cases,
  trials,
}: {
  readonly targets: number;
  readonly cases: number;
  readonly trials: number;
}): Findings {
  const random = generator(11);
  const many = Array.from({ length: targets }, (_, i) => ({
    ...chromium,
    id: `target-${String(i + 1)}`,
    name: `Browser number ${String(i + 1)}`,
  }));
  const rows = Array.from({ length: cases }, (_, n) =>
    aRow({
      benchmark: n % 2 === 0 ? 'fib' : 'workers',
      parameters: { function: 'asyncFib', n, place: 'worker' },
      cells: many.map((target, i) =>
        aCell({
          behaviour: { target, factor: 1, spread: 0.1, resolution: 0.005 },
          centre: (1 + i * 0.2) * (n + 1),
          trials,
          random,
        }),
      ),
    }),
  );
  return {
    ...anUnsearchedExample(),
    targets: many,
    rows,
    verdicts: makeVerdicts(rows, 'target-1'),
    growth: [makeGrowth(rows)],
    crossover: [],
    truth: [],
    cpu: rows.flatMap(({ caseName }) =>
      many.map(({ id: targetId }) => someCpu({ caseName, targetId, cores: 4, slices: 48, sliceMs: 100, random })),
    ),
    troubles: [],
  };
}

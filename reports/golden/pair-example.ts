import { withCentres } from '../../harness/core/analysis/table.ts';
import type { CaseRow, Findings } from '../../harness/core/results/index.ts';
import { aCell, anUnsearchedExample, aRow, aRun, generator } from './example.ts';
import { someCpu } from './example-cpu.ts';
import { chromium } from './example-targets.ts';
import { aPair, makeCourse } from './example-verdicts.ts';

/** A run of `farm compare`: one pair, two sides of one browser, `blocks` blocks. */
export function aPairExample(blocks = 24): Findings {
  const random = generator(5);
  const twins = ['a', 'b'].map((letter) => ({
    ...chromium,
    id: `chromium@${letter}`,
    name: `Chromium (${letter})`,
  }));
  const [a, b] = twins.map((target, i) => {
    const behaviour = { target, factor: 1, spread: 0.05, resolution: 0.005 };
    return aCell({ behaviour, centre: i === 0 ? 11 : 10, trials: blocks, random });
  });
  if (a?.kind !== 'measured' || b?.kind !== 'measured') throw new TypeError('two measured cells');
  const parameters = { rounds: 1_000_000, place: 'worker' };
  const row: CaseRow = aRow({ benchmark: 'control', parameters, cells: [a, b] });
  const command =
    'npx crossfarm compare chromium chromium --bench control --a-param extraPercent=10 --seed 1';
  const trials = 2 * blocks;
  const cells = { planned: trials, completed: trials, failed: 0, timedOut: 0, skipped: 0 };
  const verdicts = { margin: 0.02, alpha: 0.05, smallestBlocks: 8 };
  return {
    ...anUnsearchedExample(),
    title: 'Run 13: compare',
    runs: [{ ...aRun, id: 13, suite: 'compare', blocks, command, cells }],
    targets: twins,
    benchmarks: [{ id: 'control', version: 1, title: 'Control', description: 'A known amount of nothing.' }],
    rows: withCentres([row], [aPair({ row, a, b })]),
    verdicts: {
      ...verdicts,
      baselineTargetId: b.targetId,
      pairs: [aPair({ row, a, b })],
      course: makeCourse(a, b),
    },
    growth: [],
    crossover: [],
    truth: [],
    // Alike on both sides, as a fixed amount of nothing has it.
    cpu: [a, b].map(({ targetId }, i) => {
      const load = { script: 0.97 + 0.01 * i, collector: 0.02 };
      return someCpu({ caseName: row.caseName, targetId, cores: 2, slices: 20, load, random });
    }),
    troubles: [],
    quarantined: [],
    cautions: [],
  };
}

import { withCentres } from '../../harness/core/analysis/table.ts';
import type { CaseRow, Findings, RunFacts, TargetFacts } from '../../harness/core/results/index.ts';
import type { PairVerdict } from '../../harness/core/results/verdicts.ts';
import { aCell, anUnsearchedExample, aRow, aRun, generator, makeGrowth } from './example.ts';
import { chromium, firefox } from './example-targets.ts';
import { aPair } from './example-verdicts.ts';

const yesterday: RunFacts = {
  ...aRun,
  suite: 'nightly',
  command: 'npx crossfarm nightly',
  startedAt: '2026-11-20T02:30:00Z',
  finishedAt: '2026-11-20T03:02:11Z',
};

const today: RunFacts = {
  ...yesterday,
  id: 14,
  seed: 20_261_122,
  startedAt: '2026-11-21T02:30:00Z',
  finishedAt: '2026-11-21T03:01:48Z',
};

/** In the newer of two nights: a device of the same name, maybe another build. */
function inRun(run: number, target: TargetFacts, version: string | null): TargetFacts {
  const name = `${target.name}${version === null ? '' : ` ${version}`}, run ${String(run)}`;
  const browser =
    target.browser === null || version === null ? target.browser : { ...target.browser, version };
  return { ...target, id: `${target.id}@${String(run)}`, name, run, browser };
}

const behaviours = [
  { target: inRun(12, chromium, null), factor: 1, spread: 0.03, resolution: 0.005 },
  { target: inRun(14, chromium, null), factor: 1, spread: 0.03, resolution: 0.005 },
  { target: inRun(12, firefox, '152.4esr'), factor: 2.2, spread: 0.04, resolution: 0.02 },
  { target: inRun(14, firefox, '153.0esr'), factor: 3.1, spread: 0.04, resolution: 0.02 },
];

/** Every device in run 14 against itself in run 12. */
function pairsOf(row: CaseRow): readonly PairVerdict[] {
  return ['chromium', 'firefox'].flatMap((device) => {
    const [b, a] = [12, 14].map((run) =>
      row.cells.find(({ targetId }) => targetId === `${device}@${String(run)}`),
    );
    if (a?.kind !== 'measured' || b?.kind !== 'measured') return [];
    const trials = [a.trials, b.trials] as const;
    return [{ ...aPair({ row, a, b }), blocks: 0, moreBlocks: null, unpaired: { trials } }];
  });
}

/** Yesterday's night beside today's: Firefox was updated, and one benchmark got slower. */
export function aRunsExample(): Findings {
  const random = generator(23);
  const rows = [18, 20, 22, 24].map((n) =>
    aRow({
      benchmark: 'fib',
      parameters: { function: 'asyncFib', n },
      cells: behaviours.map((behaviour) =>
        aCell({ behaviour, centre: 0.0017 * 1.618 ** n * behaviour.factor, trials: 9, random }),
      ),
    }),
  );
  const pairs = rows.flatMap(pairsOf);
  return {
    ...anUnsearchedExample(),
    title: 'Runs 12 and 14: nightly',
    runs: [yesterday, today],
    targets: behaviours.map(({ target }) => target),
    benchmarks: anUnsearchedExample().benchmarks.slice(0, 1),
    rows: withCentres(rows, pairs),
    verdicts: {
      baselineTargetId: null, baselineRun: 12, margin: 0.02, alpha: 0.05, smallestBlocks: 8,
      pairs,
      course: null,
    },
    between: [
      { label: 'Begun', texts: [yesterday.startedAt, today.startedAt], targetIds: [] },
      {
        label: 'Build of firefox',
        texts: ['firefox 152.4esr', 'firefox 153.0esr'],
        targetIds: ['firefox@12', 'firefox@14'],
      },
    ],
    growth: [{ ...makeGrowth(rows), fits: [], theory: [] }],
    crossover: [],
    truth: [],
    cpu: [],
    troubles: [],
    quarantined: [],
    cautions: [
      'The runs were measured one after the other, in no common order drawn at random: a difference between them can come from the machine as well as from a browser.',
    ],
  };
}

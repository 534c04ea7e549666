import type { CaseRow, Findings } from '../../harness/core/results/index.ts';
import type { PairVerdict } from '../../harness/core/results/verdicts.ts';
import { isMeasured } from '../wording/difference.ts';
import { aCell, anUnsearchedExample, aRow, aRun, generator } from './example.ts';
import { someCpu } from './example-cpu.ts';
import { chromium, firefox } from './example-targets.ts';
import { aPair } from './example-verdicts.ts';

interface VersionsChanges {
  /** Typical milliseconds of each version in Chromium; Firefox takes twice as long. */
  readonly versions?: Readonly<Record<string, number>>;
  readonly metrics?: readonly string[];
  readonly trials?: number;
}

/** A run that compared versions of a page in two browsers; Firefox spreads too much for a verdict. */
export function aVersionsExample({
  versions = { 'old.html': 100, 'new.html': 113 },
  metrics = ['load'],
  trials = 12,
}: VersionsChanges = {}): Findings {
  const random = generator(7);
  const names = Object.keys(versions);
  const [first = ''] = names;
  const targets = [chromium, firefox];
  const rows: readonly CaseRow[] = metrics.flatMap((metric) =>
    names.map((version) => ({
      ...aRow({
        benchmark: 'page',
        parameters: { version },
        metric,
        cells: targets.map((target, i) =>
          aCell({
            behaviour: { target, factor: 1, spread: 0.01 + 0.15 * i, resolution: 0.005 },
            centre: (versions[version] ?? 1) * (1 + i),
            trials,
            random,
          }),
        ),
      }),
      label: version,
    })),
  );
  const pairs = pairVersions(rows, first);
  const cpu = rows.flatMap(({ caseName }, i) =>
    targets.map(({ id: targetId }) =>
      someCpu({
        caseName,
        targetId,
        cores: 2,
        slices: 10 + i,
        load: { script: 0.7, collector: 0.1 },
        random,
      }),
    ),
  );
  const { verdicts, ...example } = anUnsearchedExample();
  const all = names.length * targets.length * trials;
  const cells = { planned: all, completed: all, failed: 0, timedOut: 0, skipped: 0 };
  return {
    ...example,
    title: `Run 1: ${names.join(' · ')}`,
    runs: [{ ...aRun, id: 1, suite: 'versions', blocks: trials, cells }],
    targets,
    benchmarks: [],
    rows,
    growth: [],
    crossover: [],
    truth: [],
    courses: [],
    troubles: [],
    quarantined: [],
    cpu,
    verdicts: { ...verdicts, baselineTargetId: null, baselineVersion: first, pairs },
  };
}

/** Every version with the first one, in each browser. */
function pairVersions(rows: readonly CaseRow[], first: string): readonly PairVerdict[] {
  return rows.flatMap((row) => {
    const baseline = rows.find(
      ({ metric, parameters }) => metric === row.metric && parameters['version'] === first,
    );
    if (baseline === undefined || baseline === row) return [];
    return row.cells.filter(isMeasured).flatMap((a) => {
      const b = baseline.cells.filter(isMeasured).find(({ targetId }) => targetId === a.targetId);
      if (b === undefined) return [];
      return [
        {
          ...aPair({ row, a, b }),
          b: { targetId: b.targetId, caseName: baseline.caseName },
          blockRatios: a.values.map((value, i) => value / (b.values[i] ?? value)),
        },
      ];
    });
  });
}

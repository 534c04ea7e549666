import type { CaseRow, Cell, CpuFacts, Findings, TargetFacts } from '../core/results/index.ts';
import type { PairVerdict } from '../core/results/verdicts.ts';
import { seededGenerator } from '../core/analysis/stats/random.ts';
import { npxCrossfarm } from '../core/model/typed-command.ts';

export interface Size {
  readonly targets: number;
  readonly cases: number;
  readonly trials: number;
}

type MeasuredCell = Extract<Cell, { kind: 'measured' }>;

/** Findings of a made-up run of that size: every case on every target, each trial with its cores. */
export function largeFindings({ targets: many, cases, trials }: Size): Findings {
  const generator = seededGenerator(11);
  const random = (): number => generator.uniform();
  const targets = Array.from({ length: many }, (_, i) => aTarget(i + 1));
  const rows = Array.from({ length: cases }, (_, n): CaseRow => {
    const parameters = { function: 'asyncFib', n, place: 'worker' };
    return {
      caseName: `fib function=asyncFib n=${String(n)} place=worker`,
      label: `asyncFib(${String(n)})`,
      benchmark: 'fib',
      parameters,
      metric: 'duration',
      unit: 'ms',
      direction: 'lower',
      cells: targets.map(({ id }, i) => aCell(id, (1 + i * 0.2) * (n + 1), { trials, random })),
      command: `${npxCrossfarm} run --bench fib --param n=${String(n)} --trials ${String(trials)}`,
    };
  });
  return {
    title: 'A large run',
    writtenAt: '2026-11-21T06:30:00Z',
    farmVersion: '0.0.0',
    runs: [],
    targets,
    benchmarks: [{ id: 'fib', version: 1, title: 'Fibonacci', description: 'Made up.' }],
    rows,
    verdicts: {
      baselineTargetId: 'target-1',
      margin: 0.02,
      alpha: 0.05,
      smallestBlocks: 7,
      pairs: rows.flatMap(pairsOf),
      course: null,
    },
    growth: [],
    crossover: [],
    truth: [],
    cpu: rows.flatMap(({ caseName }) => targets.map(({ id }) => someCpu(caseName, id, random))),
    troubles: [],
    quarantined: [],
    cautions: [],
  };
}

function aTarget(number: number): TargetFacts {
  return {
    id: `target-${String(number)}`,
    name: `Browser number ${String(number)}`,
    status: 'found',
    driver: 'playwright',
    browser: { name: 'chromium', version: `150.0.${String(number)}` },
    notes: [],
  };
}

interface Trials {
  readonly trials: number;
  readonly random: () => number;
}

function aCell(targetId: string, centre: number, { trials, random }: Trials): MeasuredCell {
  const values = Array.from({ length: trials }, () => centre * Math.exp(0.1 * (random() - 0.5)));
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (trials - 1))] ?? centre;
  const interval = { centre: at(0.5), low: at(0.3), high: at(0.7), confidence: 0.95 };
  return {
    kind: 'measured',
    targetId,
    ...interval,
    trials,
    values,
    resolution: 0.005,
    unsteady: [],
  };
}

function pairsOf({ caseName, metric, unit, direction, cells }: CaseRow): readonly PairVerdict[] {
  const [first, ...others] = cells.filter((cell): cell is MeasuredCell => cell.kind === 'measured');
  if (first === undefined) return [];
  return others.map((cell) => {
    const ratio = cell.centre / first.centre;
    return {
      a: { targetId: cell.targetId, caseName },
      b: { targetId: first.targetId, caseName },
      metric,
      unit,
      direction,
      verdict: 'slower',
      ratio,
      low: ratio * 0.97,
      high: ratio * 1.03,
      blocks: cell.trials,
      significant: true,
      relevant: true,
      discovery: true,
      because: null,
      moreBlocks: null,
    };
  });
}

function someCpu(caseName: string, targetId: string, random: () => number): CpuFacts {
  const slices = (): number[] => Array.from({ length: 48 }, random);
  const roles = ['js-main', 'gc', 'io'];
  return {
    caseName,
    targetId,
    block: 1,
    wallMs: 4_800,
    cores: { sliceMs: 100, busy: Array.from({ length: 4 }, slices), costShare: 0.001 },
    threads: {
      coresBusy: 1.4,
      javascriptParallelism: 0.9,
      gcShare: 0.2,
      roles: roles.map((role) => ({ role, cpuMs: 2_000 })),
      threads: roles.map((role) => ({ process: 'renderer', name: role, role, cpuMs: 2_000 })),
      timeline: { sliceMs: 100, roles: roles.map((role) => ({ role, busy: slices() })) },
    },
    foreignShare: 0.01,
  };
}

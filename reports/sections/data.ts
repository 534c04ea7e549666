import type {
  CaseCourse,
  Cell,
  CoreTimeline,
  CpuFacts,
  Findings,
  RoleTimeline,
  ScheduleFacts,
  SteadyCell,
  ThreadSummary,
} from '../../harness/core/results/index.ts';
import type { PairVerdict } from '../../harness/core/results/verdicts.ts';
import { pooled } from '../html/cpu-chart.ts';
import type { Html } from '../html/escape.ts';

interface DrawnCase {
  readonly facts: readonly CpuFacts[];
  readonly courses: readonly CaseCourse[];
  /** Null where only its numbers are shown. */
  readonly figure: Html | null;
}

/** The findings as they are embedded: every trial, with no digit that only floating point put there. */
export function embeddedFindings(findings: Findings, cases: readonly DrawnCase[]): unknown {
  return {
    format: 'crossfarm-findings-1',
    ...findings,
    rows: findings.rows.map((row) => ({ ...row, cells: row.cells.map(roundedCell) })),
    verdicts: { ...findings.verdicts, pairs: findings.verdicts.pairs.map(roundedPair) },
    ...(findings.steady !== undefined && {
      steady: {
        cells: findings.steady.cells.map((cell) => shortened(cell, 5)),
        verdicts: findings.steady.verdicts.map(roundedPair),
      },
    }),
    growth: findings.growth.map((chart) => ({ ...chart, points: chart.points.map(roundedPoint) })),
    crossover: findings.crossover.map((chart) => ({
      ...chart,
      points: chart.points.map(roundedPoint),
    })),
    ...(findings.courses !== undefined && { courses: courseData(cases) }),
    cpu: cpuData(cases),
  };
}

/** Rounds all numbers to `digits` digits. */
function shortened(facts: SteadyCell | CaseCourse, digits: number): unknown {
  return JSON.parse(
    JSON.stringify(facts, (_, value: unknown) =>
      typeof value === 'number' ? Number(value.toPrecision(digits)) : value,
    ),
  );
}

/** Ratios to five digits: a hundredth of a percent. */
function roundedPair(pair: PairVerdict): PairVerdict {
  const short = (value: number): number => Number(value.toPrecision(5));
  const { ratio, low, high, blockRatios } = pair;
  return {
    ...pair,
    ratio: short(ratio),
    low: low === null ? null : short(low),
    high: high === null ? null : short(high),
    ...(blockRatios !== undefined && { blockRatios: blockRatios.map(short) }),
  };
}

/** The exact values are in the rows. */
function roundedPoint<T extends { y: number; low: number; high: number }>(point: T): T {
  const short = (value: number): number => Number(value.toPrecision(5));
  return { ...point, y: short(point.y), low: short(point.low), high: short(point.high) };
}

function roundedCell(cell: Cell): Cell {
  if (cell.kind === 'missing') return cell;
  const { centre, low, high, values, quarantined, resolution } = cell;
  return {
    ...cell,
    centre: rounded(centre, resolution),
    low: rounded(low, resolution),
    high: rounded(high, resolution),
    values: values.map((value) => rounded(value, resolution)),
    ...(quarantined !== undefined && {
      quarantined: quarantined.map((value) => rounded(value, resolution)),
    }),
    resolution: Number(resolution.toPrecision(6)),
  };
}

/** Rounds to a tenth of the resolution, or to nine digits without one. */
function rounded(value: number, resolution: number): number {
  const short = Number(value.toPrecision(9));
  if (!(resolution > 0)) return short;
  const decimals = 1 - Math.floor(Math.log10(resolution));
  return decimals < 0 || decimals > 15 ? short : Number(value.toFixed(decimals));
}

/** The CPU facts in the embedded data: figures as drawn, numbers of all. */
export function cpuData(cases: readonly DrawnCase[]): readonly unknown[] {
  return cases.flatMap(({ facts, figure }) =>
    facts.map((one) => (figure === null ? bare(one) : trimmed(one))),
  );
}

/** How the speed went where it is drawn, to four digits. */
export function courseData(cases: readonly DrawnCase[]): readonly unknown[] {
  const drawn = cases.filter(({ figure }) => figure !== null);
  return drawn.flatMap(({ courses }) => courses.map((course) => shortened(course, 4)));
}

const mostSlices = 400;

function trimmed(facts: CpuFacts): unknown {
  const { cores, threads, schedule } = facts;
  return {
    ...facts,
    cores: 'busy' in cores ? trimmedCores(cores) : cores,
    threads: 'roles' in threads ? trimmedThreads(threads) : threads,
    ...(schedule !== undefined && {
      schedule: 'cores' in schedule ? totalsOf(schedule) : schedule,
    }),
  };
}

/** CPU times to a microsecond, and cores to a thousandth: a clock of threads says no more. */
function trimmedThreads({ timeline, roles, threads, ...summary }: ThreadSummary): unknown {
  const short = <T extends { readonly cpuMs: number }>(one: T): T => ({
    ...one,
    cpuMs: toDecimals(one.cpuMs, 3),
  });
  return {
    ...summary,
    coresBusy: toDecimals(summary.coresBusy, 3),
    javascriptParallelism: toDecimals(summary.javascriptParallelism, 3),
    gcShare: toDecimals(summary.gcShare, 4),
    roles: roles.map(short),
    threads: threads.map(short),
    timeline: timeline && trimmedRoles(timeline),
  };
}

function trimmedCores(cores: CoreTimeline): CoreTimeline {
  return { ...cores, busy: cores.busy.map(pooledShares) };
}

function trimmedRoles({ sliceMs, roles }: RoleTimeline): RoleTimeline {
  return { sliceMs, roles: roles.map(({ role, busy }) => ({ role, busy: pooledShares(busy) })) };
}

function pooledShares(slices: readonly number[]): readonly number[] {
  return pooled(slices, mostSlices).map((share) => toDecimals(share, 2));
}

/** Twenty thousand slices stay in the database; a reader gets the time of every role on every core. */
function totalsOf({ wallMs, coresBusy, lostEvents, cores }: ScheduleFacts): unknown {
  const roleMs = cores.map((spans) => {
    const sums: Record<string, number> = {};
    for (const { role, fromMs, toMs } of spans) sums[role] = (sums[role] ?? 0) + toMs - fromMs;
    return Object.fromEntries(Object.entries(sums).map(([role, ms]) => [role, toDecimals(ms, 3)]));
  });
  return { wallMs, coresBusy, lostEvents, roleMs };
}

function bare({ caseName, targetId, wallMs, threads, foreignShare }: CpuFacts): unknown {
  const foreign = foreignShare === null ? null : toDecimals(foreignShare, 3);
  if ('notSupported' in threads) {
    return { caseName, targetId, wallMs, threads, foreignShare: foreign };
  }
  const { coresBusy, javascriptParallelism, gcShare } = threads;
  const numbers = [coresBusy, javascriptParallelism, gcShare].map((value) => toDecimals(value, 3));
  const [busy, script, gc] = numbers;
  return {
    caseName,
    targetId,
    wallMs: toDecimals(wallMs, 2),
    threads: { coresBusy: busy, javascriptParallelism: script, gcShare: gc },
    foreignShare: foreign,
  };
}

function toDecimals(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}

import type { CaseRow, Cell, Estimate, Findings, SteadyCell, SteadyFindings } from '../../harness/core/results/index.ts';
import { aPair, makeVerdicts } from './example-verdicts.ts';

type MeasuredCell = Extract<Cell, { kind: 'measured' }>;

/** Milliseconds after the first call until each of the example's targets has its speed. */
const steadyAfter: Readonly<Record<string, number>> = { chromium: 600, firefox: 21, webkitgtk: 140 };

/** Findings whose trials were searched; in one case a target has two speeds. */
export function withSteadyState(findings: Findings): Findings {
  const rows = findings.rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell) =>
      row.caseName === 'fib function=fib n=18' && cell.kind === 'measured' && cell.targetId === 'firefox'
        ? withTwoSpeeds(cell)
        : cell,
    ),
  }));
  const verdicts = makeVerdicts(rows, 'chromium');
  return { ...findings, rows, verdicts, steady: someSteady(rows, 'chromium') };
}

/** A target that compiled its code in six of nine trials, and ran it uncompiled in the others. */
function withTwoSpeeds(cell: MeasuredCell): MeasuredCell {
  const values = cell.values.map((value, i) => (i % 3 === 0 ? 3 * value : value));
  const [low = 0, high = 0] = [cell.values[1], cell.values[0]];
  return {
    ...cell,
    values,
    speeds: [
      { value: low, trials: 6 },
      { value: 3 * high, trials: 3 },
    ],
  };
}

/** How the trials of these rows came to their speed: every number follows from that of the cell. */
export function someSteady(rows: readonly CaseRow[], baselineTargetId: string): SteadyFindings {
  const cells = rows.flatMap((row) =>
    row.cells
      .filter((cell) => cell.kind === 'measured')
      .map((cell) => ({ row, cell, steady: aSteadyCell(row, cell) })),
  );
  const verdicts = cells.flatMap(({ row, cell, steady: own }) => {
    const baseline = row.cells.find(({ targetId }) => targetId === baselineTargetId);
    if (baseline?.kind !== 'measured' || baseline === cell) return [];
    const inMs = { ...row, unit: 'ms' };
    const steady = aPair({ row: inMs, a: timesOf(cell), b: timesOf(baseline) });
    return [
      { ...aPair({ row: inMs, a: cell, b: baseline }), metric: 'first call' },
      { ...steady, metric: 'time to steady state' },
      ...('why' in own.cpuMs ? [] : [{ ...aPair({ row: inMs, a: cell, b: baseline }), metric: 'CPU time' }]),
    ];
  });
  return { cells: cells.map(({ steady }) => steady), verdicts };
}

function timesOf(cell: MeasuredCell): MeasuredCell {
  const ms = steadyAfterOf(cell);
  return { ...cell, values: cell.values.map((value, i) => ms * (value / cell.centre) * (1 + i / 50)) };
}

function aSteadyCell({ caseName, unit }: CaseRow, cell: MeasuredCell): SteadyCell {
  const { trials, targetId, speeds } = cell;
  const isWandering = cell.unsteady.length > 0;
  const wandering = isWandering ? [{ name: 'no steady state', trials: 4 }] : [];
  return {
    caseName, targetId, unit, trials,
    classes: [{ name: 'warm-up', trials: trials - 4 * wandering.length }, ...wandering],
    noisy: isWandering ? 1 : 0,
    disturbed: 0,
    ...(speeds !== undefined && { speeds }),
    firstMs: around(firstOf(cell)),
    steadyAfterMs: around(steadyAfterOf(cell)),
    ...(targetId !== 'webkitgtk' && { compilers: { share: 0.003, atMost: true } }),
    cpuMs: targetId === 'webkitgtk' ? { why: 'the probe was off' } : around(0.99 * cell.centre),
    spread: { iterations: 0.031, stretches: 0.004, sessions: 0.012 },
    windowMs: { was: 401, best: trials < 9 ? null : 3 * (steadyAfter[targetId] ?? 0) },
  };
}

function firstOf({ centre }: MeasuredCell): number {
  return 5 * centre;
}

function steadyAfterOf(cell: MeasuredCell): number {
  return firstOf(cell) + (steadyAfter[cell.targetId] ?? 0);
}

function around(median: number): Estimate {
  return { median, low: 0.97 * median, high: 1.04 * median, confidence: 0.961 };
}

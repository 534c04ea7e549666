import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { max, median } from 'simple-statistics';
import type { BenchRow } from './row.ts';
import { countStaleDisplays, driftOf, flatShare, type Look, soak } from './soak/soak.ts';

/** Duration: `CROSSFARM_SOAK_MINUTES=5 npm run bench -- soak`. */
const minutes = Number(process.env['CROSSFARM_SOAK_MINUTES'] ?? 30);

/**
 * Number of first runs, which fill caches, compile code and prepare statements: after them nothing
 * should grow.
 */
const settling = 3;

/**
 * Measures what grows, and what is left behind, while one farm runs the quick suite again and
 * again.
 */
export async function soakBench(): Promise<readonly BenchRow[]> {
  // A short path, because the sockets of browsers lie below it.
  const folder = await mkdtemp(join(tmpdir(), 'cf-soak-'));
  const displaysBefore = countStaleDisplays();
  try {
    const looks = await soak({
      ...{ folder, forMs: minutes * 60_000, fewest: settling + 3 },
      say: (sentence) => {
        console.error(sentence);
      },
    });
    return rowsOf(looks, displaysBefore);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function rowsOf(looks: readonly Look[], displaysBefore: number): readonly BenchRow[] {
  const settled = looks.slice(settling);
  const worst = (of: (look: Look) => number): number => max(looks.map(of));
  const failed = looks.filter(({ exitCode }) => exitCode !== 0).length;
  const files = settled.map(({ openFiles }) => openFiles).filter((count) => count !== null);
  return [
    row('runs of the quick suite', looks.length, '', {
      detail: `in one farm process, ${String(minutes)} minutes; ${String(failed)} of them with a cell that failed`,
    }),
    driftRow('heap after garbage collection', megabytes(settled.map((one) => one.heapBytes))),
    driftRow('resident memory', megabytes(settled.map((one) => one.residentBytes))),
    ...(files.length === 0 ? [] : [driftRow('open files', { values: files, unit: '' })]),
    row('disk outside the database', worst(({ diskBytes }) => diskBytes) / 1e3, 'kB', {
      detail: `most after any run, in ${String(worst(({ diskFiles }) => diskFiles))} files; after the last ${((looks.at(-1)?.diskBytes ?? NaN) / 1e3).toFixed(0)} kB, after the first ${((looks[0]?.diskBytes ?? NaN) / 1e3).toFixed(0)} kB`,
    }),
    row(
      'leftover processes',
      worst(({ processes }) => processes),
    ),
    row('leftover displays', worst(({ staleDisplays }) => staleDisplays) - displaysBefore),
  ];
}

interface Quantity {
  readonly values: readonly number[];
  readonly unit: string;
}

function megabytes(bytes: readonly number[]): Quantity {
  return { values: bytes.map((one) => one / 1e6), unit: 'MB' };
}

/** Makes a row of the level; its ratio is that of the last runs to the first ones. */
function driftRow(figure: string, { values, unit }: Quantity): BenchRow {
  const drift = driftOf(values);
  const third = Math.max(1, Math.floor(values.length / 3));
  const ratio = median(values.slice(-third)) / median(values.slice(0, third));
  const per = (share: number): string => `${(100 * share).toFixed(2)} %`;
  const detail =
    drift === null
      ? 'too few runs'
      : `${drift.verdict}: ${per(drift.perRun)} a run (${per(drift.low)} … ${per(drift.high)}), at most ${per(drift.atMost)} over ${String(values.length)} runs; flat is below ${per(flatShare)}`;
  return row(figure, median([...values]), unit, { ratio, detail });
}

function row(
  figure: string,
  value: number,
  unit = '',
  { ratio = null, detail = '' }: Partial<Pick<BenchRow, 'ratio' | 'detail'>> = {},
): BenchRow {
  return { bench: 'soak', figure, value, unit, ratio, detail };
}

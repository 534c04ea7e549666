import { execa } from 'execa';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from 'simple-statistics';
import { projectRoot } from '../project.ts';
import { fitGrowth } from '../analysis/stats/growth.ts';
import { openStore, type Store } from '../store/store.ts';
import { timeQuestions } from './explorer.ts';
import { generateHistory, nightsWatched, trialsOfNight } from './generated-history.ts';
import type { BenchRow } from './row.ts';
import { compareRuns } from './two-runs.ts';

/** Trials that are stored; a million is a year of nights: 2 GB of the temporary folder, some minutes. */
const sizes = (process.env['CROSSFARM_SCALE'] ?? '1e4,1e5,1e6').split(',').map(Number);

const rounds = 5;
/** Of the newest night, stored once more. */
const trialsStored = 100;

/** Name, value and unit of what was measured at one size. */
type Figure = readonly [figure: string, value: number, unit: string];

interface Measured {
  readonly trials: number;
  readonly bytes: number;
  readonly figures: readonly Figure[];
}

/** What grows with the number of stored trials, and how: the exponent of each figure. */
export async function scaleBench(): Promise<readonly BenchRow[]> {
  const all: Measured[] = [];
  for (const size of sizes) {
    all.push(await measureAt(Math.max(2, Math.ceil(size / trialsOfNight))));
    console.error(`${String(size)} trials: ${JSON.stringify(all.at(-1)?.figures)}`);
  }
  return [...all.flatMap((one) => rowsOf(one, all[0])), ...exponentsOf(all)];
}

async function measureAt(nights: number): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-bench-'));
  try {
    const path = join(folder, 'farm.db');
    await generateHistory(path, nights);
    const { size: bytes } = await stat(path);
    const figures: Figure[] = [['database', bytes / 1e6, 'MB']];
    for (const [figure, ms] of await timeQuestions(path, nights)) figures.push([figure, ms, 'ms']);
    const out = join(folder, 'report.html');
    figures.push(
      ...(await measureReport('nightly report', 'nightly-report.js', [path, nights, out])),
    );
    figures.push(
      ...(await measureReport('report of two runs', 'two-runs-report.js', [
        ...[path, nights - 1, nights, out],
      ])),
    );
    const store = await openStore(path);
    try {
      const comparing = await timeMedian(() => compareRuns(store, nights, nights - 1));
      figures.push(['report of two runs: the answer alone', comparing, 'ms']);
      figures.push(['a trial stored', await timeStoring(store, nights), 'ms']);
    } finally {
      await store.close();
    }
    return { trials: nights * trialsOfNight, bytes, figures };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The whole process counts, from its start to its end. The program's last argument is the file that it writes. */
async function measureReport(
  figure: string,
  program: string,
  args: readonly (string | number)[],
): Promise<readonly Figure[]> {
  const path = join(projectRoot(), 'dist/harness/bench', program);
  const peaks: number[] = [];
  const ms = await timeMedian(async () => {
    const { stdout } = await execa(process.execPath, [path, ...args.map(String)]);
    peaks.push(Number(stdout));
  });
  const { size } = await stat(String(args.at(-1)));
  return [
    [figure, ms, 'ms'],
    [`${figure}: peak memory`, Math.max(...peaks) / 1e6, 'MB'],
    [`${figure}: file`, size / 1e6, 'MB'],
  ];
}

async function timeMedian(work: () => Promise<unknown>): Promise<number> {
  const seen: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    await work();
    seen.push(performance.now() - startedAt);
  }
  return median(seen);
}

/** One transaction a trial, each synced to the disk, as a run stores them. */
async function timeStoring(store: Store, night: number): Promise<number> {
  const record = await store.readRun(night);
  if (record === null) throw new Error(`there is no run ${String(night)}`);
  const { run, presences, jobs, trials } = record;
  const { suite, seed, isolation, command, farmVersion, machine, startedAt } = run;
  const facts = { suite, seed, isolation, command, farmVersion, machine, startedAt };
  const id = await store.createRun({ ...facts, presences, jobs });
  const times: number[] = [];
  for (const trial of trials.slice(0, trialsStored)) {
    const before = performance.now();
    await store.writeTrial(id, trial);
    times.push(performance.now() - before);
  }
  return median(times);
}

function rowsOf({ trials, bytes, figures }: Measured, smallest?: Measured): readonly BenchRow[] {
  const size = `${trials.toLocaleString('en')} trials, ${(bytes / 1e9).toFixed(2)} GB`;
  const detail = `${size}; only the newest ${String(nightsWatched)} nights have probes’ readings: bytes of a trial are those of the bench insert`;
  return figures.map(([figure, value, unit]) => ({
    ...{ bench: 'scale', figure, value, unit, detail },
    ratio: ratioTo(smallest, figure, trials, value),
  }));
}

/** Beside the smallest database; null for that itself. */
function ratioTo(
  smallest: Measured | undefined,
  figure: string,
  trials: number,
  value: number,
): number | null {
  const first = smallest?.figures.find(([name]) => name === figure)?.[1];
  return first === undefined || smallest?.trials === trials ? null : value / first;
}

/** k of value = c · trials^k: 0 is constant, 1 is linear. */
function exponentsOf(all: readonly Measured[]): readonly BenchRow[] {
  const [first] = all;
  if (first === undefined || all.length < 3) return [];
  const span = `${first.trials.toLocaleString('en')} to ${(all.at(-1) ?? first).trials.toLocaleString('en')} trials`;
  return first.figures.map(([figure]) => {
    const points = all.map(({ trials, figures }) => ({
      x: Math.log(trials),
      y: figures.find(([name]) => name === figure)?.[1] ?? NaN,
    }));
    const value = Math.log(fitGrowth(points).perStep);
    return {
      ...{ bench: 'scale', figure: `exponent of: ${figure}`, value, unit: '', ratio: null },
      detail: `least squares over ${span}; 0 is constant, 1 is linear`,
    };
  });
}

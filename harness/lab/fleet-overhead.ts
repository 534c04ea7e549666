import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { median } from 'simple-statistics';
import { seededGenerator } from '../core/analysis/stats/random.ts';
import { type LogInterval, logInterval } from '../core/analysis/stats/ratio-interval.ts';
import { trialValue } from '../core/model/trial-value.ts';
import { projectRoot } from '../core/project.ts';
import { openStore } from '../core/store/store.ts';
import { startPostgres } from '../testing/postgres.ts';
import type { BenchRow } from './row.ts';

/** `CROSSFARM_ROUNDS=20 npm run bench -- fleet-overhead`: the most rounds. */
const mostRounds = Number(process.env['CROSSFARM_ROUNDS'] ?? 60);
const trials = 5;
const margin = Math.log(1.01);
const alpha = 0.05;

/**
 * Measures the same run by a worker and without a farm, in turns, until the two are equivalent
 * within 1 %. The server is on the same machine, which costs more than one elsewhere.
 */
export async function fleetOverheadBench(): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'cf-overhead-'));
  const postgres = await startPostgres();
  const generator = seededGenerator(1);
  const differences: number[] = [];
  const device = { id: 'one', browser: 'chromium', driver: 'playwright', headless: true };
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: [device] }));
  const crossfarm = (...words: readonly string[]) =>
    execa(process.execPath, [join(projectRoot(), 'dist/harness/main.js'), ...words], {
      cwd: folder,
      env: { CROSSFARM_FLEET: postgres.url, CROSSFARM_TRUST: '1' },
    });
  const words = ['run', '--bench', 'control', '--device', 'one', '--trials', String(trials)];
  const ways = {
    worker: async (): Promise<number> => {
      await crossfarm('submit', '--detach', '--on', 'here', ...words);
      await crossfarm('worker', '--as', 'here', '--drain', '--database', join(folder, 'farm.db'));
      return readNewest(join(folder, 'farm.db'));
    },
    alone: async (): Promise<number> => {
      await crossfarm(...words, '--database', join(folder, 'alone.db'));
      return readNewest(join(folder, 'alone.db'));
    },
  };
  try {
    // The farm has to know the host before a job is submitted for it.
    await crossfarm('worker', '--as', 'here', '--drain', '--database', join(folder, 'farm.db'));
    let interval: LogInterval | null = null;
    for (let round = 0; round < mostRounds && !isWithinMargin(interval); round += 1) {
      const values = { worker: NaN, alone: NaN };
      for (const way of generator.shuffle(['worker', 'alone'] as const))
        values[way] = await ways[way]();
      differences.push(Math.log(values.worker / values.alone));
      interval = logInterval(differences, alpha);
      console.error(`round ${String(round + 1)}: ${describe(interval)}`);
    }
    return [
      {
        bench: 'fleet-overhead',
        figure: 'duration in a run of a worker, relative to one without a farm',
        value: Math.exp(median(differences)),
        unit: '',
        ratio: null,
        detail: `${describe(interval)}: ${isWithinMargin(interval) ? 'equivalent within 1 %' : 'undecided'} after ${String(differences.length)} rounds of ${String(trials)} trials each`,
      },
    ];
  } finally {
    await postgres.remove();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function isWithinMargin(interval: LogInterval | null): boolean {
  return interval !== null && interval.low >= -margin && interval.high <= margin;
}

function describe(interval: LogInterval | null): string {
  if (interval === null) return 'too few rounds for an interval';
  return `95 % between ${Math.exp(interval.low).toFixed(4)} and ${Math.exp(interval.high).toFixed(4)}`;
}

/** @returns the median of the newest run's trials */
async function readNewest(database: string): Promise<number> {
  const store = await openStore(database);
  try {
    const record = await store.readRun('latest');
    const values = (record?.trials ?? []).flatMap(({ outcome }) =>
      outcome.kind === 'completed' ? (trialValue(outcome.result, 'duration') ?? []) : [],
    );
    return median(values);
  } finally {
    await store.close();
  }
}

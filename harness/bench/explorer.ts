import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from 'simple-statistics';
import { apiSources } from '../commands/serve-sources.ts';
import { explorerFolder, farmVersion } from '../project.ts';
import { createApp } from '../server/api/app.ts';
import { openHistory } from '../store/history/history.ts';
import { openStore } from '../store/store.ts';
import { generateHistory, trialsOfNight } from './generated-history.ts';
import type { BenchRow } from './row.ts';

/** Trials that are stored; the largest is a year of nights and takes 2 GB of the temporary folder. */
const sizes = [1e4, 1e5, 1e6];
const rounds = 7;

/** What the page asks for before anything is seen, and what a reader asks for next. */
const questions = {
  'first page': ['/api/v1/filters', '/api/v1/summaries?limit=500&metric=duration&'],
  'a filter that nothing matches': ['/api/v1/summaries?version=0&'],
  'a case over all runs': ['/api/v1/summaries?case=bench-0+n%3D1&limit=500&'],
  'the first page of trials': ['/api/v1/trials?'],
} as const;

/** Server time of the explorer's questions beside the number of stored trials. */
export async function explorerBench(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const size of sizes) rows.push(...(await benchOf(Math.ceil(size / trialsOfNight), rows)));
  return rows;
}

async function benchOf(nights: number, before: readonly BenchRow[]): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-bench-'));
  try {
    const path = join(folder, 'farm.db');
    await generateHistory(path, nights);
    const trials = nights * trialsOfNight;
    const { size } = await stat(path);
    const detail = `${trials.toLocaleString('en')} trials, ${(size / 1e9).toFixed(2)} GB, median of ${String(rounds)}`;
    const times = await timeQuestions(path, nights);
    return times.map(([figure, value]) => ({
      ...{ bench: 'explorer', figure, value, unit: 'ms', detail },
      ratio: ratioTo(before, figure, value),
    }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Beside the smallest database; null for that itself. */
function ratioTo(before: readonly BenchRow[], figure: string, value: number): number | null {
  const smallest = before.find((row) => row.figure === figure);
  return smallest === undefined ? null : value / smallest.value;
}

/** The newest night, as the page asks for it. */
async function timeQuestions(
  path: string,
  nights: number,
): Promise<readonly (readonly [string, number])[]> {
  const history = await openHistory(path);
  const store = await openStore(path);
  const options = { sources: apiSources(history, store), explorer: explorerFolder() };
  const app = await createApp({ ...options, version: farmVersion() });
  const ask = async (url: string): Promise<void> => {
    const answer = await app.inject({ url, headers: { host: 'localhost:0' } });
    if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.body}`);
  };
  try {
    const times: (readonly [string, number])[] = [];
    for (const [figure, urls] of Object.entries(questions)) {
      const seen: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const startedAt = performance.now();
        for (const url of urls) await ask(urlOf(url, nights));
        seen.push(performance.now() - startedAt);
      }
      times.push([figure, median(seen)]);
    }
    return times;
  } finally {
    await app.close();
    await store.close();
    await history.close();
  }
}

function urlOf(url: string, nights: number): string {
  const ofPage = url.includes('metric=duration') ? `benchmark=bench-0&run=${String(nights)}` : '';
  return `${url}${ofPage}`.replace(/[?&]$/, '');
}

import '../features.ts';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { median } from 'simple-statistics';
import type { Findings } from '../core/results/index.ts';
import { describeRuns } from '../core/analysis/runs/across-runs.ts';
import { fitGrowth } from '../core/analysis/stats/growth.ts';
import { newNight } from '../features/nights/night-document.ts';
import { makeNightFolder, nightsFolder, writeNight } from '../features/nights/night-folder.ts';
import { openablePages } from '../features/explorer/serve.ts';
import { apiSources } from '../features/explorer/serve-sources.ts';
import type { RunRecord } from '../core/model/run.ts';
import { explorerFolder, farmVersion, pagesFolder, projectRoot } from '../core/project.ts';
import { createApp } from '../core/server/api/app.ts';
import { openHistory } from '../core/store/history/history.ts';
import { openStore, type Store } from '../core/store/store.ts';
import { generateHistory, nightsWatched, trialsOfNight } from './generated-history.ts';
import { timeWrites } from './insert.ts';
import type { BenchRow } from './row.ts';

/**
 * Numbers of stored trials; a million is a year of nights: 2 GB of the temporary folder, some
 * minutes.
 */
const sizes = (process.env['CROSSFARM_SCALE'] ?? '1e4,1e5,1e6').split(',').map(Number);

const rounds = 5;
/** Trials of the newest night that are stored again. */
const trialsStored = 100;

/** Name, value and unit of a measurement at one size. */
type Figure = readonly [figure: string, value: number, unit: string];

interface MeasuredSize {
  readonly trials: number;
  readonly bytes: number;
  readonly figures: readonly Figure[];
}

/** Measures what grows with the number of stored trials, and the exponent of each figure. */
export async function scaleBench(): Promise<readonly BenchRow[]> {
  const all: MeasuredSize[] = [];
  for (const size of sizes) {
    all.push(await measureAt(Math.max(2, Math.ceil(size / trialsOfNight))));
    console.error(`${String(size)} trials: ${JSON.stringify(all.at(-1)?.figures)}`);
  }
  return [...all.flatMap((one) => rowsOf(one, all[0])), ...exponentsOf(all)];
}

async function measureAt(nights: number): Promise<MeasuredSize> {
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-bench-'));
  try {
    const path = join(folder, 'farm.db');
    await generateHistory(path, nights);
    await writeNights(path, nights);
    const { size: bytes } = await stat(path);
    const figures: Figure[] = [['database', bytes / 1e6, 'MB']];
    for (const [figure, ms] of await timeQuestions(path, nights)) figures.push([figure, ms, 'ms']);
    const place = { database: path, file: join(folder, 'report.html') };
    figures.push(...(await measureReport('nightly report', place, [nights])));
    figures.push(...(await measureReport('report of two runs', place, [nights - 1, nights])));
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

/** Writes the documents of the nights next to the database. */
async function writeNights(database: string, nights: number): Promise<void> {
  for (let night = 1; night <= nights; night += 1) {
    const startedAt = new Date(Date.UTC(2026, 0, 1 + night));
    const folder = await makeNightFolder(nightsFolder(database), startedAt);
    const facts = { host: 'host', farm: 'a farm', farmVersion: '0.1.0', suite: 'nightly' };
    const begun = { startedAt: startedAt.toISOString(), database, asked: null };
    const document = newNight({ id: basename(folder), ...facts, ...begun });
    await writeNight(folder, { ...document, run: night, status: 'fine', exitCode: 0 });
  }
}

/** Times the whole process, from its start to its end. */
async function measureReport(
  figure: string,
  { database, file }: { readonly database: string; readonly file: string },
  runs: readonly number[],
): Promise<readonly Figure[]> {
  const program = join(projectRoot(), 'dist/harness/lab/report-program.js');
  const peaks: number[] = [];
  const ms = await timeMedian(async () => {
    const { stdout } = await execa(process.execPath, [
      program,
      database,
      file,
      ...runs.map(String),
    ]);
    peaks.push(Number(stdout));
  });
  const { size } = await stat(file);
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

/** Stores trials as a run does: one transaction each, synced to the disk. */
async function timeStoring(store: Store, night: number): Promise<number> {
  return median([...(await timeWrites(store, await readRun(store, night), trialsStored))]);
}

function rowsOf(
  { trials, bytes, figures }: MeasuredSize,
  smallest?: MeasuredSize,
): readonly BenchRow[] {
  const size = `${trials.toLocaleString('en')} trials, ${(bytes / 1e9).toFixed(2)} GB`;
  const detail = `${size}; only the newest ${String(nightsWatched)} nights have probes’ readings: bytes of a trial are those of the bench insert`;
  return figures.map(([figure, value, unit]) => ({
    bench: 'scale',
    figure,
    value,
    unit,
    detail,
    ratio: ratioTo(smallest, figure, trials, value),
  }));
}

/** The ratio to the smallest database; null for that itself. */
function ratioTo(
  smallest: MeasuredSize | undefined,
  figure: string,
  trials: number,
  value: number,
): number | null {
  const first = smallest?.figures.find(([name]) => name === figure)?.[1];
  return first === undefined || smallest?.trials === trials ? null : value / first;
}

/** Fits k of value = c · trials^k: 0 is constant, 1 is linear. */
function exponentsOf(all: readonly MeasuredSize[]): readonly BenchRow[] {
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
      bench: 'scale',
      figure: `exponent of: ${figure}`,
      value,
      unit: '',
      ratio: null,
      detail: `least squares over ${span}; 0 is constant, 1 is linear`,
    };
  });
}

/** Reads two stored runs, and compares them as `farm report <older> <newer>` does. */
async function compareRuns(store: Store, newer: number, older: number): Promise<Findings> {
  const records = [await readRun(store, older), await readRun(store, newer)];
  return describeRuns(records, {
    writtenAt: new Date().toISOString(),
    farmVersion: farmVersion(),
  });
}

async function readRun(store: Store, id: number): Promise<RunRecord> {
  const record = await store.readRun(id);
  if (record === null) throw new Error(`there is no run ${String(id)}`);
  return record;
}

const questionRounds = 7;

/** The first questions of the page, and those of a reader after them. */
const questions = {
  'home: first page': [
    '/',
    '/api/v1/runs?limit=10',
    '/api/v1/runs?status=running&limit=3',
    '/api/v1/nights',
    '/api/v1/pages',
  ],
  'home: a run’s page': ['/runs/2', '/api/v1/runs/2', '/api/v1/trials?run=2&limit=100'],
  'explorer: first page': ['/api/v1/filters', '/api/v1/summaries?limit=500&metric=duration&'],
  'explorer: a filter that nothing matches': ['/api/v1/summaries?version=0&'],
  'explorer: a case over all runs': ['/api/v1/summaries?case=bench-0+n%3D1&limit=500&'],
  'explorer: first page of trials': ['/api/v1/trials?'],
} as const;

/** Questions after the first picture; the answers are made once, so they are timed once. */
const afterwards = {
  'explorer: findings of a night, when first asked for': ['/api/v1/runs/:run/findings?limit=500'],
  'explorer: changes over the nights, when first asked for': ['/api/v1/changes?limit=500'],
  'home: a trial’s page, when first asked for': ['/trials/1'],
} as const;

/**
 * Measures the server time of the explorer's questions about a generated history, in ms: the median
 * of several rounds.
 */
async function timeQuestions(
  path: string,
  nights: number,
): Promise<readonly (readonly [string, number])[]> {
  const history = await openHistory(path);
  const store = await openStore(path);
  const openable = () => openablePages(pagesFolder(), 'http://127.0.0.1:1');
  const options = {
    sources: await apiSources(history, store, { openable }),
    explorer: explorerFolder(),
  };
  const app = await createApp({ ...options, version: farmVersion() });
  const ask = async (url: string): Promise<void> => {
    const answer = await app.inject({ url, headers: { host: 'localhost:0' } });
    if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.body}`);
  };
  try {
    const times: (readonly [string, number])[] = [];
    for (const [figure, urls] of Object.entries(questions)) {
      const seen: number[] = [];
      for (let round = 0; round < questionRounds; round += 1) {
        const startedAt = performance.now();
        for (const url of urls) await ask(urlOf(url, nights));
        seen.push(performance.now() - startedAt);
      }
      times.push([figure, median(seen)]);
    }
    for (const [figure, [url]] of Object.entries(afterwards)) {
      const startedAt = performance.now();
      await ask(url.replace(':run', String(nights)));
      times.push([figure, performance.now() - startedAt]);
    }
    return times;
  } finally {
    await app.close();
    await store.close();
    await history.close();
  }
}

/** The first page shows the newest night. */
function urlOf(url: string, nights: number): string {
  const ofPage = url.includes('metric=duration') ? `benchmark=bench-0&run=${String(nights)}` : '';
  return `${url}${ofPage}`.replace(/[?&]$/, '');
}

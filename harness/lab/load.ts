import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from 'simple-statistics';
import { externalFolders } from '../core/app/run/external-pages.ts';
import { medianInterval } from '../core/analysis/stats/median-interval.ts';
import { versionCases, versionsBenchmark } from '../features/compare/versions/benchmark.ts';
import { pageMeasure } from '../features/compare/versions/measures.ts';
import type { Presence } from '../core/model/device.ts';
import type { Plan } from '../core/model/plan.ts';
import { isCompleted } from '../core/analysis/series.ts';
import { fastMeasurement } from '../core/plan/catalog/measurement.ts';
import { crossArms, makePlan } from '../core/plan/plan.ts';
import { runPlan } from '../core/run/runner.ts';
import { pageHeaders } from '../core/server/guards.ts';
import { foundDevices, withRig } from './rig.ts';
import type { BenchRow } from './row.ts';

/**
 * Loads of each, alternating in one session of a browser; the first of both is not counted:
 * `CROSSFARM_ROUNDS=61 CROSSFARM_LOAD_DEVICES=chromium npm run bench -- load`.
 */
const rounds = Number(process.env['CROSSFARM_ROUNDS'] ?? 61);

const browsers = (process.env['CROSSFARM_LOAD_DEVICES'] ?? 'chromium,firefox,webkitgtk').split(',');

const measures = ['load', 'fcp', 'measure:first script'].map((one) =>
  pageMeasure(one, { unit: 'ms', higher: false }),
);

/** A page with a style sheet, a script of another file, and some work. */
const files: Readonly<Record<string, string>> = {
  'index.html': `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Load</title>
<script>performance.measure('first script', { start: 0, end: performance.now() });</script>
<link rel="stylesheet" href="page.css"><script src="page.js"></script></head>
<body><h1>Load</h1><p>Text</p>
<script>let sum = 0; for (let i = 0; i < 2e6; i++) sum += i % 7; document.body.append(sum);</script>
</body></html>`,
  'page.css': 'p { color: red }',
  'page.js': 'let text = ""; for (let i = 0; i < 1e5; i++) text = String(i);',
};

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
};

/**
 * As the farm answers for a page that is not isolated. An isolated one begins a process, which takes
 * Chromium 35 ms of each load and scatters by 6: it would hide what is compared.
 */
const headers = Object.fromEntries(
  Object.entries(pageHeaders).filter(([name]) => !name.startsWith('cross-origin-')),
);

/** Holds the load of the same files, served by the farm, against that from a plain server. */
export async function loadBench(): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-load-'));
  await Promise.all(
    Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)),
  );
  const plain = await servePlainly(folder);
  const url = `http://127.0.0.1:${String((plain.address() as AddressInfo).port)}/index.html`;
  try {
    const rows: BenchRow[] = [];
    for (const presence of await foundDevices()) {
      const { id } = presence.device;
      if (browsers.includes(id)) rows.push(...rowsOf(id, await loadsIn(presence, { url, folder })));
    }
    return rows;
  } finally {
    plain.close();
    await rm(folder, { recursive: true });
  }
}

interface Places {
  readonly url: string;
  readonly folder: string;
}

/** Durations by metric and version. */
type Loads = ReadonlyMap<string, readonly number[]>;

async function loadsIn(presence: Presence, places: Places): Promise<Loads> {
  const plan = planOf(presence, places);
  return withRig(
    async (equipment) => {
      const seen = new Map<string, number[]>();
      for await (const trial of runPlan(plan, { ...equipment, listener: {} })) {
        if (!isCompleted(trial)) throw new Error(JSON.stringify(trial.outcome));
        for (const { metric, timed } of trial.outcome.result.samples) {
          const key = keyOf(metric, String(trial.job.case.parameters['version']));
          seen.set(key, [...(seen.get(key) ?? []), ...timed]);
        }
      }
      return seen;
    },
    { externals: externalFolders(plan) },
  );
}

function keyOf(metric: string, version: string): string {
  return `${metric} ${version}`;
}

async function servePlainly(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    readFile(join(folder, name)).then(
      (bytes) => {
        const type = types[name.split('.').at(-1) ?? ''] ?? 'text/plain';
        response.writeHead(200, { ...headers, 'content-type': type }).end(bytes);
      },
      () => response.writeHead(404, headers).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function planOf(presence: Presence, { url, folder }: Places): Plan {
  const benchmark = versionsBenchmark(
    [
      { name: 'plain', kind: 'url', place: { kind: 'url', url } },
      { name: 'farm', kind: 'folder', place: { kind: 'folder', folder, page: 'index.html' } },
    ],
    { measures, isolated: false },
  );
  const plan = makePlan({
    seed: 1,
    isolation: 'page',
    blocks: rounds,
    measurement: fastMeasurement,
    presences: [presence],
    arms: crossArms([presence], versionCases(benchmark)),
  });
  return { ...plan, jobs: plan.jobs.map((job) => ({ ...job, sessionKey: 'all' })) };
}

function rowsOf(browser: string, loads: Loads): readonly BenchRow[] {
  return measures.flatMap(({ metric }) => {
    const of = (version: string): number[] => (loads.get(keyOf(metric.id, version)) ?? []).slice(1);
    const [plain, farm] = [of('plain'), of('farm')];
    if (plain.length === 0 || farm.length === 0) return [];
    const [first, value] = [median(plain), median(farm)];
    const { low, high } = medianInterval(farm.map((ms, round) => ms - (plain[round] ?? NaN)));
    const detail = `plain server ${first.toFixed(1)} ms; medians of ${String(plain.length)} loads, alternating in one session; in pairs ${low.toFixed(1)} … ${high.toFixed(1)} ms more`;
    const figure = `${metric.title} in ${browser}, served by the farm`;
    return [{ bench: 'load', figure, value, unit: 'ms', ratio: value / first, detail }];
  });
}

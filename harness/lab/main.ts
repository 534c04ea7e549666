import Table from 'cli-table3';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { farmVersion } from '../core/project.ts';
import { describeMachine } from '../core/setup/machine.ts';
import type { BenchRow } from './row.ts';

type Bench = () => Promise<readonly BenchRow[]>;

/** Loaded on demand: `npm run bench -- startup stats` runs some, `npm run bench` the short ones. */
const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  startup: async () => (await import('./startup.ts')).startupBench,
  overhead: async () => (await import('./overhead.ts')).overheadBench,
  sampler: async () => (await import('./sampler.ts')).samplerBench,
  stats: async () => (await import('./stats.ts')).statsRows,
  report: async () => (await import('./report.ts')).reportBench,
  nights: async () => (await import('./nights-rows.ts')).nightsBench,
  probes: async () => (await import('./probes.ts')).probesBench,
  load: async () => (await import('./load.ts')).loadBench,
  decide: async () => (await import('./decide.ts')).decideBench,
  steady: async () => (await import('./steady.ts')).steadyBench,
  tachometer: async () => (await import('./tachometer.ts')).tachometerBench,
  aa: async () => (await import('./aa.ts')).aaBench,
  bisect: async () => (await import('./bisect.ts')).bisectBench,
  commits: async () => (await import('./commits.ts')).commitsBench,
  blame: async () => (await import('./blame.ts')).blameBench,
  profiling: async () => (await import('./profiling.ts')).profilingBench,
  causal: async () => (await import('./causal.ts')).causalBench,
  scale: async () => (await import('./scale.ts')).scaleBench,
  insert: async () => (await import('./insert.ts')).insertBench,
  soak: async () => (await import('./soak.ts')).soakBench,
  faults: async () => (await import('./faults.ts')).faultsBench,
  installs: async () => (await import('./installs.ts')).installsBench,
  kills: async () => (await import('./kills.ts')).killsBench,
  'fleet-queries': async () => (await import('./fleet-queries.ts')).fleetQueriesBench,
  'fleet-faults': async () => (await import('./fleet-faults.ts')).fleetFaultsBench,
  'fleet-load': async () => (await import('./fleet-load.ts')).fleetLoadBench,
  'fleet-overhead': async () => (await import('./fleet-overhead.ts')).fleetOverheadBench,
};

/** These take many minutes of browser starts, or gigabytes of disk, so they run only when named. */
const onRequest: ReadonlySet<string> = new Set([
  ...[
    'nights',
    'probes',
    'load',
    'decide',
    'steady',
    'tachometer',
    'aa',
    'bisect',
    'commits',
    'blame',
    'causal',
    'profiling',
    'scale',
    'insert',
    'soak',
    'faults',
    'installs',
    'kills',
    'fleet-queries',
    'fleet-faults',
    'fleet-load',
    'fleet-overhead',
  ],
]);

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(
    `There is no bench ${unknown.join(', ')}. Known: ${Object.keys(benches).join(', ')}.`,
  );
  process.exit(2);
}

// Its scenes are separate devices files in temporary folders.
process.env['CROSSFARM_TRUST'] ??= '1';

const rows: BenchRow[] = [];
for (const [name, load] of Object.entries(benches)) {
  if (wanted.length === 0 ? onRequest.has(name) : !wanted.includes(name)) continue;
  console.error(`${name} …`);
  rows.push(...(await (await load())()));
}

const table = new Table({
  head: ['bench', 'figure', 'value', 'ratio', 'detail'],
  style: { head: [], border: [] },
});
for (const { bench, figure, value, unit, ratio, detail } of rows) {
  table.push([
    bench,
    figure,
    `${value.toPrecision(3)} ${unit}`,
    ratio === null ? '' : `${ratio.toFixed(2)}×`,
    detail,
  ]);
}
console.log(table.toString());
if (wanted.length === 0) {
  const left = [...onRequest].join(' ');
  console.log(`Left out, as they take long or much disk: npm run bench -- ${left}`);
}

const path = resolve('.farm', 'bench.json');
await mkdir(dirname(path), { recursive: true });
const written = {
  writtenAt: new Date().toISOString(),
  farmVersion: farmVersion(),
  machine: describeMachine(),
  rows,
};
await writeFile(path, `${JSON.stringify(written, null, 2)}\n`);
console.log(path);

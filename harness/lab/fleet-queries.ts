import { median } from 'simple-statistics';
import { listFarmRuns, readCase, readFarmRun } from '../features/fleet/farm-queries.ts';
import { listHosts } from '../features/fleet/hosts.ts';
import { listJobs } from '../features/fleet/jobs.ts';
import { readFarmUrl } from '../features/fleet/farm-url.ts';
import { farmVariableName, FarmServer } from '../features/fleet/server.ts';
import type { BenchRow } from './row.ts';

/** 10 M trials take some 12 GB of the server's disk, and minutes. */
const trials = Number(process.env['CROSSFARM_FLEET_TRIALS'] ?? '1e5');

/** A night of one host: 4 benchmarks × 23 cases × 10 devices × 3 blocks. */
const night = { cases: 92, devices: 10, blocks: 3 };
const trialsOfNight = night.cases * night.devices * night.blocks;
const hosts = 10;
/** Nights in one statement: it ends before the connection's deadline. */
const atOnce = 10;
const rounds = 9;

/**
 * Measures the explorer's questions over years of nights of ten hosts, in a database that is made for it on
 * the server of CROSSFARM_FLEET, and dropped.
 */
export async function fleetQueriesBench(): Promise<readonly BenchRow[]> {
  const address = process.env[farmVariableName];
  if (address === undefined) {
    console.error(
      `fleet-queries needs a server: ${farmVariableName}=postgres://…, a user who may make databases.`,
    );
    return [];
  }
  const name = `crossfarm_bench_${String(process.pid)}`;
  const admin = new FarmServer(readFarmUrl(address));
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(address);
  url.pathname = `/${name}`;
  const server = new FarmServer(readFarmUrl(url.href));
  try {
    const nights = Math.ceil(trials / trialsOfNight);
    await fill(server, nights);
    return await measure(server, nights);
  } finally {
    await server.close();
    await admin.query(`DROP DATABASE ${name}`);
    await admin.close();
  }
}

async function fill(server: FarmServer, nights: number): Promise<void> {
  await server.query(`INSERT INTO host (name, worker, farm_version, facts)
    SELECT 'rack-' || i, gen_random_uuid(), '1', '{"platform":"linux","logicalCores":8,"devices":["chromium"]}'
    FROM generate_series(0, ${String(hosts - 1)}) AS i`);
  await server.query(`INSERT INTO "case" (benchmark, version, parameters, name)
    SELECT 'bench-' || i / 23, 1, jsonb_build_object('n', i % 23), 'bench-' || i / 23 || ' n=' || i % 23
    FROM generate_series(0, ${String(night.cases - 1)}) AS i`);
  await server.query(`INSERT INTO job (host, words, priority, asked_by, state, ended_at, batch)
    SELECT 'rack-' || i % ${String(hosts)}, ARRAY['nightly'], 0, 'cron', 'done', now(), i / ${String(hosts)}
    FROM generate_series(1, ${String(nights)}) AS i`);
  for (let first = 1; first <= nights; first += atOnce) {
    const span = [first, Math.min(nights, first + atOnce - 1)];
    for (const statement of nightsOfHosts) await server.query(statement, span);
    if (first % 500 === 1) console.error(`${String(first)} of ${String(nights)} nights`);
  }
  for (const table of ['run', 'trial', 'metric', 'summary', 'job', '"case"'])
    await server.query(`ANALYZE ${table}`);
}

const cells = `generate_series($1::int, $2::int) AS run
  CROSS JOIN generate_series(0, ${String(trialsOfNight - 1)}) AS ordinal`;

const cellsOfHead = `(SELECT jsonb_agg(jsonb_build_object('ordinal', i, 'block', i / ${String(night.cases * night.devices)},
  'case', i % ${String(night.cases)}, 'device', 'device-' || i % ${String(night.devices)}, 'sessionKey', 's'))
  FROM generate_series(0, ${String(trialsOfNight - 1)}) AS i)`;

const nightsOfHosts: readonly string[] = [
  `INSERT INTO run (identity, host, lease, suite, isolation, status, started_at, finished_at, planned, stored, head)
   SELECT 'run-' || run, 'rack-' || run % ${String(hosts)}, 1, 'nightly', 'session', 'finished',
     now() - make_interval(hours => (20000 - run) * 2), now(), ${String(trialsOfNight)}, ${String(trialsOfNight)},
     jsonb_build_object('run', jsonb_build_object('id', run, 'command', 'crossfarm nightly', 'farmVersion', '1'),
       'cells', cells.all_of_them)
   FROM generate_series($1::int, $2::int) AS run, (SELECT ${cellsOfHead} AS all_of_them) AS cells`,
  `INSERT INTO trial (run_id, ordinal, lease, block, case_id, device, driver, browser, version, outcome,
     started_at, document)
   SELECT run, ordinal, 1, ordinal / ${String(night.cases * night.devices)}, 1 + ordinal % ${String(night.cases)},
     'device-' || ordinal / ${String(night.cases)} % ${String(night.devices)}, 'playwright', 'chromium', '1', 'completed', now(),
     jsonb_build_object('outcome', jsonb_build_object('kind', 'completed', 'result', jsonb_build_object(
       'samples', jsonb_build_array(jsonb_build_object('metric', 'duration', 'unit', 'ms',
         'timed', (SELECT jsonb_agg(12.5 + i / 7.0) FROM generate_series(1, 30) AS i)))))) 
   FROM ${cells}`,
  `INSERT INTO metric SELECT run, ordinal, 0, 'duration', 'ms', 'lower', 10 + ordinal % 7, 10 + ordinal % 7 FROM ${cells}`,
  `INSERT INTO summary
   SELECT run, case_id, 'device-' || device, 'duration', 'ms', ${String(night.blocks)}, 10 + (run * 7 + case_id) % 11
   FROM generate_series($1::int, $2::int) AS run CROSS JOIN generate_series(1, ${String(night.cases)}) AS case_id
   CROSS JOIN generate_series(0, ${String(night.devices - 1)}) AS device`,
];

async function measure(server: FarmServer, nights: number): Promise<readonly BenchRow[]> {
  const [{ bytes } = { bytes: 0 }] = await server.query<{ bytes: number }>(
    'SELECT pg_database_size(current_database())::float8 AS bytes',
  );
  const everywhere = { host: undefined, before: undefined };
  const questions: readonly (readonly [string, (round: number) => Promise<unknown>])[] = [
    [
      'home',
      async () => {
        await listHosts(server);
        await listJobs(server, 20);
        return listFarmRuns(server, everywhere, 20);
      },
    ],
    [
      'a case over all hosts',
      (round) =>
        readCase(server, `bench-${String(round % 4)} n=${String(round)}`, {
          host: undefined,
          limit: 2_000,
        }),
    ],
    ['a run', (round) => readFarmRun(server, Math.max(1, nights - 37 * round))],
    ['runs of a host', () => listFarmRuns(server, { ...everywhere, host: 'rack-3' }, 100)],
  ];
  const detail = `${String(nights * trialsOfNight)} trials of ${String(hosts)} hosts, median of ${String(rounds)}`;
  const rows: BenchRow[] = [
    {
      bench: 'fleet-queries',
      figure: 'database',
      value: bytes / 1e9,
      unit: 'GB',
      ratio: null,
      detail,
    },
  ];
  for (const [figure, ask] of questions) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const began = performance.now();
      await ask(round);
      times.push(performance.now() - began);
    }
    rows.push({
      bench: 'fleet-queries',
      figure,
      value: median(times),
      unit: 'ms',
      ratio: null,
      detail: `${detail}, first ${times[0]?.toFixed(0) ?? ''} ms`,
    });
  }
  return rows;
}

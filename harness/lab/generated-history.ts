import { connect, type Connection } from '../core/store/connection.ts';
import { keepSummary } from '../core/store/run-summary.ts';
import { migrate } from '../core/store/migrate.ts';
import { npxCrossfarm } from '../core/model/typed-command.ts';

/** A night of the generated history: 4 benchmarks × 23 cases × 10 targets × 3 blocks. */
const night = { benchmarks: 4, cases: 23, targets: 10, blocks: 3 };
const cellsOfBlock = night.benchmarks * night.cases * night.targets;
export const trialsOfNight = cellsOfBlock * night.blocks;

/** Timed samples of each trial. */
const samples = 30;

/** Nights in one transaction: enough for speed, few enough for the log file. */
const atOnce = 20;

/**
 * The number of newest nights with readings of probes: a report reads only samples of older ones.
 */
export const nightsWatched = 2;

/**
 * Makes a database as after a year of nights, with the readings of the newest nights only. Uses
 * plain SQL, because a trial at a time would take hours.
 */
export async function generateHistory(path: string, nights: number): Promise<void> {
  const connection = await connect(path);
  try {
    await migrate(connection);
    // A power cut may destroy a generated file.
    await connection.execute('PRAGMA synchronous = OFF');
    await connection.transaction('write', () => connection.execute(machine));
    for (let first = 1; first <= nights; first += atOnce) {
      const last = Math.min(nights, first + atOnce - 1);
      await connection.transaction('write', () => insertNights(connection, first, last));
    }
    await connection.transaction('write', async () => {
      const watched = [Math.max(1, nights - nightsWatched + 1), nights];
      for (const statement of readingStatements) await connection.all(statement, watched);
    });
    await connection.execute('ANALYZE');
    await connection.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    await connection.close();
  }
}

const machine = `INSERT INTO machine VALUES
  (1, 'host', 'linux', '6.1', 'Debian GNU/Linux 12', 'x64', 'a processor', 8, 16000000000, NULL, 'v20', 0)`;

async function insertNights(connection: Connection, first: number, last: number): Promise<void> {
  for (const statement of statements) await connection.all(statement, [first, last]);
  for (let run = first; run <= last; run += 1) await keepSummary(connection, run);
}

/** SQL for a table of the rows `0 … count − 1`. */
function numbers(name: string, count: number): string {
  return `${name}(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM ${name} WHERE i < ${String(count - 1)})`;
}

const { benchmarks, cases, targets } = night;
const nightsOf = 'night(i) AS (VALUES (?1) UNION ALL SELECT i + 1 FROM night WHERE i < ?2)';
const benchmarkId = `((night.i - 1) * ${String(benchmarks)} + benchmark.i + 1)`;
const ofNight = `run_id BETWEEN ?1 AND ?2`;

const statements: readonly string[] = [
  `WITH RECURSIVE ${nightsOf}
   INSERT INTO run (id, suite, seed, isolation, command, farm_version, machine_id, status,
     started_at, finished_at, identity)
   SELECT i, 'nightly', i, 'session', '${npxCrossfarm} run --suite nightly', '0.1.0', 1, 'finished',
     strftime('%Y-%m-%dT00:00:00.000Z', '2026-01-01', '+' || i || ' days'),
     strftime('%Y-%m-%dT06:00:00.000Z', '2026-01-01', '+' || i || ' days'), 'night ' || i
   FROM night`,
  `WITH RECURSIVE ${nightsOf}, ${numbers('target', targets)}
   INSERT INTO target (id, run_id, position, device, device_name, product, driver, headless, flags,
     preferences, environment, automatic, status, browser_name, browser_version, executable)
   SELECT (night.i - 1) * ${String(targets)} + target.i + 1, night.i, target.i,
     'device-' || target.i, 'Device ' || target.i,
     json_extract('["chromium","firefox","webkitgtk","chrome","edge"]', '$[' || (target.i % 5) || ']'),
     json_extract('["playwright","puppeteer"]', '$[' || (target.i % 2) || ']'), 1, '[]', '{}', '{}',
     1, 'found', 'a browser', (100 + night.i / 30) || '.0', '/usr/bin/browser'
   FROM night, target`,
  `WITH RECURSIVE ${nightsOf}, ${numbers('benchmark', benchmarks)}
   INSERT INTO benchmark (id, run_id, name, version, title, description, page, growth_over, growth_by)
   SELECT ${benchmarkId}, night.i, 'bench-' || benchmark.i, 1, 'Benchmark ' || benchmark.i, '',
     'index.html', 'n', 'n'
   FROM night, benchmark`,
  `INSERT INTO parameter (benchmark_id, position, name, kind, minimum, maximum, default_value)
   SELECT id, 0, 'n', 'integer', 1, 100, '1' FROM benchmark WHERE ${ofNight}`,
  `INSERT INTO metric (id, benchmark_id, position, name, title, unit, direction)
   SELECT id, id, 0, 'duration', 'Duration', 'ms', 'lower' FROM benchmark WHERE ${ofNight}`,
  `WITH RECURSIVE ${numbers('step', cases)}
   INSERT INTO "case" (id, run_id, benchmark_id, name, parameters)
   SELECT (benchmark.id - 1) * ${String(cases)} + step.i + 1, run_id, benchmark.id,
     name || ' n=' || (step.i + 1), json_object('n', step.i + 1)
   FROM benchmark, step WHERE ${ofNight}`,
  `WITH RECURSIVE ${nightsOf}, ${numbers('cell', trialsOfNight)}
   INSERT INTO cell (id, run_id, ordinal, block, case_id, target_id, session_key)
   SELECT (night.i - 1) * ${String(trialsOfNight)} + cell.i + 1, night.i, cell.i,
     cell.i / ${String(cellsOfBlock)},
     (night.i - 1) * ${String(benchmarks * cases)} + cell.i % ${String(cellsOfBlock)} / ${String(targets)} + 1,
     (night.i - 1) * ${String(targets)} + cell.i % ${String(targets)} + 1, 'key'
   FROM night, cell`,
  `INSERT INTO trial (id, cell_id, outcome, started_at, wall_ms, browser_name, browser_version,
     protocol, granule_us, isolated, user_agent, hardware_concurrency, repeats, steadiness)
   SELECT id, id, 'completed', '2026-01-01T00:00:00.000Z', 1000, 'a browser', '100.0', 1, 5, 1,
     'Mozilla/5.0', 8, 1, 'steady'
   FROM cell WHERE ${ofNight}`,
  `INSERT INTO trial_metric (trial_id, metric_id, position)
   SELECT cell.id, benchmark_id, 0 FROM cell JOIN "case" ON "case".id = case_id
   WHERE cell.${ofNight}`,
  `WITH RECURSIVE ${numbers('step', samples)}
   INSERT INTO sample (trial_id, metric_id, phase, iteration, value)
   SELECT cell.id, benchmark_id, 'timed', step.i, case_id % 23 + abs(random() % 1000) / 1000.0
   FROM cell JOIN "case" ON "case".id = case_id, step WHERE cell.${ofNight}
   ORDER BY cell.id`,
  `UPDATE trial_metric SET median = middle.value
   FROM (SELECT trial_id, avg(value) AS value
     FROM (SELECT trial_id, value, row_number() OVER (PARTITION BY trial_id ORDER BY value) AS rank
       FROM sample
       WHERE trial_id BETWEEN (?1 - 1) * ${String(trialsOfNight)} + 1 AND ?2 * ${String(trialsOfNight)})
     WHERE rank IN (${String(samples / 2)}, ${String(samples / 2 + 1)})
     GROUP BY trial_id) AS middle
   WHERE middle.trial_id = trial_metric.trial_id`,
];

/**
 * SQL for the readings of the default probes for each trial of the nights ?1 to ?2: a window of one
 * second on eight cores, sampled every 20 ms. The values are plausible and of the usual length;
 * nothing uses them.
 */
const readingStatements: readonly string[] = [
  `INSERT INTO probe_reading (trial_id, probe, position, wall_ms, cost_ms)
   SELECT cell.id, probe.value, probe.key,
     CASE probe.value WHEN 'environment' THEN NULL ELSE 1003.417 END, 2.375
   FROM cell, json_each('["cpu-core","cpu-thread","environment"]') AS probe
   WHERE run_id BETWEEN ?1 AND ?2`,
  `WITH RECURSIVE ${steps('snapshot', 50)}
   INSERT INTO core_reading (trial_id, interval_ms, snapshots)
   SELECT cell.id, 20, (SELECT json_group_array(json_array(
     snapshot.i * 20.0 + 0.375,
     json_array(${cores('10 * (snapshot.i * 2 / (1 + #))')}),
     json_array(${cores('0')}))) FROM snapshot)
   FROM cell WHERE run_id BETWEEN ?1 AND ?2`,
  `WITH RECURSIVE ${steps('sample', 50)}
   INSERT INTO role_timeline (trial_id, samples)
   SELECT cell.id, (SELECT json_group_array(json_array(sample.i * 20.0 + 0.375, json_object(
     'js-main', sample.i * 17.25, 'gc', sample.i * 2.125, 'jit', sample.i * 1.375,
     'compositor', sample.i * 0.25, 'other', sample.i * 0.625))) FROM sample)
   FROM cell WHERE run_id BETWEEN ?1 AND ?2`,
  `WITH RECURSIVE ${steps('thread', 20)}
   INSERT INTO thread_reading (trial_id, position, pid, tid, process, name, role, cpu_ms, last_core)
   SELECT cell.id, thread.i, 4000 + thread.i / 8, 4000 + thread.i, 'renderer', 'ThreadPoolForeg',
     json_extract('["js-main","gc","jit","compositor","io","other"]', '$[' || (thread.i % 6) || ']'),
     862.5 / (1 + thread.i), thread.i % 8
   FROM cell, thread WHERE run_id BETWEEN ?1 AND ?2`,
  `INSERT INTO environment_reading (trial_id, load1, cpu_pressure, free_memory_bytes, governor,
     frequency_mhz, foreign_share, steal_share, throttle_events)
   SELECT id, 1.25, 0.01, 8000000000, 'performance', 2600, 0.01, 0, 0
   FROM cell WHERE run_id BETWEEN ?1 AND ?2`,
];

/** SQL for a table of the rows `0 … count`. */
function steps(name: string, count: number): string {
  return `${name}(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM ${name} WHERE i < ${String(count)})`;
}

/** SQL of one value for each of eight cores; # is the core's number. */
function cores(value: string): string {
  return Array.from({ length: 8 }, (_, core) => value.replace('#', String(core))).join(', ');
}

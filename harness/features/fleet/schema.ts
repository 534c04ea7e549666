import { newerDatabase } from '../../core/store/failures.ts';

/** Runs one statement and gives its rows. */
export type Query = <Row extends object>(
  sql: string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

/**
 * Tables of the farm in PostgreSQL. A run is kept as the document of `db export`, in parts: its head
 * without trials, and each trial by its ordinal. Columns next to a document serve queries.
 */
const first = `
-- A machine that takes jobs. Its lease grows with each worker that takes its name.
CREATE TABLE host (
  name text PRIMARY KEY,
  worker uuid NOT NULL,
  lease bigint NOT NULL DEFAULT 1,
  seen_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz NOT NULL DEFAULT now(),
  farm_version text NOT NULL,
  facts jsonb NOT NULL
);

-- A whole measuring command on one host.
CREATE TABLE job (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  host text NOT NULL,
  words text[] NOT NULL,
  priority integer NOT NULL,
  state text NOT NULL DEFAULT 'waiting'
    CHECK (state IN ('waiting', 'active', 'cancelling', 'done', 'cancelled')),
  asked_by text NOT NULL,
  submitted_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  ended_at timestamptz,
  starts integer NOT NULL DEFAULT 0,
  lease bigint,
  progress jsonb,
  exit_code integer,
  document jsonb,
  text text,
  queue_id uuid
);
CREATE INDEX job_open ON job (host, priority DESC, id) WHERE state IN ('waiting', 'active', 'cancelling');

CREATE TABLE run (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  identity text NOT NULL UNIQUE,
  host text NOT NULL,
  job bigint REFERENCES job (id) ON DELETE SET NULL,
  lease bigint NOT NULL,
  suite text NOT NULL,
  isolation text NOT NULL,
  preset text,
  status text NOT NULL,
  started_at timestamptz NOT NULL,
  finished_at timestamptz,
  planned integer NOT NULL,
  stored integer NOT NULL DEFAULT 0,
  head jsonb NOT NULL
);
CREATE INDEX run_newest ON run (started_at DESC);
CREATE INDEX run_by_host ON run (host, started_at DESC);

CREATE TABLE "case" (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  benchmark text NOT NULL,
  version integer NOT NULL,
  parameters jsonb NOT NULL,
  UNIQUE (benchmark, version, parameters)
);

CREATE TABLE trial (
  run_id bigint NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  ordinal integer NOT NULL,
  lease bigint NOT NULL,
  block integer NOT NULL,
  case_id integer NOT NULL REFERENCES "case" (id),
  device text NOT NULL,
  driver text,
  browser text,
  version text,
  outcome text NOT NULL CHECK (outcome IN ('completed', 'failed', 'timed-out', 'skipped')),
  started_at timestamptz NOT NULL,
  quarantine text[],
  document jsonb NOT NULL,
  PRIMARY KEY (run_id, ordinal)
);

CREATE TABLE metric (
  run_id bigint NOT NULL,
  ordinal integer NOT NULL,
  position smallint NOT NULL,
  metric text NOT NULL,
  unit text NOT NULL,
  direction text,
  median double precision,
  value double precision,
  PRIMARY KEY (run_id, ordinal, position),
  FOREIGN KEY (run_id, ordinal) REFERENCES trial (run_id, ordinal) ON DELETE CASCADE
);

-- What a run found of each case, device and metric, made when it ends: histories read this alone.
CREATE TABLE summary (
  run_id bigint NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  case_id integer NOT NULL REFERENCES "case" (id),
  device text NOT NULL,
  metric text NOT NULL,
  unit text NOT NULL,
  trials integer NOT NULL,
  median double precision,
  PRIMARY KEY (run_id, case_id, device, metric)
);
CREATE INDEX summary_by_case ON summary (case_id, run_id);

-- Trials of a worker whose name another one had taken: kept, and never counted.
CREATE TABLE attempt (
  identity text NOT NULL,
  ordinal integer NOT NULL,
  host text NOT NULL,
  lease bigint NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  document jsonb NOT NULL,
  PRIMARY KEY (identity, ordinal, lease)
);

-- The columns of the view in SQLite, the host besides.
CREATE VIEW result AS
SELECT
  run.id AS run, run.host, run.identity, run.suite, run.isolation, trial.block, trial.device,
  trial.driver, trial.browser, trial.version, "case".benchmark,
  "case".version AS benchmark_version, "case".parameters, metric.metric, metric.median,
  metric.value, metric.unit, metric.direction,
  trial.document #>> '{outcome,result,steadiness}' AS steadiness,
  (trial.document #>> '{outcome,result,clock,granuleUs}')::double precision AS granule_us,
  (trial.document #>> '{outcome,result,clock,isolated}')::boolean AS isolated,
  (trial.document #>> '{outcome,result,repeats}')::integer AS repeats,
  trial.started_at, trial.ordinal AS trial, array_to_string(trial.quarantine, '; ') AS quarantine
FROM trial
JOIN metric ON metric.run_id = trial.run_id AND metric.ordinal = trial.ordinal
JOIN "case" ON "case".id = trial.case_id
JOIN run ON run.id = trial.run_id
WHERE trial.outcome = 'completed';
`;

/** Jobs of one submission belong together; the columns that the view in SQLite has besides. */
const second = `
ALTER TABLE job ADD COLUMN batch bigint, ADD COLUMN settled boolean NOT NULL DEFAULT false,
  ADD COLUMN settled_after integer;
CREATE INDEX job_by_batch ON job (batch);
CREATE INDEX run_by_job ON run (job);

ALTER TABLE "case" ADD COLUMN name text;
UPDATE "case" SET name = concat_ws(' ', benchmark, (
  SELECT string_agg(key || '=' || value, ' ' ORDER BY key) FROM jsonb_each_text(parameters)));
ALTER TABLE "case" ALTER COLUMN name SET NOT NULL;
CREATE INDEX case_by_name ON "case" (name);
ALTER TABLE trial ADD COLUMN emulation jsonb;

-- Who may use the explorer of the farm. The token itself is known to its owner alone.
CREATE TABLE token (
  name text PRIMARY KEY,
  role text NOT NULL CHECK (role IN ('read', 'submit', 'administrator')),
  hash bytea NOT NULL UNIQUE,
  made_at timestamptz NOT NULL DEFAULT now(),
  used_at timestamptz
);

CREATE OR REPLACE VIEW result AS
SELECT
  run.id AS run, run.host, run.identity, run.suite, run.isolation, trial.block, trial.device,
  trial.driver, trial.browser, trial.version, "case".benchmark,
  "case".version AS benchmark_version, "case".parameters, metric.metric, metric.median,
  metric.value, metric.unit, metric.direction,
  trial.document #>> '{outcome,result,steadiness}' AS steadiness,
  (trial.document #>> '{outcome,result,clock,granuleUs}')::double precision AS granule_us,
  (trial.document #>> '{outcome,result,clock,isolated}')::boolean AS isolated,
  (trial.document #>> '{outcome,result,repeats}')::integer AS repeats,
  trial.started_at, trial.ordinal AS trial, array_to_string(trial.quarantine, '; ') AS quarantine,
  "case".name AS "case", trial.emulation
FROM trial
JOIN metric ON metric.run_id = trial.run_id AND metric.ordinal = trial.ordinal
JOIN "case" ON "case".id = trial.case_id
JOIN run ON run.id = trial.run_id
WHERE trial.outcome = 'completed';
`;

/** Every step of the schema, the oldest first. A released one is never edited. */
const steps: readonly string[] = [first, second];

export const schemaName = 'crossfarm';

/** Of PostgreSQL's advisory locks, for who makes tables: "xfrm" in ASCII. */
export const lockNumber = 0x7866726d;

/**
 * Brings the tables up to date, in one transaction; two that come at once take turns.
 * @throws FarmError `newer-database` where a newer crossfarm made them
 */
export async function migrate(query: Query, name: string): Promise<void> {
  // A user who may only read makes no tables.
  if ((await hasSteps(query)) && (await refuseNewer(query, name)) === steps.length) return;
  await query('BEGIN');
  try {
    await query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
    await query(`CREATE SCHEMA IF NOT EXISTS ${schemaName}`);
    const isThere = await hasSteps(query);
    const found = isThere ? await refuseNewer(query, name) : 0;
    if (!isThere) await query('CREATE TABLE schema_step (version integer PRIMARY KEY)');
    for (const [index, sql] of steps.entries()) {
      if (index < found) continue;
      await query(sql);
      await query('INSERT INTO schema_step VALUES ($1)', [index + 1]);
    }
    await query('COMMIT');
  } catch (error) {
    await query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * Gives the version of the tables, which are there.
 * @throws FarmError `newer-database`
 */
export async function refuseNewer(query: Query, name: string): Promise<number> {
  const [row] = await query<{ version: number | null }>(
    'SELECT max(version) AS version FROM schema_step',
  );
  const found = row?.version ?? 0;
  if (found > steps.length) throw newerDatabase(name, { found, known: steps.length });
  return found;
}

async function hasSteps(query: Query): Promise<boolean> {
  const [table] = await query<{ isThere: boolean }>(
    `SELECT to_regclass('${schemaName}.schema_step') IS NOT NULL AS "isThere"`,
  );
  return table?.isThere === true;
}

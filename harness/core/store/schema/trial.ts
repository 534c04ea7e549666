/** Outcome of each planned cell: one trial at most, with its attempts, samples and counters. */
export const trial = `
CREATE TABLE trial (
  id INTEGER PRIMARY KEY,
  -- Unique: a planned cell has at most one outcome.
  cell_id INTEGER NOT NULL UNIQUE REFERENCES cell (id) ON DELETE CASCADE,
  outcome TEXT NOT NULL CHECK (outcome IN ('completed', 'failed', 'timed-out', 'skipped')),
  started_at TEXT NOT NULL,
  wall_ms REAL NOT NULL CHECK (wall_ms >= 0),
  browser_name TEXT,
  browser_version TEXT,
  failure_code TEXT CHECK (failure_code IN ('launch-failed', 'navigation-failed', 'browser-died',
    'page-error', 'wrong-result', 'bad-message', 'timed-out', 'probe-failed', 'farm-error')),
  failure_message TEXT,
  reason TEXT,
  remedy TEXT,
  protocol INTEGER,
  granule_us REAL CHECK (granule_us >= 0),
  isolated INTEGER CHECK (isolated IN (0, 1)),
  user_agent TEXT,
  hardware_concurrency INTEGER,
  repeats INTEGER CHECK (repeats >= 1),
  steadiness TEXT CHECK (steadiness IN ('steady', 'slowing', 'no steady state', 'first run',
    'flat', 'warm-up', 'slowdown')),
  quarantine TEXT CHECK (quarantine IS NULL OR (outcome = 'completed'
    AND json_type(quarantine) = 'array' AND json_array_length(quarantine) > 0)),
  node TEXT CHECK (json_type(node) = 'object'),
  clock TEXT CHECK (json_type(clock) = 'object'),
  steady_state TEXT CHECK (json_type(steady_state) = 'object'),
  waited_ms INTEGER CHECK (waited_ms >= 0),
  page_errors TEXT CHECK (json_type(page_errors) = 'array'),
  CHECK ((browser_name IS NULL) = (browser_version IS NULL)),
  -- Each outcome has its own facts, all of them, and none of another's.
  CHECK (CASE outcome
    WHEN 'completed' THEN protocol IS NOT NULL AND granule_us IS NOT NULL AND isolated IS NOT NULL
      AND user_agent IS NOT NULL AND repeats IS NOT NULL AND steadiness IS NOT NULL
      AND failure_code IS NULL AND failure_message IS NULL AND reason IS NULL AND remedy IS NULL
    ELSE protocol IS NULL AND granule_us IS NULL AND isolated IS NULL AND user_agent IS NULL
      AND hardware_concurrency IS NULL AND repeats IS NULL AND steadiness IS NULL
    END),
  CHECK (CASE outcome
    WHEN 'skipped' THEN reason IS NOT NULL AND remedy IS NOT NULL
      AND failure_code IS NULL AND failure_message IS NULL
    WHEN 'completed' THEN 1
    ELSE failure_code IS NOT NULL AND failure_message IS NOT NULL
      AND reason IS NULL AND remedy IS NULL
    END)
) STRICT;

CREATE TABLE attempt (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 1),
  failure_code TEXT NOT NULL,
  failure_message TEXT NOT NULL,
  PRIMARY KEY (trial_id, number)
) STRICT, WITHOUT ROWID;

-- Median and value stand beside the samples: a history over months reads one number of each trial,
-- and making it anew from the samples took four fifths of the time.
CREATE TABLE trial_metric (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  metric_id INTEGER NOT NULL REFERENCES metric (id),
  position INTEGER NOT NULL,
  median REAL,
  value REAL,
  PRIMARY KEY (trial_id, metric_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX trial_metric_by_metric ON trial_metric (metric_id);

CREATE TABLE sample (
  trial_id INTEGER NOT NULL,
  metric_id INTEGER NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('warm-up', 'timed')),
  iteration INTEGER NOT NULL CHECK (iteration >= 0),
  value REAL NOT NULL,
  PRIMARY KEY (trial_id, metric_id, phase, iteration),
  FOREIGN KEY (trial_id, metric_id) REFERENCES trial_metric (trial_id, metric_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE counter (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (trial_id, name)
) STRICT, WITHOUT ROWID;

-- Only a completed trial has a result, and an outcome never changes: the independent unit of
-- evidence is written once.
CREATE TRIGGER trial_outcome_is_final BEFORE UPDATE OF outcome, cell_id ON trial
BEGIN SELECT RAISE(ABORT, 'the outcome of a trial is final'); END;

CREATE TRIGGER trial_metric_needs_completed_trial BEFORE INSERT ON trial_metric
WHEN (SELECT outcome FROM trial WHERE id = NEW.trial_id) <> 'completed'
BEGIN SELECT RAISE(ABORT, 'only a completed trial has samples'); END;

CREATE TRIGGER counter_needs_completed_trial BEFORE INSERT ON counter
WHEN (SELECT outcome FROM trial WHERE id = NEW.trial_id) <> 'completed'
BEGIN SELECT RAISE(ABORT, 'only a completed trial has counters'); END;

CREATE TRIGGER attempt_needs_tried_trial BEFORE INSERT ON attempt
WHEN (SELECT outcome FROM trial WHERE id = NEW.trial_id) = 'skipped'
BEGIN SELECT RAISE(ABORT, 'a skipped trial was never tried'); END;
`;

/** Readings of the probes. The generated columns let one key hold a reading to its kind. */
export const reading = `
CREATE TABLE probe_reading (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  probe TEXT NOT NULL CHECK (probe IN ('cpu-core', 'cpu-thread', 'environment', 'sched', 'trace')),
  position INTEGER NOT NULL,
  not_supported TEXT,
  wall_ms REAL,
  cost_ms REAL,
  PRIMARY KEY (trial_id, probe),
  CHECK ((not_supported IS NULL) = (cost_ms IS NOT NULL)),
  CHECK ((not_supported IS NULL AND probe NOT IN ('environment', 'trace')) = (wall_ms IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER probe_reading_needs_completed_trial BEFORE INSERT ON probe_reading
WHEN (SELECT outcome FROM trial WHERE id = NEW.trial_id) <> 'completed'
BEGIN SELECT RAISE(ABORT, 'only a completed trial has readings'); END;

CREATE TABLE core_reading (
  trial_id INTEGER PRIMARY KEY,
  probe TEXT NOT NULL GENERATED ALWAYS AS ('cpu-core') VIRTUAL,
  interval_ms REAL NOT NULL,
  snapshots TEXT NOT NULL CHECK (json_type(snapshots) = 'array'),
  FOREIGN KEY (trial_id, probe) REFERENCES probe_reading (trial_id, probe) ON DELETE CASCADE
) STRICT;

CREATE TABLE thread_reading (
  trial_id INTEGER NOT NULL,
  probe TEXT NOT NULL GENERATED ALWAYS AS ('cpu-thread') VIRTUAL,
  position INTEGER NOT NULL,
  pid INTEGER NOT NULL,
  tid INTEGER NOT NULL,
  process TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('js-main', 'js-worker', 'gc', 'jit', 'compositor', 'io', 'other')),
  cpu_ms REAL NOT NULL,
  last_core INTEGER,
  PRIMARY KEY (trial_id, position),
  FOREIGN KEY (trial_id, probe) REFERENCES probe_reading (trial_id, probe) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE role_timeline (
  trial_id INTEGER PRIMARY KEY,
  probe TEXT NOT NULL GENERATED ALWAYS AS ('cpu-thread') VIRTUAL,
  samples TEXT NOT NULL CHECK (json_type(samples) = 'array' AND json_array_length(samples) > 0),
  FOREIGN KEY (trial_id, probe) REFERENCES probe_reading (trial_id, probe) ON DELETE CASCADE
) STRICT;

CREATE TABLE environment_reading (
  trial_id INTEGER PRIMARY KEY,
  probe TEXT NOT NULL GENERATED ALWAYS AS ('environment') VIRTUAL,
  load1 REAL,
  cpu_pressure REAL,
  free_memory_bytes INTEGER,
  governor TEXT,
  frequency_mhz REAL,
  foreign_share REAL,
  steal_share REAL,
  throttle_events INTEGER CHECK (throttle_events >= 0),
  FOREIGN KEY (trial_id, probe) REFERENCES probe_reading (trial_id, probe) ON DELETE CASCADE
) STRICT;

CREATE TABLE phone_reading (
  trial_id INTEGER PRIMARY KEY,
  probe TEXT NOT NULL GENERATED ALWAYS AS ('environment') VIRTUAL,
  clock_offset_ms REAL NOT NULL,
  clock_error_ms REAL NOT NULL CHECK (clock_error_ms >= 0),
  battery_percent REAL,
  powered INTEGER CHECK (powered IN (0, 1)),
  battery_celsius REAL,
  thermal_status INTEGER,
  FOREIGN KEY (trial_id, probe) REFERENCES probe_reading (trial_id, probe) ON DELETE CASCADE
) STRICT;

CREATE TABLE schedule_reading (
  trial_id INTEGER PRIMARY KEY,
  probe TEXT NOT NULL GENERATED ALWAYS AS ('sched') VIRTUAL,
  cores_busy REAL NOT NULL,
  lost_events INTEGER NOT NULL CHECK (lost_events >= 0),
  threads TEXT NOT NULL CHECK (json_type(threads) = 'array'),
  cores TEXT NOT NULL CHECK (json_type(cores) = 'array'),
  FOREIGN KEY (trial_id, probe) REFERENCES probe_reading (trial_id, probe) ON DELETE CASCADE
) STRICT;

CREATE TABLE trace_reading (
  trial_id INTEGER PRIMARY KEY,
  probe TEXT NOT NULL GENERATED ALWAYS AS ('trace') VIRTUAL,
  file TEXT NOT NULL,
  format TEXT NOT NULL CHECK (format IN ('chrome-trace', 'firefox-profile')),
  FOREIGN KEY (trial_id, probe) REFERENCES probe_reading (trial_id, probe) ON DELETE CASCADE
) STRICT;

-- Readings of every probe without tables of its own. Each value has its title and unit: a database may
-- be read where the probe is not known.
CREATE TABLE declared_reading (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  probe TEXT NOT NULL,
  position INTEGER NOT NULL,
  not_supported TEXT,
  cost_ms REAL,
  document TEXT CHECK (json_type(document) = 'object'),
  PRIMARY KEY (trial_id, probe),
  CHECK (probe NOT IN ('cpu-core', 'cpu-thread', 'environment', 'sched', 'trace')),
  CHECK ((not_supported IS NULL) = (cost_ms IS NOT NULL)),
  CHECK ((not_supported IS NULL) = (document IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER declared_reading_needs_completed_trial BEFORE INSERT ON declared_reading
WHEN (SELECT outcome FROM trial WHERE id = NEW.trial_id) <> 'completed'
BEGIN SELECT RAISE(ABORT, 'only a completed trial has readings'); END;
`;

/**
 * The view for people with plain SQL. The median of an even number of samples is the mean of the
 * two in the middle; integer division picks them: of n = 4, ranks 2 and 3; of n = 5, rank 3 twice.
 * Quarantine and emulation have separate columns, because readers of medians must be able to leave
 * such trials out.
 */
export const result = `
CREATE VIEW result AS
SELECT
  run.id AS run,
  run.suite,
  run.isolation,
  cell.block,
  target.device,
  target.driver,
  coalesce(trial.browser_name, target.browser_name) AS browser,
  coalesce(trial.browser_version, target.browser_version) AS version,
  benchmark.name AS benchmark,
  benchmark.version AS benchmark_version,
  "case".name AS "case",
  "case".parameters,
  metric.name AS metric,
  (
    SELECT avg(value) FROM (
      SELECT value, row_number() OVER (ORDER BY value) AS rank, count(*) OVER () AS n
      FROM sample
      WHERE sample.trial_id = trial_metric.trial_id
        AND sample.metric_id = trial_metric.metric_id
        AND sample.phase = 'timed'
    )
    WHERE rank IN ((n + 1) / 2, (n + 2) / 2)
  ) AS median,
  trial_metric.value,
  metric.unit,
  metric.direction,
  trial.steadiness,
  trial.granule_us,
  trial.isolated,
  trial.repeats,
  trial.started_at,
  trial.id AS trial,
  (SELECT group_concat(value, '; ') FROM json_each(trial.quarantine)) AS quarantine,
  target.emulation
FROM trial
JOIN trial_metric ON trial_metric.trial_id = trial.id
JOIN metric ON metric.id = trial_metric.metric_id
JOIN cell ON cell.id = trial.cell_id
JOIN "case" ON "case".id = cell.case_id
JOIN benchmark ON benchmark.id = "case".benchmark_id
JOIN target ON target.id = cell.target_id
JOIN run ON run.id = cell.run_id
WHERE trial.outcome = 'completed';
`;

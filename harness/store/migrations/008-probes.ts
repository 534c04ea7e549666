/**
 * Two more probes, and the timeline of thread roles. SQLite cannot change a CHECK, so
 * `probe_reading` is made anew; and dropping a table deletes its rows first, which would cascade
 * into the tables that point to it, so those move to the new one before the old one goes.
 */
export const probes = `
DROP TRIGGER probe_reading_needs_completed_trial;
ALTER TABLE probe_reading RENAME TO old_probe_reading;
ALTER TABLE core_reading RENAME TO old_core_reading;
ALTER TABLE thread_reading RENAME TO old_thread_reading;
ALTER TABLE environment_reading RENAME TO old_environment_reading;

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

INSERT INTO probe_reading (trial_id, probe, position, not_supported, wall_ms, cost_ms)
SELECT trial_id, probe, position, not_supported, wall_ms, cost_ms FROM old_probe_reading;

INSERT INTO core_reading (trial_id, interval_ms, snapshots)
SELECT trial_id, interval_ms, snapshots FROM old_core_reading;

INSERT INTO thread_reading (trial_id, position, pid, tid, process, name, role, cpu_ms, last_core)
SELECT trial_id, position, pid, tid, process, name, role, cpu_ms, last_core FROM old_thread_reading;

INSERT INTO environment_reading (trial_id, load1, cpu_pressure, free_memory_bytes, governor,
  frequency_mhz, foreign_share, steal_share, throttle_events)
SELECT trial_id, load1, cpu_pressure, free_memory_bytes, governor,
  frequency_mhz, foreign_share, steal_share, throttle_events FROM old_environment_reading;

DROP TABLE old_core_reading;
DROP TABLE old_thread_reading;
DROP TABLE old_environment_reading;
DROP TABLE old_probe_reading;

CREATE TRIGGER probe_reading_needs_completed_trial BEFORE INSERT ON probe_reading
WHEN (SELECT outcome FROM trial WHERE id = NEW.trial_id) <> 'completed'
BEGIN SELECT RAISE(ABORT, 'only a completed trial has readings'); END;

CREATE TABLE role_timeline (
  trial_id INTEGER PRIMARY KEY,
  probe TEXT NOT NULL GENERATED ALWAYS AS ('cpu-thread') VIRTUAL,
  samples TEXT NOT NULL CHECK (json_type(samples) = 'array' AND json_array_length(samples) > 0),
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
`;

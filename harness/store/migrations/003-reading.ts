/** What the probes saw beside a trial. The generated columns let one key hold a reading to its kind. */
export const reading = `
CREATE TABLE probe_reading (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  probe TEXT NOT NULL CHECK (probe IN ('cpu-core', 'cpu-thread', 'environment')),
  position INTEGER NOT NULL,
  not_supported TEXT,
  wall_ms REAL,
  cost_ms REAL,
  PRIMARY KEY (trial_id, probe),
  CHECK ((not_supported IS NULL) = (cost_ms IS NOT NULL)),
  CHECK ((not_supported IS NULL AND probe <> 'environment') = (wall_ms IS NOT NULL))
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
  FOREIGN KEY (trial_id, probe) REFERENCES probe_reading (trial_id, probe) ON DELETE CASCADE
) STRICT;
`;

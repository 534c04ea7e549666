/** What came of each planned cell: one trial at most, with its attempts, samples and counters. */
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
  steadiness TEXT CHECK (steadiness IN ('steady', 'slowing', 'no steady state')),
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

CREATE TABLE trial_metric (
  trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
  metric_id INTEGER NOT NULL REFERENCES metric (id),
  position INTEGER NOT NULL,
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

import { npxCrossfarm } from '../../model/typed-command.ts';
/** Runs: who makes them, what they are made of, how they are carried out, what was found in them. */
export const run = `
-- Where a ${npxCrossfarm} runs. One row for all runs of machines that are described alike.
CREATE TABLE machine (
  id INTEGER PRIMARY KEY,
  hostname TEXT NOT NULL,
  platform TEXT NOT NULL,
  release TEXT NOT NULL,
  system TEXT NOT NULL,
  architecture TEXT NOT NULL,
  cpu_model TEXT NOT NULL,
  logical_cores INTEGER NOT NULL CHECK (logical_cores >= 1),
  memory_bytes INTEGER NOT NULL CHECK (memory_bytes >= 0),
  virtualization TEXT,
  node_version TEXT NOT NULL,
  as_root INTEGER NOT NULL CHECK (as_root IN (0, 1))
) STRICT;

-- The identity says which run it is, wherever its rows lie. A run with a preset is never pooled with
-- others.
CREATE TABLE run (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  suite TEXT NOT NULL,
  seed INTEGER NOT NULL,
  isolation TEXT NOT NULL CHECK (isolation IN ('session', 'page')),
  command TEXT NOT NULL,
  farm_version TEXT NOT NULL,
  machine_id INTEGER NOT NULL REFERENCES machine (id),
  status TEXT NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'finished', 'interrupted')),
  started_at TEXT NOT NULL,
  finished_at TEXT,
  identity TEXT CHECK (identity <> ''),
  preset TEXT CHECK (preset IN ('fast')),
  CHECK ((status = 'running') = (finished_at IS NULL))
) STRICT;

CREATE INDEX run_by_machine ON run (machine_id);
CREATE UNIQUE INDEX run_by_identity ON run (identity);

-- What going on with a run needs beside its plan, and which farm process carries it out.
CREATE TABLE run_setting (
  run_id INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
  farm TEXT NOT NULL,
  document TEXT NOT NULL CHECK (json_type(document) = 'object')
) STRICT;

-- What a run was made to answer, kept with it so that its verdict can be made again.
CREATE TABLE question (
  run_id INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  document TEXT NOT NULL CHECK (json_type(document) = 'object')
) STRICT;

CREATE INDEX question_by_name ON question (name, run_id);

-- What the history reads of a run that has finished, made once: a report over a quarter of a year
-- else reads a quarter of a million trials anew.
CREATE TABLE run_history (
  run_id INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
  medians TEXT NOT NULL CHECK (json_valid(medians))
) STRICT;

-- Findings of ours that were saved to be looked at again. One outlives the run that it was found in.
CREATE TABLE anomaly (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id INTEGER REFERENCES run (id) ON DELETE SET NULL,
  sentence TEXT NOT NULL,
  question TEXT NOT NULL CHECK (json_type(question) = 'object'),
  targets TEXT NOT NULL CHECK (json_type(targets) = 'array'),
  state TEXT NOT NULL DEFAULT 'untriaged' CHECK (state IN ('untriaged', 'reproduced',
    'not-reproduced', 'inconclusive', 'ignored', 'closed')),
  reason TEXT,
  created_at TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  CHECK ((state = 'untriaged') = (reason IS NULL))
) STRICT;

CREATE INDEX anomaly_by_run ON anomaly (run_id);
`;

/** Comparisons of commits. */
export const commitResult = `
-- A comparison of two commits, which a history draws. Its name is the same wherever it lies.
CREATE TABLE commit_result (
  name TEXT PRIMARY KEY CHECK (name <> ''),
  document TEXT NOT NULL CHECK (json_type(document) = 'object')
) STRICT, WITHOUT ROWID;
`;

/** The plan of a run: targets, benchmarks as they were declared, and the cells of both. */
export const plan = `
CREATE TABLE target (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  device TEXT NOT NULL,
  device_name TEXT NOT NULL,
  product TEXT NOT NULL,
  driver TEXT NOT NULL,
  device_executable TEXT,
  headless INTEGER NOT NULL CHECK (headless IN (0, 1)),
  flags TEXT NOT NULL CHECK (json_type(flags) = 'array'),
  preferences TEXT NOT NULL CHECK (json_type(preferences) = 'object'),
  environment TEXT NOT NULL CHECK (json_type(environment) = 'object'),
  automatic INTEGER NOT NULL CHECK (automatic IN (0, 1)),
  status TEXT NOT NULL CHECK (status IN ('found', 'missing')),
  browser_name TEXT,
  browser_version TEXT,
  executable TEXT,
  server TEXT,
  reason TEXT,
  remedy TEXT,
  cores INTEGER CHECK (cores >= 1),
  device_version TEXT,
  phone TEXT CHECK (json_type(phone) = 'object'),
  device_server TEXT,
  passed_over TEXT CHECK (passed_over IS NULL OR (status = 'found'
    AND json_type(passed_over) = 'array' AND json_array_length(passed_over) > 0)),
  emulation TEXT CHECK (json_type(emulation) = 'object'),
  remote TEXT CHECK (json_type(remote) = 'object'),
  node TEXT CHECK (json_type(node) = 'object'),
  family TEXT CHECK (family IN ('chromium-based', 'firefox-based', 'webkit-based')),
  UNIQUE (run_id, device),
  UNIQUE (run_id, id),
  -- A device that was found has a browser; one that is missing has a reason instead.
  CHECK ((status = 'found') = (browser_name IS NOT NULL AND browser_version IS NOT NULL AND executable IS NOT NULL)),
  CHECK ((status = 'missing') = (reason IS NOT NULL AND remedy IS NOT NULL)),
  CHECK (status = 'found' OR (browser_name IS NULL AND browser_version IS NULL AND executable IS NULL AND server IS NULL)),
  CHECK (status = 'missing' OR (reason IS NULL AND remedy IS NULL))
) STRICT;

CREATE TABLE capability (
  target_id INTEGER NOT NULL REFERENCES target (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  supported INTEGER NOT NULL CHECK (supported IN (0, 1)),
  because TEXT,
  PRIMARY KEY (target_id, position)
) STRICT, WITHOUT ROWID;

-- A benchmark whose first metric should equal one of its parameters says which, and in what unit.
CREATE TABLE benchmark (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  page TEXT NOT NULL,
  growth_over TEXT,
  growth_by TEXT,
  truth_parameter TEXT,
  truth_unit TEXT CHECK ((truth_parameter IS NULL) = (truth_unit IS NULL)),
  growth_theory TEXT CHECK (growth_theory IS NULL
    OR (growth_over IS NOT NULL AND json_type(growth_theory) = 'object')),
  crossover TEXT CHECK (crossover IS NULL OR json_type(crossover) = 'object'),
  UNIQUE (run_id, name),
  UNIQUE (run_id, id),
  CHECK ((growth_over IS NULL) = (growth_by IS NULL))
) STRICT;

CREATE TABLE parameter (
  benchmark_id INTEGER NOT NULL REFERENCES benchmark (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('choice', 'integer')),
  choices TEXT CHECK (json_type(choices) = 'array'),
  minimum INTEGER,
  maximum INTEGER,
  default_value TEXT NOT NULL CHECK (json_valid(default_value)),
  PRIMARY KEY (benchmark_id, position),
  CHECK ((kind = 'choice') = (choices IS NOT NULL)),
  CHECK ((kind = 'integer') = (minimum IS NOT NULL)),
  CHECK ((minimum IS NULL) = (maximum IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE metric (
  id INTEGER PRIMARY KEY,
  benchmark_id INTEGER NOT NULL REFERENCES benchmark (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  title TEXT NOT NULL,
  unit TEXT NOT NULL,
  direction TEXT NOT NULL CHECK (direction IN ('lower', 'higher')),
  UNIQUE (benchmark_id, name)
) STRICT;

CREATE TABLE "case" (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL,
  benchmark_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  parameters TEXT NOT NULL CHECK (json_type(parameters) = 'object'),
  -- Not the name, in which the text 1 and the number 1 look the same.
  UNIQUE (benchmark_id, parameters),
  UNIQUE (run_id, id),
  FOREIGN KEY (run_id, benchmark_id) REFERENCES benchmark (run_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX case_by_name ON "case" (name);
CREATE INDEX case_by_benchmark ON "case" (run_id, benchmark_id);

CREATE TABLE cell (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
  block INTEGER NOT NULL CHECK (block >= 0),
  case_id INTEGER NOT NULL,
  target_id INTEGER NOT NULL,
  session_key TEXT NOT NULL,
  repeats INTEGER CHECK (repeats < ordinal),
  UNIQUE (run_id, ordinal),
  -- With the run, so that a cell cannot mix one run's case with another's target.
  FOREIGN KEY (run_id, case_id) REFERENCES "case" (run_id, id),
  FOREIGN KEY (run_id, target_id) REFERENCES target (run_id, id)
) STRICT;

CREATE INDEX cell_by_case ON cell (run_id, case_id, target_id);
CREATE INDEX cell_by_target ON cell (run_id, target_id);

-- A quarantined trial is done once more, in a cell of its own: one repeat at most, and of its like.
CREATE UNIQUE INDEX cell_by_repeated ON cell (run_id, repeats) WHERE repeats IS NOT NULL;

CREATE TRIGGER cell_repeats_its_like BEFORE INSERT ON cell
WHEN NEW.repeats IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM cell
  WHERE run_id = NEW.run_id AND ordinal = NEW.repeats AND repeats IS NULL
    AND block = NEW.block AND case_id = NEW.case_id AND target_id = NEW.target_id
)
BEGIN SELECT RAISE(ABORT, 'a cell repeats a planned one of its case, target and block'); END;
`;

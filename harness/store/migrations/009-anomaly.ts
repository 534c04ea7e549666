/** Findings of ours that were saved to be looked at again. An anomaly outlives the run that it was found in. */
export const anomaly = `
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

/**
 * What going on with a run needs beside its plan, and which run it is, wherever its rows lie. Runs
 * from before get an identity that every copy of their file computes alike; of two that began in the
 * same millisecond with one seed the later one is told apart by its number.
 */
export const setting = `
CREATE TABLE run_setting (
  run_id INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
  farm TEXT NOT NULL,
  document TEXT NOT NULL CHECK (json_type(document) = 'object')
) STRICT;

ALTER TABLE target ADD COLUMN device_version TEXT;

ALTER TABLE run ADD COLUMN identity TEXT CHECK (identity <> '');
UPDATE run SET identity = started_at || '/' || seed || '/' ||
  (SELECT hostname FROM machine WHERE machine.id = run.machine_id) ||
  CASE WHEN EXISTS (
    SELECT 1 FROM run AS other
    WHERE other.started_at = run.started_at AND other.seed = run.seed
      AND other.machine_id = run.machine_id AND other.id < run.id
  ) THEN '/' || id ELSE '' END;
CREATE UNIQUE INDEX run_by_identity ON run (identity);
`;

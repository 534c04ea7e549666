/**
 * What the history reads of a run that has finished, made once: a report over a quarter of a year else
 * reads a quarter of a million trials anew.
 */
export const runHistory = `
CREATE TABLE run_history (
  run_id INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
  medians TEXT NOT NULL CHECK (json_valid(medians))
) STRICT;
`;

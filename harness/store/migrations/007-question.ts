/**
 * What a run was made to answer, kept with it so that its verdict can be made again; and targets
 * that are pinned to some of the machine's cores.
 */
export const question = `
CREATE TABLE question (
  run_id INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  document TEXT NOT NULL CHECK (json_type(document) = 'object')
) STRICT;

CREATE INDEX question_by_name ON question (name, run_id);

ALTER TABLE target ADD COLUMN cores INTEGER CHECK (cores >= 1);
`;

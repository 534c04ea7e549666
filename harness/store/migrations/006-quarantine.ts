/**
 * Completed trials may be quarantined, and are then done once more. `result` says so in a column of
 * its own, because who asks for medians must be able to leave such trials out.
 */
export const quarantine = `
ALTER TABLE trial ADD COLUMN quarantine TEXT
  CHECK (quarantine IS NULL OR (outcome = 'completed'
    AND json_type(quarantine) = 'array' AND json_array_length(quarantine) > 0));

ALTER TABLE cell ADD COLUMN repeats INTEGER CHECK (repeats < ordinal);

-- One repeat at most.
CREATE UNIQUE INDEX cell_by_repeated ON cell (run_id, repeats) WHERE repeats IS NOT NULL;

CREATE TRIGGER cell_repeats_its_like BEFORE INSERT ON cell
WHEN NEW.repeats IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM cell
  WHERE run_id = NEW.run_id AND ordinal = NEW.repeats AND repeats IS NULL
    AND block = NEW.block AND case_id = NEW.case_id AND target_id = NEW.target_id
)
BEGIN SELECT RAISE(ABORT, 'a cell repeats a planned one of its case, target and block'); END;

ALTER TABLE environment_reading ADD COLUMN throttle_events INTEGER CHECK (throttle_events >= 0);

DROP VIEW result;
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
  metric.unit,
  metric.direction,
  trial.steadiness,
  trial.granule_us,
  trial.isolated,
  trial.repeats,
  trial.started_at,
  trial.id AS trial,
  (SELECT group_concat(value, '; ') FROM json_each(trial.quarantine)) AS quarantine
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

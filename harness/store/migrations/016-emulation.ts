/**
 * Devices that are none. `result` says so in a column of its own, because numbers of an emulated
 * phone and of a real one are never put together.
 */
export const emulation = `
ALTER TABLE target ADD COLUMN emulation TEXT CHECK (json_type(emulation) = 'object');

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

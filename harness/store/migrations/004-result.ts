/**
 * The view for people with plain SQL. The median of an even number of samples is the mean of the
 * two in the middle; integer division picks them: of n = 4, ranks 2 and 3; of n = 5, rank 3 twice.
 */
export const result = `
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
  trial.id AS trial
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

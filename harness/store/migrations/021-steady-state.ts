/**
 * What the search for steady state finds: four classes of a trial's series, the series' segments, and
 * the value of a trial, which is a mean over its window since then and was the median before. The text
 * of the table is changed as in 011, which leaves every stored row as it is.
 */
export const steadyState = `
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
  SET sql = replace(sql, '''first run'')', '''first run'', ''flat'', ''warm-up'', ''slowdown'')')
  WHERE type = 'table' AND name = 'trial';
PRAGMA writable_schema = RESET;

ALTER TABLE trial ADD COLUMN steady_state TEXT CHECK (json_type(steady_state) = 'object');
ALTER TABLE trial_metric ADD COLUMN value REAL;
UPDATE trial_metric SET value = median;

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
  trial_metric.value,
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

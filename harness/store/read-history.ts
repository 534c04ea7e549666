import type { Metric } from '../model/case.ts';
import type { Target } from '../model/device.ts';
import type { HistoryOrder, NightValue } from '../model/night.ts';
import type { Connection } from './connection.ts';
import { selectTargets } from './read-plan.ts';
import { selectRuns } from './read-run.ts';
import { groupRows } from './rows.ts';

/** Of one trial, by one metric. */
interface TrialRow {
  readonly run_id: number;
  readonly target_id: number;
  readonly case_id: number;
  readonly metric_id: number;
  /** Null where the trial did not ask. */
  readonly browser_name: string | null;
  readonly browser_version: string | null;
  readonly isolated: number;
  /** Null where it timed nothing. */
  readonly median: number | null;
}

interface MetricRow extends Metric {
  readonly metric_id: number;
  readonly benchmark: string;
  readonly benchmark_version: number;
}

/**
 * The runs that a history is made of. Every join below follows a key or an index from them, so that
 * it costs what they hold and not what the database holds.
 */
const nights = `
  SELECT id FROM run
  WHERE suite = ?1 AND id <= ?2 AND (status = 'finished' OR id = ?2)
  ORDER BY id DESC LIMIT ?3`;

const ofTrial = `sample.trial_id = trial_metric.trial_id
  AND sample.metric_id = trial_metric.metric_id AND sample.phase = 'timed'`;

/** Trials with more samples than this are few: iterations are bounded by every suite. */
const usualSamples = 64;

/**
 * Median of a trial's timed samples, as in the view `result`: the mean of the two in the middle. A limit
 * cannot depend on a row, so there is one query for each usual number of samples; windows, which serve any
 * number, take five times as long. Iterations are numbered from 0 without a gap.
 */
const medianOfTrial = `
  CASE (SELECT max(iteration) + 1 FROM sample WHERE ${ofTrial})
    ${Array.from({ length: usualSamples }, (_, index) => whenSamples(index + 1)).join('\n    ')}
    ELSE (
      SELECT avg(value) FROM (
        SELECT value, row_number() OVER (ORDER BY value) AS rank, count(*) OVER () AS n
        FROM sample WHERE ${ofTrial}
      )
      WHERE rank IN ((n + 1) / 2, (n + 2) / 2)
    )
  END`;

function whenSamples(count: number): string {
  const middle = `LIMIT ${String(2 - (count % 2))} OFFSET ${String(Math.floor((count - 1) / 2))}`;
  return `WHEN ${String(count)} THEN (SELECT avg(value) FROM (
      SELECT value FROM sample WHERE ${ofTrial} ORDER BY value ${middle}))`;
}

/** A row for each trial that counts: grouping them here takes longer than reading them. */
export const medians = `
WITH night AS MATERIALIZED (${nights})
SELECT cell.run_id, cell.target_id, cell.case_id, trial_metric.metric_id,
  trial.browser_name, trial.browser_version, trial.isolated, ${medianOfTrial} AS median
FROM night
CROSS JOIN cell ON cell.run_id = night.id
CROSS JOIN trial ON trial.cell_id = cell.id
CROSS JOIN trial_metric ON trial_metric.trial_id = trial.id
WHERE trial.outcome = 'completed' AND trial.quarantine IS NULL`;

/** What every night of a suite measured, the oldest night first. Quarantined trials are left out. */
export async function selectHistory(
  connection: Connection,
  order: HistoryOrder,
): Promise<readonly NightValue[]> {
  const { suite, until, nights: count } = order;
  const rows = await connection.all<TrialRow>(medians, [suite, until, count]);
  const values = valuesOfNights(rows);
  const ids = new Set(values.map(({ run_id }) => run_id));
  const runs = (await selectRuns(connection, 'all')).filter(({ id }) => ids.has(id));
  runs.sort((one, other) => one.startedAt.localeCompare(other.startedAt) || one.id - other.id);
  const caseNames = await selectCaseNames(connection, ids);
  const metrics = await selectMetrics(connection, ids);
  const targets = new Map<number, Target>();
  for (const { id } of runs) {
    for (const [row, target] of await selectTargets(connection, id)) targets.set(row, target);
  }
  const ofRun = groupRows(values, ({ run_id }) => run_id);
  return runs.flatMap((run) =>
    ofRun(run.id).map((row): NightValue => {
      const {
        benchmark,
        benchmark_version: benchmarkVersion,
        ...metric
      } = one(metrics, row.metric_id);
      return {
        run,
        target: launched(one(targets, row.target_id), row),
        ...{ benchmark, benchmarkVersion },
        caseName: one(caseNames, row.case_id),
        metric: {
          id: metric.id,
          title: metric.title,
          unit: metric.unit,
          direction: metric.direction,
        },
        isolated: row.isolated === 1,
        median: row.median,
        trials: row.trials,
      };
    }),
  );
}

/** Of one case, target and metric in one night. */
interface NightRow extends TrialRow {
  readonly median: number;
  readonly trials: number;
}

/** The median over trials of each case, target and metric of a night; in the order of their rows. */
function valuesOfNights(rows: readonly TrialRow[]): readonly NightRow[] {
  const groups = new Map<string, [TrialRow, ...TrialRow[]]>();
  for (const row of rows) {
    if (row.median === null) continue;
    const key = `${String(row.target_id)} ${String(row.case_id)} ${String(row.metric_id)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()]
    .map((trials) => ({
      ...trials[0],
      ...newestBrowser(trials),
      isolated: Math.min(...trials.map(({ isolated }) => isolated)),
      median: middleOf(trials.flatMap(({ median }) => (median === null ? [] : [median]))),
      trials: trials.length,
    }))
    .sort(
      (a, b) => a.target_id - b.target_id || a.case_id - b.case_id || a.metric_id - b.metric_id,
    );
}

/** A trial that could not ask says nothing of the version that others were told. */
function newestBrowser(
  trials: readonly TrialRow[],
): Pick<TrialRow, 'browser_name' | 'browser_version'> {
  const told = trials.filter(({ browser_version: version }) => version !== null);
  const [newest] = told.sort((a, b) => compareTexts(b.browser_version, a.browser_version));
  return {
    browser_name: newest?.browser_name ?? null,
    browser_version: newest?.browser_version ?? null,
  };
}

function compareTexts(one: string | null, other: string | null): number {
  const [a, b] = [one ?? '', other ?? ''];
  return a === b ? 0 : a < b ? -1 : 1;
}

function middleOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.slice(
    Math.floor((sorted.length - 1) / 2),
    Math.floor(sorted.length / 2) + 1,
  );
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

async function selectCaseNames(
  connection: Connection,
  runs: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const rows = await connection.all<{ id: number; name: string }>(
    'SELECT id, name FROM "case" WHERE run_id IN (SELECT value FROM json_each(?1))',
    [JSON.stringify([...runs])],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

async function selectMetrics(
  connection: Connection,
  runs: ReadonlySet<number>,
): Promise<ReadonlyMap<number, MetricRow>> {
  const rows = await connection.all<MetricRow>(
    `SELECT metric.id AS metric_id, metric.name AS id, metric.title, metric.unit, metric.direction,
       benchmark.name AS benchmark, benchmark.version AS benchmark_version
     FROM benchmark JOIN metric ON metric.benchmark_id = benchmark.id
     WHERE benchmark.run_id IN (SELECT value FROM json_each(?1))`,
    [JSON.stringify([...runs])],
  );
  return new Map(rows.map((row) => [row.metric_id, row]));
}

function one<Row>(rows: ReadonlyMap<number, Row>, id: number): Row {
  const row = rows.get(id);
  if (row === undefined) throw new Error(`Row ${String(id)} is named but not there`);
  return row;
}

/** A phone's browser tells its version only when it is launched. */
function launched(
  target: Target,
  {
    browser_name: name,
    browser_version: version,
  }: Pick<TrialRow, 'browser_name' | 'browser_version'>,
): Target {
  if (name === null || version === null) return target;
  return version === target.browser.version ? target : { ...target, browser: { name, version } };
}

import type { CaseRow, Cell, Findings } from '../../core/results/index.ts';
import type { PairVerdict, Verdicts } from '../../core/results/verdicts.ts';
import { medianInterval } from '../../core/analysis/stats/median-interval.ts';
import { defaultAlpha, defaultMargin } from '../../core/analysis/stats/verdict.ts';
import { groupBy } from '../../core/analysis/grouping.ts';
import { findReleased } from '../../core/analysis/series.ts';
import { comparisonSuite, versionsSuite } from '../../core/analysis/run-pairs.ts';
import { withCentres } from '../../core/analysis/table.ts';
import { caseLabels } from '../../core/model/case-label.ts';
import type { CountedRun, RunLook, SeriesTrial, StoredSeries } from '../../core/model/history.ts';
import { isMeasured } from '../../../reports/wording/difference.ts';

/**
 * Describes a run that goes on for the drawings of its report: the values that are stored, and the
 * verdicts that its own farm found when it looked last. Nothing is tested here, so that who watches a run
 * takes no time from it.
 */
export function liveFindings(
  run: Pick<CountedRun, 'name' | 'suite'>,
  series: readonly StoredSeries[],
  look: RunLook | null,
): Findings {
  const isOfVersions = run.suite === versionsSuite;
  const rows = orderRows(run, series);
  const { margin = defaultMargin, alpha = defaultAlpha } = look ?? {};
  const decided = look?.pairs ?? [];
  const pairs = decided.length > 0 || isOfVersions ? decided : pairsSoFar(rows);
  return {
    title: run.name,
    writtenAt: '',
    farmVersion: '',
    runs: [],
    targets: describeTargets(series),
    benchmarks: [],
    rows: withCentres(rows, pairs),
    verdicts: {
      ...(isOfVersions ? baselineVersion(rows) : baselineTarget(rows, pairs)),
      margin,
      alpha,
      smallestBlocks: 0,
      pairs,
      ...(look?.looks !== undefined && pairs === look.pairs && { looks: look.looks }),
      course: null,
    },
    growth: [],
    crossover: [],
    truth: [],
    cpu: [],
    troubles: [],
    quarantined: [],
    cautions: [],
  };
}

/** Makes the rows, the baseline first. */
function orderRows(
  { name, suite }: Pick<CountedRun, 'name' | 'suite'>,
  series: readonly StoredSeries[],
): readonly CaseRow[] {
  // That is the second of two devices,
  if (suite === comparisonSuite) return makeRows(series.toReversed(), false);
  if (suite !== versionsSuite) return makeRows(series, false);
  const rows = makeRows(series, true);
  // and the version that the name of the run begins with; cases are in the order of their trials.
  const isFirst = ({ parameters }: CaseRow): boolean =>
    name.startsWith(`${String(parameters['version'])} vs `);
  return [...rows.filter(isFirst), ...rows.filter((row) => !isFirst(row))];
}

function baselineVersion([row]: readonly CaseRow[]): Pick<
  Verdicts,
  'baselineTargetId' | 'baselineVersion'
> {
  return { baselineTargetId: null, baselineVersion: String(row?.parameters['version'] ?? '') };
}

function baselineTarget(
  [row]: readonly CaseRow[],
  [pair]: readonly PairVerdict[],
): Pick<Verdicts, 'baselineTargetId'> {
  return { baselineTargetId: pair?.b.targetId ?? row?.cells[0]?.targetId ?? null };
}

function describeTargets(series: readonly StoredSeries[]): Findings['targets'] {
  const devices = new Map(series.map((one) => [one.device, one]));
  return [...devices.values()].map(({ device: id, deviceName, driver, browser, version }) => ({
    id,
    name: deviceName,
    status: 'found',
    driver,
    browser: version === null ? null : { name: browser, version },
    notes: [],
  }));
}

function makeRows(series: readonly StoredSeries[], isOfVersions: boolean): readonly CaseRow[] {
  const labels = caseLabels(
    series.map(({ case: name, benchmark, parameters }) => ({ name, benchmark, parameters })),
  );
  const grouped = groupBy(series, (one) => `${one.case}\n${one.metric}`);
  return [...grouped.values()].flatMap((group) => {
    const [first] = group;
    const cells = group.flatMap((one) => makeCell(one, isOfVersions));
    if (first === undefined || cells.length === 0) return [];
    const { case: caseName, benchmark, parameters, metric, unit, direction } = first;
    const label = labels.get(caseName) ?? caseName;
    return [
      { caseName, label, benchmark, parameters, metric, unit, direction, cells, command: '' },
    ];
  });
}

/** Of versions of a page disturbed trials count as in its report. */
function makeCell({ device, trials }: StoredSeries, isOfVersions: boolean): readonly Cell[] {
  const released = isOfVersions
    ? findReleased(trials, (trial) => ({ ...trial, place: trial.block }))
    : new Set<SeriesTrial>();
  const valuesOf = (isExcluded: boolean): readonly number[] =>
    trials
      .filter((trial) => (trial.quarantine.length > 0 && !released.has(trial)) === isExcluded)
      .flatMap(({ value }) => value ?? []);
  const [counted, excluded] = [valuesOf(false), valuesOf(true)];
  const values = counted.length > 0 ? counted : excluded;
  if (values.length === 0) return [];
  const { median: centre, ...interval } = medianInterval(values);
  return [
    {
      kind: 'measured',
      targetId: device,
      centre,
      ...interval,
      trials: values.length,
      values,
      resolution: 0,
      unsteady: [],
      ...(excluded.length > 0 && counted.length > 0 && { quarantined: excluded }),
      ...(counted.length === 0 && { fromQuarantined: true as const }),
    },
  ];
}

/** Ratios to the first browser as they are seen so far, without a test. */
function pairsSoFar(rows: readonly CaseRow[]): readonly PairVerdict[] {
  return rows.flatMap(({ caseName, metric, unit, direction, cells }) => {
    const [first, ...others] = cells.filter(isMeasured);
    if (first === undefined || !(first.centre > 0)) return [];
    return others
      .filter(({ centre }) => centre > 0)
      .map((cell) => ({
        a: { targetId: cell.targetId, caseName },
        b: { targetId: first.targetId, caseName },
        metric,
        unit,
        direction,
        verdict: 'undecided' as const,
        ratio: cell.centre / first.centre,
        low: null,
        high: null,
        blocks: Math.min(cell.trials, first.trials),
        significant: false,
        relevant: false,
        discovery: false,
        because: null,
        moreBlocks: null,
      }));
  });
}

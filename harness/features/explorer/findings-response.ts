import type { Findings, Trouble } from '../../results/index.ts';
import { cellWords, growthWords, pairWords } from '../../../reports/wording/findings.ts';
import {
  isMeasured,
  placedPairs,
  verdictOf,
  type PlacedPair,
} from '../../../reports/wording/difference.ts';
import { describeRun } from '../../analysis/findings.ts';
import type { RunRecord } from '../../model/run.ts';
import type {
  CellResponse,
  WholeFindings,
  GrowthResponse,
  PairResponse,
  RowResponse,
  TargetResponse,
} from '../../server/api/findings-response.ts';

/** The findings of a run as the API answers them: the report's numbers, and its words for them. */
export function findingsResponse(record: RunRecord, baseline: string | null): WholeFindings {
  const findings = describeRun(record, {
    // Of the page's head, which the API has not.
    writtenAt: '',
    farmVersion: '',
    ...(baseline !== null && { baseline }),
  });
  const { verdicts } = findings;
  return {
    run: record.run.id,
    status: record.run.status,
    baseline: verdicts.baselineTargetId,
    margin: verdicts.margin,
    alpha: verdicts.alpha,
    smallestBlocks: verdicts.smallestBlocks,
    targets: findings.targets.map(targetResponse),
    rows: findings.rows.map(rowResponse),
    pairs: placedPairs(findings).map((placed) => pairResponse(placed, findings)),
    growth: findings.growth.map(growthResponse),
    troubles: findings.troubles.map(({ targetId, caseName, ...trouble }: Trouble) => ({
      ...trouble,
      device: targetId,
      case: caseName,
    })),
    cautions: findings.cautions,
  };
}

function targetResponse(target: Findings['targets'][number]): TargetResponse {
  const { id, name, status, reason = null, remedy = null } = target;
  return { device: id, deviceName: name, status, reason, remedy };
}

function rowResponse(row: Findings['rows'][number]): RowResponse {
  const { caseName, benchmark, parameters, metric, unit, direction, command, cells } = row;
  return {
    case: caseName,
    benchmark,
    parameters,
    metric,
    unit,
    direction,
    command,
    cells: cells.map((cell) => cellResponse(cell, unit)),
  };
}

function cellResponse(cell: Findings['rows'][number]['cells'][number], unit: string): CellResponse {
  if (!isMeasured(cell)) return { device: cell.targetId, measured: null, why: cell.why };
  const { targetId, centre, low, high, confidence, trials, quarantined = [] } = cell;
  const { resolution, values } = cell;
  return {
    device: targetId,
    measured: {
      centre,
      low,
      high,
      confidence,
      trials,
      resolution,
      values,
      quarantined: quarantined.length,
      words: cellWords(cell, unit),
    },
    why: null,
  };
}

function pairResponse(placed: PlacedPair, { verdicts }: Findings): PairResponse {
  const { pair } = placed;
  const { a, b, mean } = pair;
  return {
    case: a.caseName,
    device: a.targetId,
    baselineCase: b.caseName,
    baselineDevice: b.targetId,
    ...pair,
    verdict: verdictOf(pair),
    mean: mean === undefined ? null : { ...mean, high: finiteOrNull(mean.high) },
    words: pairWords(placed, verdicts),
  };
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function growthResponse(chart: Findings['growth'][number]): GrowthResponse {
  const { benchmark, title, metric, over, by, fixed, fits, theory } = chart;
  return {
    benchmark,
    title,
    metricTitle: metric,
    over,
    by,
    fixed,
    theory,
    fits: fits.map(({ targetId, ...fit }) => ({
      device: targetId,
      ...fit,
      words: growthWords({ targetId, ...fit }),
    })),
  };
}

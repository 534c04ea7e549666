import type { Findings, PairVerdict, Trouble } from '../../reports/findings.ts';
import { cellWords, growthWords, pairWords } from '../../reports/findings-words.ts';
import {
  isMeasured,
  placedPairs,
  verdictOf,
  type PlacedPair,
} from '../../reports/sections/difference.ts';
import { describeRun } from '../analysis/findings.ts';
import type { RunRecord } from '../model/run.ts';
import type {
  ToldCell,
  ToldFindings,
  ToldGrowth,
  ToldPair,
  ToldRow,
  ToldTarget,
} from '../server/api/told.ts';

/** The findings of a run as the API tells them: the report's numbers, and its words for them. */
export function tellFindings(record: RunRecord, baseline: string | null): ToldFindings {
  const findings = describeRun(record, {
    // Of the page's head, which the API has not.
    ...{ writtenAt: '', farmVersion: '' },
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
    targets: findings.targets.map(toldTarget),
    rows: findings.rows.map(toldRow),
    pairs: placedPairs(findings).map((placed) => toldPair(placed, findings)),
    growth: findings.growth.map(toldGrowth),
    troubles: findings.troubles.map(({ targetId, caseName, ...trouble }: Trouble) => ({
      ...{ ...trouble, device: targetId, case: caseName },
    })),
    cautions: findings.cautions,
  };
}

function toldTarget(target: Findings['targets'][number]): ToldTarget {
  const { id, name, status, reason = null, remedy = null } = target;
  return { device: id, deviceName: name, status, reason, remedy };
}

function toldRow(row: Findings['rows'][number]): ToldRow {
  const { caseName, benchmark, parameters, metric, unit, direction, command, cells } = row;
  return {
    case: caseName,
    ...{ benchmark, parameters, metric, unit, direction, command },
    cells: cells.map((cell) => toldCell(cell, unit)),
  };
}

function toldCell(cell: Findings['rows'][number]['cells'][number], unit: string): ToldCell {
  if (!isMeasured(cell)) return { device: cell.targetId, measured: null, why: cell.why };
  const { targetId, median, low, high, confidence, trials, quarantined = [] } = cell;
  const { resolution, values } = cell;
  return {
    device: targetId,
    measured: {
      ...{ median, low, high, confidence, trials, resolution, values },
      quarantined: quarantined.length,
      words: cellWords(cell, unit),
    },
    why: null,
  };
}

function toldPair(placed: PlacedPair, { verdicts }: Findings): ToldPair {
  const { a, b, metric, unit, direction, ...rest }: PairVerdict = placed.pair;
  const { ratio, low, high, blocks, significant, relevant, because, moreBlocks } = rest;
  return {
    ...{ case: a.caseName, device: a.targetId },
    ...{ baselineCase: b.caseName, baselineDevice: b.targetId },
    ...{ metric, unit, direction },
    verdict: verdictOf(placed.pair),
    ...{ ratio, low, high, blocks, significant, relevant, because, moreBlocks },
    words: pairWords(placed, verdicts),
  };
}

function toldGrowth(chart: Findings['growth'][number]): ToldGrowth {
  const { benchmark, title, metric, over, by, fixed, fits, theory } = chart;
  return {
    ...{ benchmark, title, metricTitle: metric, over, by, fixed, theory },
    fits: fits.map(({ targetId, ...fit }) => ({
      ...{ device: targetId, ...fit, words: growthWords({ targetId, ...fit }) },
    })),
  };
}

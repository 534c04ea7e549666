import { cellWords, growthWords, pairWords } from '../../../reports/wording/findings.ts';
import { isMeasured, placedPairs, findVerdict } from '../../../reports/wording/difference.ts';
import { describeRun } from '../../core/analysis/findings.ts';
import type { RunRecord } from '../../core/model/run.ts';
import type { PairVerdict } from '../../core/results/verdicts.ts';
import type { FoundPair, WholeFindings } from '../../core/server/api/findings-response.ts';

/** The findings of a run as the API answers them: the report's numbers, with its words. */
export function findingsResponse(record: RunRecord, baseline: string | null): WholeFindings {
  const findings = describeRun(record, {
    // Of the page's head, which the API has not.
    writtenAt: '',
    farmVersion: '',
    ...(baseline !== null && { baseline }),
  });
  const { verdicts, targets, rows, growth, troubles, cautions } = findings;
  const { margin, alpha, smallestBlocks } = verdicts;
  return {
    run: record.run.id,
    status: record.run.status,
    baseline: verdicts.baselineTargetId,
    margin,
    alpha,
    smallestBlocks,
    targets,
    rows: rows.map((row) => ({
      ...row,
      cells: row.cells.map((cell) =>
        isMeasured(cell) ? { ...cell, words: cellWords(cell, row.unit) } : cell,
      ),
    })),
    pairs: placedPairs(findings).map((placed) => ({
      ...placed.pair,
      verdict: findVerdict(placed.pair),
      mean: meanOf(placed.pair),
      words: pairWords(placed, verdicts),
    })),
    growth: growth.map((chart) => ({
      ...chart,
      fits: chart.fits.map((fit) => ({ ...fit, words: growthWords(fit) })),
    })),
    troubles,
    cautions,
  };
}

/** JSON has no infinity: a mean without a bound has a null. */
function meanOf({ mean }: PairVerdict): FoundPair['mean'] {
  if (mean === undefined) return null;
  return { ...mean, high: Number.isFinite(mean.high) ? mean.high : null };
}

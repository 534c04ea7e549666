import type { Findings } from '../../harness/results/index.ts';
import { formatCount, isTime, plural } from '../html/number.ts';
import { changeInShort } from './change.ts';
import {
  decidedDifferences,
  tellingRows,
  isMeasured,
  type PlacedPair,
  placedPairs,
  findVerdict,
} from './difference.ts';
import { askedAndAnswered } from './evidence.ts';
import type { Legend } from './legend.ts';

/**
 * What a run found, in one plain sentence: the answer to its question, or the surest of its large
 * differences, and how many there are; what invalidates all of it comes first. Null where nothing was
 * compared.
 */
export function headline(findings: Findings, legend: Legend): string | null {
  const cells = findings.rows.flatMap((row) => row.cells.filter(isMeasured));
  if (cells.length > 0 && cells.every(({ fromQuarantined }) => fromQuarantined === true)) {
    return findings.besideOthers === undefined
      ? 'The machine was too busy: nothing counts'
      : 'The machine was too busy: only CPU time counts';
  }
  const loss = cells.length === 0 ? nothingMeasured(findings) : null;
  if (loss !== null) return loss;
  const { asked } = findings;
  if (asked !== undefined) return askedAndAnswered(asked);
  const pairs = tellingPairs(findings, placedPairs(findings));
  const differences = decidedDifferences(pairs);
  const [first] = differences;
  if (first !== undefined) {
    const told = differenceInShort(first, findings, legend);
    return pairs.length === 1 ? told : `${told}; ${tally(differences, pairs, 'differ')}`;
  }
  const same = pairs.filter(({ pair }) => findVerdict(pair) === 'equivalent');
  if (same.length > 0) {
    return pairs.length === 1
      ? 'No difference'
      : `No difference is shown; ${tally(same, pairs, 'are the same')}`;
  }
  return pairs.length > 0 ? 'Nothing is decided yet' : null;
}

function nothingMeasured({ runs }: Findings): string | null {
  const sum = (kind: 'completed' | 'failed' | 'timedOut'): number =>
    runs.reduce((count, { cells }) => count + cells[kind], 0);
  const [failed, timedOut] = [sum('failed'), sum('timedOut')];
  if (sum('completed') > 0) return null;
  if (failed + timedOut === 0) {
    const interrupted = runs.some(({ status }) => status === 'interrupted');
    return interrupted ? 'Nothing was measured: the run was interrupted' : null;
  }
  const ends = [failed > 0 ? 'failed' : '', timedOut > 0 ? 'timed out' : ''].filter(Boolean);
  return `Nothing was measured: ${plural(failed + timedOut, 'trial')} ${ends.join(' or ')}`;
}

function tally(some: readonly unknown[], all: readonly unknown[], verb: string): string {
  return `${formatCount(some.length)} of ${plural(all.length, 'comparison')} ${verb}`;
}

/** "Firefox is 12× slower in asyncFib(14)"; of versions "load of new is 9 % faster in Chromium". */
function differenceInShort({ pair, row }: PlacedPair, findings: Findings, legend: Legend): string {
  const words = changeInShort({
    verdict: findVerdict(pair),
    ratio: pair.ratio,
    isTime: isTime(pair.unit),
  });
  const target = legend(pair.a.targetId).label;
  const where = row.label;
  if (findings.verdicts.baselineVersion !== undefined) {
    return `${row.metric} of ${where} is ${words} in ${target}`;
  }
  const isUsual = isTime(pair.unit) && row.metric === 'duration';
  return isUsual
    ? `${target} is ${words} in ${where}`
    : `${target} is ${words} in ${where} (${row.metric})`;
}

/** Pairs of the rows that tell what happened. */
export function tellingPairs(
  findings: Findings,
  pairs: readonly PlacedPair[],
): readonly PlacedPair[] {
  const telling = new Set(tellingRows(findings));
  return pairs.filter(({ row }) => telling.has(row));
}

import type { Findings } from '../../harness/core/results/index.ts';
import { formatCount, isTime, plural } from '../html/number.ts';
import {
  decidedDifferences,
  differenceWords,
  tellingRows,
  isMeasured,
  type PlacedPair,
  placedPairs,
  seenSoFar,
  findVerdict,
} from './difference.ts';
import { askedAndAnswered } from './evidence.ts';
import type { Legend } from './legend.ts';

/**
 * The finding of a run in one plain sentence: the answer to its question, or the surest of its large
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
  return comparisonsInShort(findings, legend);
}

function comparisonsInShort(findings: Findings, legend: Legend): string | null {
  const pairs = tellingPairs(findings, placedPairs(findings));
  if (findings.verdicts.baselineVersion !== undefined) return versionsHeadline(pairs, legend);
  const differences = decidedDifferences(pairs);
  const [first] = differences;
  if (first !== undefined) {
    const told = differenceInShort(first, legend);
    return pairs.length === 1 ? told : `${told}; ${tally(differences, pairs, 'differ')}`;
  }
  const same = pairs.filter(({ pair }) => findVerdict(pair) === 'equivalent');
  if (same.length > 0) {
    return pairs.length === 1
      ? 'No difference'
      : `No difference is shown; ${tally(same, pairs, 'are the same')}`;
  }
  const seen = farthest(pairs);
  return seen === undefined
    ? null
    : `Nothing is decided yet; ${nameTarget(seen, legend)} so far: ${seenSoFar(seen.pair)} in ${seen.row.label}`;
}

/**
 * "new.html is 13 % slower in Chromium; not decided in Firefox (≈ 20 % slower so far)": of several
 * versions or measures the one with the surest difference, and how many comparisons differ.
 */
function versionsHeadline(pairs: readonly PlacedPair[], legend: Legend): string | null {
  const differences = decidedDifferences(pairs);
  const same = pairs.filter(({ pair }) => findVerdict(pair) === 'equivalent');
  const first = differences[0] ?? farthest(pairs);
  if (first === undefined) return null;
  const ours = pairs.filter(
    ({ row }) => row.caseName === first.row.caseName && row.metric === first.row.metric,
  );
  const measures = new Set(pairs.map(({ row }) => row.metric)).size;
  const name = nameVersion(first.row);
  const label = measures > 1 ? `${first.row.metric} of ${name}` : name;
  if (differences.length + same.length === 0) {
    const seen = ours.map((one) => `${seenSoFar(one.pair)} in ${nameTarget(one, legend)}`);
    return `Nothing is decided yet; ${label} so far: ${seen.join(', ')}`;
  }
  if (ours.length === pairs.length) return browsersInShort(ours, label, legend);
  return differences.length > 0
    ? `${browsersInShort(ours, label, legend)}; ${tally(differences, pairs, 'differ')}`
    : `No difference is shown; ${tally(same, pairs, 'are the same')}`;
}

/** The version, with its page where there are several. */
function nameVersion({ label, parameters: { page, version } }: PlacedPair['row']): string {
  return page === undefined ? label : `${String(page)} of ${String(version)}`;
}

/** The pair whose ratio is farthest from 1. */
function farthest(pairs: readonly PlacedPair[]): PlacedPair | undefined {
  const distance = ({ pair }: PlacedPair): number => Math.abs(Math.log(pair.ratio));
  return pairs.toSorted((one, other) => distance(other) - distance(one))[0];
}

function nameTarget({ pair }: PlacedPair, legend: Legend): string {
  return legend(pair.a.targetId).label;
}

/** The outcome of one version in each browser; browsers with the same words share them. */
function browsersInShort(pairs: readonly PlacedPair[], label: string, legend: Legend): string {
  const isOpen = ({ pair }: PlacedPair): boolean => findVerdict(pair) === 'undecided';
  const decided = new Map<string, string[]>();
  for (const one of pairs.filter((each) => !isOpen(each))) {
    const words = differenceWords(one.pair).replace(/^same$/, 'the same');
    decided.set(words, [...(decided.get(words) ?? []), nameTarget(one, legend)]);
  }
  const open = pairs
    .filter(isOpen)
    .map((one) => `${nameTarget(one, legend)} (${seenSoFar(one.pair)} so far)`);
  const clauses = [...decided].map(([words, names]) => `${words} in ${listed(names)}`);
  if (open.length > 0) clauses.push(`not decided in ${listed(open)}`);
  return `${label} is ${clauses.join('; ')}`;
}

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
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

/** "Firefox is 12× slower in asyncFib(14)". */
function differenceInShort({ pair, row }: PlacedPair, legend: Legend): string {
  const words = differenceWords(pair);
  const target = legend(pair.a.targetId).label;
  const isUsual = isTime(pair.unit) && row.metric === 'duration';
  return isUsual
    ? `${target} is ${words} in ${row.label}`
    : `${target} is ${words} in ${row.label} (${row.metric})`;
}

/** Pairs of the rows that tell what happened. */
export function tellingPairs(
  findings: Findings,
  pairs: readonly PlacedPair[],
): readonly PlacedPair[] {
  const telling = new Set(tellingRows(findings));
  return pairs.filter(({ row }) => telling.has(row));
}

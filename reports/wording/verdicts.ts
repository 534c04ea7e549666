import type { PairVerdict, Verdict, Verdicts } from '../../harness/core/results/verdicts.ts';
import { html, type Content, type Html } from '../html/escape.ts';
import {
  formatCount,
  formatRatioEstimate,
  formatLevel,
  isTime,
  plural,
  ratioStep,
} from '../html/number.ts';
import { blocksInTime, changeInShort, changeInWords } from './change.ts';
import { isDecidable, findVerdict, type PlacedPair, seenSoFar } from './difference.ts';
import { targetName, type Legend } from './legend.ts';

const marks = { faster: '▲', slower: '▼', equivalent: '=', undecided: '?' } as const;

/** A verdict with its size, for a cell of a table: `▼ 6.9× slower`, `= same`. */
function shortOutcome({ pair }: PlacedPair): string {
  const verdict = findVerdict(pair);
  const change = { verdict, ratio: pair.ratio, isTime: isTime(pair.unit) };
  return `${marks[verdict]} ${changeInShort(change)}`;
}

/** The same for a map of cases, where an undecided cell says what was seen so far: `? ≈ 7.6× slower`. */
export function describeOutcome(placed: PlacedPair): string {
  return findVerdict(placed.pair) === 'undecided'
    ? `${marks.undecided}\u00a0${seenSoFar(placed.pair)}`
    : shortOutcome(placed);
}

/** The symbol alone, before a sentence that has the word. */
export function verdictSign(word: Verdict): Html {
  return html`<b class="${word}">${marks[word]}</b>`;
}

/** A verdict as symbol and word. */
export function verdictText(word: Verdict): string {
  return `${marks[word]} ${word}`;
}

/** The same, in its colour. */
export function verdictTag(word: Verdict): Html {
  return html`<b class="${word}">${verdictText(word)}</b>`;
}

/** Explains the four words, with their margin and α. */
export function verdictKey(verdicts: Verdicts): Html {
  const { margin, alpha, smallestBlocks } = verdicts;
  const takes = spansRuns(verdicts)
    ? html`A verdict on two runs takes about ${fewestTrials} trials of each, and is wrong about
      these trials with a probability of at most ${formatLevel(alpha)}`
    : html`A verdict takes ${smallestBlocks} blocks, and all of them together are wrong with a
      probability of at most ${formatLevel(alpha)}`;
  return html`${verdictTag('faster')} or ${verdictTag('slower')}: the interval of the ratio lies
  beyond half of the margin; ${verdictTag('equivalent')}: it lies within the margin of ±
  ${formatLevel(margin)}; ${verdictTag('undecided')}: neither, yet. ${takes}`;
}

/** With fewer on both sides no order of the trials is rare enough: 2 of 70 are 2.9 %, 2 of 20 are 10 %. */
export const fewestTrials = 4;

/** Tells whether sides of two runs are compared, which have no block in common. */
export function spansRuns({ pairs, baselineRun }: Verdicts): boolean {
  return baselineRun !== undefined || pairs.some(({ unpaired }) => unpaired !== undefined);
}

/** Name of the baseline in a sentence. */
export function baselineName(verdicts: Verdicts, legend: Legend): Content {
  const { baselineTargetId, baselineRun, baselineVersion } = verdicts;
  if (baselineRun !== undefined) return `run ${String(baselineRun)}`;
  if (baselineVersion !== undefined) return html`<bdi>${baselineVersion}</bdi>`;
  return baselineTargetId === null ? 'the baseline' : targetName(legend(baselineTargetId));
}

/** The evidence for a verdict: its blocks or trials. */
export function behind({ blocks, unpaired }: PairVerdict): string {
  if (unpaired === undefined) return plural(blocks, 'block');
  const [a, b] = unpaired.trials;
  return `${formatCount(a)} against ${plural(b, 'trial')}`;
}

/** The ratio a / b and its interval, which is null before there are enough blocks. */
export function describeRatio({ pair, a, b }: PlacedPair): {
  ratio: string;
  interval: string | null;
} {
  const { ratio, low, high } = pair;
  // The error that the clocks' steps add to each block's ratio averages out as other noise does.
  const step = ratioStep(a, b) / Math.sqrt(Math.max(1, pair.blocks));
  const known = low !== null && high !== null;
  const shown = formatRatioEstimate({ ratio, low: low ?? ratio, high: high ?? ratio }, step);
  return { ratio: shown.ratio, interval: known ? shown.interval : null };
}

/** Says in a few words why a verdict is missing, and how to get one. */
export function openReason(pair: PairVerdict, { smallestBlocks, blockMs }: Verdicts): string {
  if (findVerdict(pair) !== 'undecided') return '';
  if (pair.verdict !== 'undecided') return `${pair.verdict} alone, but not among all of the table`;
  switch (pair.because) {
    case 'too-few-trials':
      return `${behind(pair)}: too few for a verdict`;
    case 'too-few-blocks':
      // One of several comparisons takes more of them than a lone one.
      return pair.blocks < smallestBlocks
        ? `${formatCount(pair.blocks)} of ${plural(smallestBlocks, 'block')}`
        : `${plural(pair.blocks, 'block')}: too few for one of several verdicts`;
    case 'no-constant-ratio':
      return 'the ratio changed during the run';
    case 'mean-differs':
      return meanInWords(pair);
    case 'mean-too-wide':
      return `the same, but for the mean, which is not known to be: ${blocksOrNone(pair, blockMs)}`;
    case 'too-wide':
    case null:
      if (pair.unpaired !== undefined) return 'neither shown nor ruled out';
      return blocksOrNone(pair, blockMs);
  }
}

function blocksOrNone({ moreBlocks }: PairVerdict, blockMs: number | undefined): string {
  return moreBlocks === null ? 'more blocks would hardly help' : blocksInTime(moreBlocks, blockMs);
}

/** Of sides whose typical sessions are the same, and whose means are not. */
function meanInWords({ mean, unit }: PairVerdict): string {
  if (mean === undefined) return '';
  const change = { ...mean, isTime: isTime(unit), margin: 0, moreMinutes: null };
  const words = changeInWords({ ...change, verdict: mean.ratio > 1 ? 'slower' : 'faster' });
  return `typically the same, and ${words} in the mean: some sessions of one side are slow`;
}

/** Significant and relevant are two things: what a verdict alone does not say. */
export function describeRelevance(pair: PairVerdict): string {
  const word = findVerdict(pair);
  if (word === 'equivalent') return pair.significant ? 'a difference below the margin' : '';
  return word === 'undecided' || pair.relevant ? '' : 'perhaps within the margin';
}

/** Notes next to a ratio in a table: its interval, its evidence, why it is open. */
export function listNotes(placed: PlacedPair, verdicts: Verdicts): readonly string[] {
  const { pair, a } = placed;
  return [
    describeRatio(placed).interval ?? '',
    isDecidable(placed) && pair.blocks !== a.trials ? behind(pair) : '',
    openReason(pair, verdicts),
    describeRelevance(pair),
  ].filter((note) => note !== '');
}

/** `took 3.1× as long as Chromium`, with the ratio and the other's name given. */
export function describeClaim(
  { unit, metric }: Pick<PairVerdict, 'unit' | 'metric'>,
  { ratio, other }: { readonly ratio: string; readonly other: Html },
): Html {
  if (isTime(unit)) return html`took <b>${ratio}</b> as long as ${other}`;
  return html`had <b>${ratio}</b> the ${metric} of ${other}`;
}

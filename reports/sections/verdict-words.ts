import type { PairVerdict, Verdicts } from '../findings.ts';
import { html, type Html } from '../html/escape.ts';
import {
  formatCount,
  formatRatioEstimate,
  formatLevel,
  isTime,
  plural,
  ratioStep,
} from '../html/number.ts';
import { verdictOf, type PlacedPair } from './difference.ts';

const marks = { faster: '▲', slower: '▼', equivalent: '=', undecided: '?' } as const;

/** A verdict as symbol and word. */
export function verdictText(word: PairVerdict['verdict']): string {
  return `${marks[word]} ${word}`;
}

/** The same, in its colour. */
export function verdictTag(word: PairVerdict['verdict']): Html {
  return html`<b class="${word}">${verdictText(word)}</b>`;
}

/** What the four words mean, with the margin and α that they hold for. */
export function verdictKey({ margin, alpha, smallestBlocks }: Verdicts): Html {
  return html`${verdictTag('faster')} or ${verdictTag('slower')}: the interval of the ratio excludes
  1; ${verdictTag('equivalent')}: it lies within the margin of ± ${formatLevel(margin)};
  ${verdictTag('undecided')}: neither, yet. A verdict takes ${smallestBlocks} blocks, and all of
  them together are wrong with a probability of at most ${formatLevel(alpha)}`;
}

/** The ratio a / b and its interval, which is null before there are enough blocks. */
export function ratioOf({ pair, a, b }: PlacedPair): { ratio: string; interval: string | null } {
  const { ratio, low, high } = pair;
  // What the clocks' steps add to each block's ratio averages out as other noise does.
  const step = ratioStep(a, b) / Math.sqrt(pair.blocks);
  const known = low !== null && high !== null;
  const shown = formatRatioEstimate({ ratio, low: low ?? ratio, high: high ?? ratio }, step);
  return { ratio: shown.ratio, interval: known ? shown.interval : null };
}

/** Why there is no verdict, and what would give one, in a few words. */
export function openReason(pair: PairVerdict, { smallestBlocks }: Verdicts): string {
  if (verdictOf(pair) !== 'undecided') return '';
  if (pair.verdict !== 'undecided') return `${pair.verdict} alone, but not among all of the table`;
  switch (pair.because) {
    case 'too-few-blocks':
      return `${formatCount(pair.blocks)} of ${plural(smallestBlocks, 'block')}`;
    case 'no-constant-ratio':
      return 'the ratio changed during the run';
    case 'too-wide':
    case null:
      return pair.moreBlocks === null
        ? 'more blocks would hardly help'
        : `about ${plural(pair.moreBlocks, 'more block')}`;
  }
}

/** Significant and relevant are two things: what a verdict alone does not say. */
export function relevanceOf(pair: PairVerdict): string {
  const word = verdictOf(pair);
  if (word === 'equivalent') return pair.significant ? 'a difference below the margin' : '';
  return word === 'undecided' || pair.relevant ? '' : 'perhaps within the margin';
}

/** `took 3.1× as long as Chromium`, with the ratio and the other's name given. */
export function claimOf(
  { unit, metric }: Pick<PairVerdict, 'unit' | 'metric'>,
  { ratio, other }: { readonly ratio: string; readonly other: Html },
): Html {
  if (isTime(unit)) return html`took <b>${ratio}</b> as long as ${other}`;
  return html`had <b>${ratio}</b> the ${metric} of ${other}`;
}

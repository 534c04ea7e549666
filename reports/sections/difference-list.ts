import type { CaseRow, Findings } from '../../harness/core/results/index.ts';
import type { PairVerdict } from '../../harness/core/results/verdicts.ts';
import { html, join, type Html } from '../html/escape.ts';
import { drawForest, type ForestRow } from '../html/forest.ts';
import { formatCount, formatLevel, formatRatioEstimate, isTime, plural } from '../html/number.ts';
import { changeInWords } from '../wording/change.ts';
import { rowAnchor } from './comparison-table.ts';
import {
  decidedDifferences,
  isDecidable,
  describeLevel,
  placedPairs,
  seenDifferences,
  findVerdict,
  type PlacedPair,
} from '../wording/difference.ts';
import { targetName, type Legend } from '../wording/legend.ts';
import {
  baselineName,
  behind,
  describeClaim,
  fewestTrials,
  describeRatio,
  describeRelevance,
  spansRuns,
  verdictSign,
  verdictTag,
} from '../wording/verdicts.ts';
import { isAnythingKnown, noProof, seenWith } from './why.ts';

/** A list longer than this is not read: it then has the first of them, and the comparison has all. */
const mostDecided = 24;
const firstDecided = 10;
/** The others are folded: a first screen has the largest. */
const firstShown = 5;
const mostSeen = 5;
/** One benchmark at many sizes would otherwise fill a list of what was only seen. */
const mostOfOneBenchmark = 2;

/** How many of them show what was seen with them. */
const mostExplained = 3;

/** The largest differences: by their verdicts where there are blocks enough, else as seen. */
export function differenceList(findings: Findings, legend: Legend): Html {
  const pairs = placedPairs(findings);
  const [first] = pairs;
  if (first === undefined)
    return html`<p>${whyNoDifference(findings)}, so there is no difference to report.</p>
      ${findings.besideOthers !== undefined && byCpuTime(findings.besideOthers)}`;
  const decidable = pairs.filter(isDecidable);
  const differences = {
    decided: shortened(oncePerCase(decidedDifferences(decidable), findings)),
    seen: notable(oncePerCase(seenDifferences(pairs), findings)),
  };
  const explained = [...differences.decided, ...differences.seen].slice(0, mostExplained);
  const told = { findings, legend, explained };
  return html`${decidable.length > 0 && decided(decidable, { ...told, differences: differences.decided })}${decidable.length < pairs.length && seen(pairs, { ...told, differences: differences.seen })}${explained.length > 0 && noProof(explained, findings)}`;
}

function whyNoDifference({ runs, verdicts: { whyNone = [] } }: Findings): string {
  if (whyNone.length > 0) return `No verdict: ${whyNone.join('; ')}`;
  return runs.length > 1
    ? 'No case has trials that count in two of these runs on what is compared'
    : 'No case has trials that count in two browsers or more';
}

/** Compares by CPU time, which is valid on a busy machine. */
function byCpuTime(pair: PairVerdict): Html {
  const { ratio, low, high, blocks } = pair;
  const shown = formatRatioEstimate({ ratio, low: low ?? ratio, high: high ?? ratio }, 0);
  const interval = low === null ? 'without an interval yet' : `(${shown.interval})`;
  return html`<p>
    ${verdictTag(findVerdict(pair))} by CPU time, which leaves out the work of others: a / b =
    <b>${shown.ratio}</b> ${interval}, ${plural(blocks, 'block')}.
  </p>`;
}

interface ShownDifference {
  readonly findings: Findings;
  readonly legend: Legend;
  /** Those that are shown, the largest first. */
  readonly differences: readonly PlacedPair[];
  /** Differences that show what was seen with them. */
  readonly explained: readonly PlacedPair[];
}

function decided(pairs: readonly PlacedPair[], told: ShownDifference): Html {
  const { differences, legend } = told;
  const { verdicts } = told.findings;
  const { margin, alpha } = verdicts;
  const words = ['slower', 'faster', 'equivalent', 'undecided'] as const;
  const tally = words
    .map((word) => ({ word, count: pairs.filter(({ pair }) => findVerdict(pair) === word).length }))
    .filter(({ count }) => count > 0)
    .map(({ word, count }) => html`${formatCount(count)} ${verdictTag(word)}`);
  const holds = spansRuns(verdicts) ? '' : 'for all looks together, and ';
  return html`${differences.length > 0 && html`<h3>Largest differences from ${baselineName(verdicts, legend)}</h3>`}
    ${differences.length > 0 && decidedChart(told)}
    <p>
      Of ${plural(pairs.length, 'comparison')} with ${baselineName(verdicts, legend)}:
      ${join(tally, ', ')}. Margin ± ${formatLevel(margin)}; α = ${formatLevel(alpha)} ${holds}for
      all differences of the table.
    </p>`;
}

/** Decided differences in words, on one shared axis. */
function decidedChart({ differences, legend, ...told }: ShownDifference): Html {
  return drawForest({
    kind: 'ratio',
    unit: '×',
    isCompact: true,
    mostShown: firstShown,
    caption: 'Ratios with their intervals; dashed: no difference.',
    rows: differences.map((one) => {
      const { ratio, low, high } = one.pair;
      return {
        title: decidedSentence(one, legend),
        words: whatItRestsOn(one),
        published: null,
        measured: { value: ratio, low, high },
        href: `#${rowAnchor(one.index)}`,
        ...whyOf(one, told),
      };
    }),
  });
}

function whyOf(
  one: PlacedPair,
  { explained, findings }: Pick<ShownDifference, 'explained' | 'findings'>,
): Pick<ForestRow, 'why'> {
  return explained.includes(one) && isAnythingKnown(one, findings)
    ? { why: seenWith(one, findings) }
    : {};
}

/** Several metrics of a case mostly show one effect; each measure of versions was asked for. */
function oncePerCase(all: readonly PlacedPair[], { verdicts }: Findings): readonly PlacedPair[] {
  if (verdicts.baselineVersion !== undefined) return all;
  const shown = new Set<string>();
  return all.filter(({ row, pair }) => {
    const finding = JSON.stringify([row.caseName, pair.a.targetId, pair.b.targetId]);
    return !shown.has(finding) && shown.add(finding);
  });
}

function shortened(all: readonly PlacedPair[]): readonly PlacedPair[] {
  return all.length > mostDecided ? all.slice(0, firstDecided) : all;
}

function notable(all: readonly PlacedPair[]): readonly PlacedPair[] {
  const counts = new Map<string, number>();
  const chosen = all.filter(({ row }) => {
    const count = counts.get(row.benchmark) ?? 0;
    counts.set(row.benchmark, count + 1);
    return count < mostOfOneBenchmark;
  });
  return chosen.slice(0, mostSeen);
}

/** "▼ Firefox is 12× slower (11 … 14×) in asyncFib(14)". */
function decidedSentence({ pair, row, index }: PlacedPair, legend: Legend): Html {
  const { ratio, low, high } = pair;
  const change = { ratio, low, high, isTime: isTime(pair.unit), margin: 0, moreMinutes: null };
  const words = changeInWords({ ...change, verdict: findVerdict(pair) });
  const [version] = versionNames(pair);
  const target = targetName(legend(pair.a.targetId));
  const who = version === undefined ? target : html`<bdi>${version}</bdi>`;
  const where = version === undefined ? html`<bdi>${row.label}</bdi>` : target;
  return html`${verdictSign(findVerdict(pair))} ${who} is <b>${words}</b> in
    <a href="#${rowAnchor(index)}">${where}</a>${metricNote(row)}`;
}

function whatItRestsOn(one: PlacedPair): string {
  const relevance = describeRelevance(one.pair);
  const [ours, theirs] = [one.a, one.b].map((cell) => describeLevel(cell, one.row.unit).centre);
  return `${ours} against ${theirs}, ${behind(one.pair)}${relevance === '' ? '' : `; ${relevance}`}.`;
}

function claim(placed: PlacedPair, ratio: string, legend: Legend): Html {
  const { pair, row, index } = placed;
  const [ours, theirs] = [placed.a, placed.b].map((cell) => describeLevel(cell, row.unit).centre);
  const target = targetName(legend(pair.a.targetId));
  const [version, first] = versionNames(pair);
  const who = version === undefined ? target : html`<bdi>${version}</bdi>`;
  const other =
    first === undefined ? targetName(legend(pair.b.targetId)) : html`<bdi>${first}</bdi>`;
  const where = version === undefined ? html`<bdi>${row.label}</bdi>` : target;
  return html`${who} ${describeClaim(pair, { ratio, other })} in
    <a href="#${rowAnchor(index)}">${where}</a>${metricNote(row)}: ${ours} against ${theirs}.`;
}

/** Two cases on one target are versions of a page: what their names do not have in common. */
function versionNames({ a, b }: PlacedPair['pair']): readonly [] | readonly [string, string] {
  const prefix = a.caseName.slice(0, a.caseName.indexOf('=') + 1);
  if (a.targetId !== b.targetId || prefix === '' || !b.caseName.startsWith(prefix)) return [];
  return [a.caseName.slice(prefix.length), b.caseName.slice(prefix.length)];
}

/** Names the time where a benchmark has several; the claim names other metrics. */
function metricNote({ metric, unit }: CaseRow): string {
  return isTime(unit) && metric === 'duration' ? '' : ` (${metric})`;
}

function seen(pairs: readonly PlacedPair[], told: ShownDifference): Html {
  const { verdicts } = told.findings;
  const open = pairs.filter((one) => !isDecidable(one));
  const most = open.reduce((blocks, { pair }) => Math.max(blocks, pair.blocks), 0);
  const little = spansRuns(verdicts)
    ? html`: a verdict on two runs takes about ${fewestTrials} trials of each.`
    : most < verdicts.smallestBlocks
      ? html` with ${most} of the ${verdicts.smallestBlocks} blocks that a verdict takes.`
      : html`: ${plural(most, 'block')} are too few among
        ${plural(verdicts.pairs.length, 'comparison')}.`;
  const which = open.length < pairs.length ? `${plural(open.length, 'other comparison')}: ` : '';
  const none = told.differences.length === 0;
  return html`<p>
      ${which}${verdictTag('undecided')}${little}
      ${none ? 'No difference was seen that is larger than the spread of the trials.' : 'What was seen so far is no verdict:'}
    </p>
    ${!none && seenChart(told)}`;
}

/** As the decided ones, but hollow: there is a ratio, and no interval that would say how sure it is. */
function seenChart({ differences, ...told }: ShownDifference): Html {
  return drawForest({
    kind: 'ratio',
    unit: '×',
    caption: 'Hollow: ratios that were only seen, without an interval; dashed: no difference.',
    rows: differences.map((one) => ({
      title: html`Difference seen: ${claim(one, describeRatio(one).ratio, told.legend)}`,
      words: howLittle(one),
      published: null,
      measured: { value: one.pair.ratio, low: null, high: null },
      href: `#${rowAnchor(one.index)}`,
      ...whyOf(one, told),
    })),
  });
}

function howLittle(one: PlacedPair): string {
  const trials = Math.min(one.a.trials, one.b.trials);
  const each = one.a.trials === one.b.trials ? 'each' : 'or more each';
  return trials === 1
    ? 'One trial each: nothing is known of the spread.'
    : `${plural(trials, 'trial')} ${each}, and no trial of the one lies among those of the other; of equal browsers 1 in ${formatCount(equalOnesApart(one))} would look so.`;
}

/**
 * In how many cases two equal targets are apart once: all of m + n trials in one of two orders, of
 * which there are (m + n)! / (m! n!), if trials are independent and each order is as likely.
 */
function equalOnesApart({ a, b }: PlacedPair): number {
  const [few, many] = [Math.min(a.trials, b.trials), Math.max(a.trials, b.trials)];
  const orders = Array.from({ length: few }, (_, i) => (many + i + 1) / (i + 1));
  return Math.floor(orders.reduce((product, factor) => product * factor, 1) / 2 + 1e-9);
}

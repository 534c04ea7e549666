import type { DriverVerdict, TargetFacts } from '../findings.ts';
import { html, type Content, type Html } from '../html/escape.ts';
import { formatCount, formatRatioEstimate, missingMark, plural } from '../html/number.ts';
import { targetName, type Legend } from './legend.ts';
import { verdictTag } from '../wording/verdicts.ts';

/** What the column of `driverBiasCell` is called. */
export const driverBiasTitle = 'Against no automation';

/** Whether a report has anything to say in that column. */
export function hasDriverBias(targets: readonly TargetFacts[]): boolean {
  return targets.some(({ againstOpen }) => againstOpen !== undefined);
}

/** What a target's driver changes: its verdict against the same build that nobody automates. */
export function driverBiasCell({ againstOpen }: TargetFacts, legend: Legend): Content {
  if (againstOpen === undefined) return missingMark;
  const { cases, controlId } = againstOpen;
  const control = html`<br /><small class="soft">than ${targetName(legend(controlId))}</small>`;
  const [only] = cases;
  if (only === undefined) return html`no block in common${control}`;
  return html`${cases.length === 1 ? oneCase(only) : manyCases(cases)}${control}`;
}

function oneCase(verdict: DriverVerdict): Html {
  return html`${verdictTag(verdict.verdict)} ${driverFigures(verdict)}`;
}

/** `1.012× (0.994–1.031×), 12 blocks`: the numbers of one verdict on a driver, as text. */
export function driverFigures({
  ratio,
  low,
  high,
  blocks,
}: Pick<DriverVerdict, 'ratio' | 'low' | 'high' | 'blocks'>): string {
  const known = low !== null && high !== null;
  const shown = formatRatioEstimate({ ratio, low: low ?? ratio, high: high ?? ratio }, 0);
  return `${shown.ratio}${known ? ` (${shown.interval})` : ''}, ${plural(blocks, 'block')}`;
}

const order = ['faster', 'slower', 'equivalent', 'undecided'] as const;

function manyCases(cases: readonly DriverVerdict[]): Html {
  const counts = order
    .map((verdict) => ({ verdict, count: cases.filter((one) => one.verdict === verdict).length }))
    .filter(({ count }) => count > 0);
  return html`${counts.map(
    ({ verdict, count }, index) =>
      html`${index > 0 && ', '}${verdictTag(verdict)} in ${formatCount(count)}`,
  )}
  of ${plural(cases.length, 'case')}`;
}

import type {
  CellFacts,
  DriverVerdict,
  Fact,
  TargetFacts,
} from '../../harness/core/results/index.ts';
import { type Content, html, type Html } from '../html/escape.ts';
import type { Section } from './report.ts';
import { formatCount, formatRatioEstimate, missingMark, plural } from '../html/number.ts';
import { type Row, table } from '../html/table.ts';
import { colouredName, type Legend, targetName } from '../wording/legend.ts';
import { verdictTag } from '../wording/verdicts.ts';

/** The targets, and the missing devices with their remedies. */
export const targetsSection: Section = {
  id: 'targets',
  title: 'Browsers',
  render: ({ findings, legend }) => targetsTable(findings.targets, legend),
};

export function targetsTable(targets: readonly TargetFacts[], legend: Legend): Html {
  const compared = hasDriverBias(targets);
  const bias = compared ? [driverBiasTitle] : [];
  const counted = hasTrials(targets);
  const trials = counted ? [trialsTitle] : [];
  const titles = ['Browser', 'Build', 'Driver', ...trials, ...bias, 'Notes'];
  return targets.length === 0
    ? html`<p>No device is listed.</p>`
    : table({
        id: 'targets-caption',
        caption: 'Browsers of this report',
        hideCaption: true,
        stack: true,
        columns: titles.map((title) => ({ title, label: title })),
        groups: [{ rows: targets.map((target) => rowOf(target, { legend, compared, counted })) }],
      });
}

interface RowOptions {
  readonly legend: Legend;
  /** The report says what drivers change. */
  readonly compared: boolean;
  /** It says how their trials ended. */
  readonly counted: boolean;
}

function rowOf(target: TargetFacts, { legend, compared, counted }: RowOptions): Row {
  const { id, driver, notes } = target;
  const name = html`${colouredName(legend(id))}<br /><small><bdi>${id}</bdi></small>`;
  const bias = compared ? [driverBiasCell(target, legend)] : [];
  return [
    name,
    browser(target),
    driver,
    ...(counted ? [trialsCell(target)] : []),
    ...bias,
    [absence(target), notes.length > 0 && list(notes)],
  ];
}

function browser({ status, browser: known }: TargetFacts): Content {
  const version = known && html`<bdi>${known.name} ${known.version}</bdi>`;
  return status === 'found' ? version : [version, ' ', html`<span class="tag">missing</span>`];
}

function absence({ status, reason, remedy }: TargetFacts): Html | false {
  if (status === 'found') return false;
  return html`${reason ?? 'It was not found; no reason is recorded.'}${remedy !== undefined && html`<br /><span class="soft">What to do:</span> ${remedy}`}`;
}

function list(notes: readonly Fact[]): Html {
  return html`<small
    >${notes.map(
      ({ label, text }, i) =>
        html`${i > 0 && html`<br />`}<span class="soft">${label}:</span> ${text}`,
    )}</small
  >`;
}

/** Title of the column of `trialsCell`. */
const trialsTitle = 'Trials';

/** Tells whether a report needs that column. */
function hasTrials(targets: readonly TargetFacts[]): boolean {
  return targets.some(({ cells }) => cells !== undefined);
}

/** How the trials of a target ended: `12 completed, 1 failed`. Counts of zero are left out. */
function trialsCell({ cells }: TargetFacts): Content {
  if (cells === undefined) return missingMark;
  const said = endingsOf(cells)
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, name]) => `${formatCount(count)} ${name}`);
  return html`${said.join(', ')}`;
}

function endingsOf(cells: CellFacts): readonly (readonly [number, string])[] {
  const { planned, completed, failed, timedOut, skipped } = cells;
  return [
    [completed, 'completed'],
    [failed, 'failed'],
    [timedOut, 'timed out'],
    [skipped, 'skipped'],
    [planned - completed - failed - timedOut - skipped, 'without outcome'],
  ];
}

/** Title of the column of `driverBiasCell`. */
const driverBiasTitle = 'Against no automation';

/** Tells whether a report needs that column. */
function hasDriverBias(targets: readonly TargetFacts[]): boolean {
  return targets.some(({ againstOpen }) => againstOpen !== undefined);
}

/** The effect of a target's driver: its verdict against the same build without automation. */
function driverBiasCell({ againstOpen }: TargetFacts, legend: Legend): Content {
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

import type { CaseRow, NightDifference, NightNumbers } from '../../../core/results/index.ts';
import { html, join, type Html } from '../../../../reports/html/escape.ts';
import {
  formatCount,
  formatEstimate,
  formatLevel,
  formatRatioEstimate,
  plural,
  ratioStep,
} from '../../../../reports/html/number.ts';
import { table, type Row } from '../../../../reports/html/table.ts';
import { rowAnchor } from '../../../../reports/sections/comparison-table.ts';
import { targetName, type Legend } from '../../../../reports/wording/legend.ts';
import { fewestTrials, verdictTag } from '../../../../reports/wording/verdicts.ts';
import { npxCrossfarm } from '../../../core/model/typed-command.ts';

/** Further differences are counted here, and listed by `farm report`. */
const mostShown = 12;

/** Differences from the night before, in numbers, with the limits of comparing two nights. */
export function nightNumbersPart(
  numbers: NightNumbers,
  rows: readonly CaseRow[],
  legend: Legend,
): Html {
  const { run, before, compared, apart, differences } = numbers;
  const command = `${npxCrossfarm} report ${String(before.run)} ${String(run)}`;
  if (compared === 0)
    return html`<p>
      Nothing of this night can be compared with run ${before.run}
      (${before.startedAt.slice(0, 10)}):
      ${apart === 0 ? 'they have no case in a browser in common' : 'what they have in common was measured otherwise (another machine, driver, page or setting)'}.
    </p>`;
  return html`<p>
      ${plural(compared, 'series', 'series')} of this night against run ${before.run}
      (${before.startedAt.slice(0, 10)}):
      ${tallyOf(numbers)}.${apart > 0 && html` ${plural(apart, 'more series', 'more series')} ${apart === 1 ? 'was' : 'were'} measured otherwise then (another machine, driver, page or setting), and not compared.`}
    </p>
    ${differences.length > 0 && differencesTable(numbers, rows, legend)}
    <p>
      <small>${howItWasCompared(numbers)} All of it: <code data-copy>${command}</code></small>
    </p>`;
}

function tallyOf({ tally, tooFew, differences }: NightNumbers): Html {
  const words = ['slower', 'faster', 'equivalent', 'undecided'] as const;
  const counted = words
    .filter((word) => tally[word] > 0)
    .map((word) => html`${formatCount(tally[word])} ${verdictTag(word)}`);
  return html`${join(counted, ', ')}${tooFew > 0 && html` (${formatCount(tooFew)} of them with too few trials: a verdict takes about ${fewestTrials} of each night)`}${differences.length === 0 && html`; no series is known to differ`}`;
}

/** Two nights, unpaired, one look: what that allows to say. */
function howItWasCompared({ margin, alpha }: NightNumbers): string {
  return `Two nights, one look: nothing was measured side by side, so the trials are compared by their ranks; margin ± ${formatLevel(margin)}, α = ${formatLevel(alpha)} for all differences together. What differs here may be the machine as well as a browser, and is no anomaly: those are found by the search of all nights, and decided by measuring again.`;
}

function differencesTable(
  { differences }: NightNumbers,
  rows: readonly CaseRow[],
  legend: Legend,
): Html {
  const titles = [
    'Case',
    'Browser',
    'Verdict',
    'Tonight / before',
    'Before',
    'Tonight',
    'What changed with it',
  ];
  const more = differences.length - mostShown;
  return html`${table({
    id: 'night-numbers',
    caption: 'What differs from the night before, the surest first',
    hideCaption: true,
    stack: true,
    columns: titles.map((title) => ({ title, label: title })),
    groups: [
      {
        rows: differences
          .slice(0, mostShown)
          .map((difference) => differenceRow(difference, rows, legend)),
      },
    ],
  })}
  ${more > 0 && html`<p>${plural(more, 'more series differs', 'more series differ')}.</p>`}`;
}

function differenceRow(difference: NightDifference, rows: readonly CaseRow[], legend: Legend): Row {
  const { targetId, caseName, metric, unit, verdict, relevant, before, now, cause } = difference;
  const { place, resolution } = findRow(difference, rows);
  const level = ({ median }: NightDifference['now']): string =>
    formatEstimate({ median, low: median, high: median }, { unit, resolution }).median;
  const step = ratioStep({ centre: now.median, resolution }, { centre: before.median, resolution });
  const { ratio, interval } = formatRatioEstimate(difference, step);
  const name = html`<bdi>${caseName}</bdi>`;
  return [
    html`${place === null ? name : html`<a href="#${rowAnchor(place)}">${name}</a>`}, ${metric}`,
    targetName(legend(targetId)),
    html`${verdictTag(verdict)}${!relevant && html` <small>perhaps within the margin</small>`}`,
    html`<b>${ratio}</b> <small>${interval}</small>`,
    html`${level(before)} <small>${plural(before.trials, 'trial')}</small>`,
    html`${level(now)} <small>${plural(now.trials, 'trial')}</small>`,
    html`<bdi>${cause}</bdi>`,
  ];
}

/** The row of the comparison below that has it, and the resolution of tonight's clock there. */
function findRow(
  { targetId, caseName, metric }: NightDifference,
  rows: readonly CaseRow[],
): { readonly place: number | null; readonly resolution: number } {
  const place = rows.findIndex((row) => row.caseName === caseName && row.metric === metric);
  const cell = rows[place]?.cells.find((one) => one.targetId === targetId);
  const resolution = cell?.kind === 'measured' ? cell.resolution : 0;
  return { place: place === -1 ? null : place, resolution };
}

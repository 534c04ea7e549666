import type { HistoryFacts, LaneFacts, NightFacts } from '../night-findings.ts';
import { html, type Html } from '../html/escape.ts';
import { formatCount, formatShare, missingMark } from '../html/number.ts';
import { table, type Row } from '../html/table.ts';
import { targetName, type Legend } from './legend.ts';

/** What a night can see, how often it is mistaken, and what it found; false for a run that is no night. */
export function nightSection(night: NightFacts | undefined, legend: Legend): Html | false {
  if (night === undefined) return false;
  const { lane, history } = night;
  return html`<section aria-labelledby="night">
    <h2 id="night">The night</h2>
    ${history !== null && historyPart(history)} ${lane !== null && lanePart(lane, legend)}
  </section> `;
}

function historyPart({ series, anomalies, gone, unconfirmed }: HistoryFacts): Html {
  return html`<p>The history of ${formatCount(series)} series was searched for changes.</p>
    ${list('Confirmed by measuring again', anomalies)} ${list('No longer there', gone)}
    ${list('Seen, and not confirmed', unconfirmed)}`;
}

function list(title: string, entries: readonly string[]): Html | false {
  if (entries.length === 0) return false;
  return html`<h3>${title}</h3>
    <ul>
      ${entries.map((entry) => html`<li>${entry}</li>`)}
    </ul>`;
}

function lanePart(lane: LaneFacts, legend: Legend): Html {
  const name = targetName(legend(lane.targetId));
  return html`<h3>A target against itself</h3>
    <p>
      ${name} took part twice, under two names, and was compared with itself like with any other.
      Whatever is reported of that pair is a false alarm. ${rateSentence(lane)}
    </p>
    ${table({
      id: 'night-lane',
      caption: 'The smallest effect that could have been seen, case by case',
      stack: true,
      columns: [
        { title: 'Case', label: 'Case' },
        { title: 'Metric', label: 'Metric' },
        { title: 'Blocks', label: 'Blocks', kind: 'number' },
        { title: 'Tonight', label: 'Tonight', kind: 'number' },
        { title: 'Usually', label: 'Usually', kind: 'number' },
        { title: 'Nights', label: 'Nights', kind: 'number' },
        { title: 'False alarm', label: 'False alarm' },
      ],
      groups: [{ rows: lane.cases.map(rowOf) }],
    })}`;
}

function rateSentence({ nights, comparisons, alarms, rate }: LaneFacts): string {
  if (rate === null) return 'There were too few blocks to raise one.';
  const over = nights === 1 ? 'this night' : `${formatCount(nights)} nights`;
  return `Over ${over} it was ${formatCount(alarms)} of ${formatCount(comparisons)} comparisons: ${formatShare(rate.rate)}, with 95 % confidence between ${formatShare(rate.low)} and ${formatShare(rate.high)}.`;
}

function rowOf(one: LaneFacts['cases'][number]): Row {
  const share = (value: number | null): string =>
    value === null ? missingMark : formatShare(value);
  return [
    html`<bdi>${one.caseName}</bdi>`,
    one.metric,
    formatCount(one.blocks),
    share(one.smallestVisible),
    share(one.usually),
    formatCount(one.nights),
    one.alarm ? 'yes' : 'no',
  ];
}

import type { Section } from '../../../../reports/sections/report.ts';
import type { Findings } from '../../../core/results/index.ts';
import type {
  AnomalyFacts,
  HistoryFacts,
  LaneFacts,
  LedgerFacts,
  NightDeviceFacts,
  NightFacts,
} from '../../../core/results/nights.ts';
import { html, type Html } from '../../../../reports/html/escape.ts';
import { formatCount, formatShare, missingMark, plural } from '../../../../reports/html/number.ts';
import { table, type Row } from '../../../../reports/html/table.ts';
import { targetName, type Legend } from '../../../../reports/wording/legend.ts';
import { describeTrials } from '../../../../reports/wording/trial-counts.ts';
import { cardStyle, changeCards } from './change-cards.ts';
import { nightNumbersPart } from './night-numbers.ts';

/**
 * Section of a night: what changed, what is suspected, and the ledger: outcomes of cells and devices,
 * the smallest visible effect, the rate of false alarms.
 */
export const nightSection: Section = {
  id: 'night',
  title: 'The night',
  shape: 'open',
  style: cardStyle,
  leads: { kind: 'night', finding: ({ findings: { night } }) => night?.headline ?? null },
  render: ({ findings, legend }) =>
    findings.night !== undefined && nightContent(findings, findings.night, legend),
};

function nightContent(findings: Findings, night: NightFacts, legend: Legend): Html {
  const { rows } = findings;
  const { changes, unfit = [], numbers, ledger, devices, anomalies, lane, history } = night;
  return html`${unfit.length > 0 && html`<div class="cautions">${unfit.map((text) => html`<p>${text}</p>`)}</div>`}
    ${changesPart(changes)}
    ${history !== null && confirmedPart(history, changeCards(findings, 'confirmed', legend))}
    ${cardsPart('Levels that changed', changeCards(findings, 'settled', legend))}
    ${cardsPart('Suspected, and not confirmed yet', changeCards(findings, 'suspect', legend))}
    ${history !== null && list('Seen, and not confirmed', history.unconfirmed)}
    ${numbers !== null && nightNumbersPart(numbers, rows, legend)}
    <h3>Trials</h3>
    ${ledger !== null && ledgerPart(findings, ledger)}
    ${devices.length > 0 && devicesPart(devices, legend)}
    ${anomalies.length > 0 && anomaliesPart(anomalies)} ${lane !== null && lanePart(lane, legend)}`;
}

function cardsPart(title: string, cards: Html | false): Html | false {
  return (
    cards !== false &&
    html`<h3>${title}</h3>
      ${cards}`
  );
}

function changesPart(changes: NightFacts['changes']): Html {
  if (changes === null)
    return html`<p>It is the first night, so there is none to compare it with.</p>`;
  if (changes.length === 0)
    return html`<p>
      Since the night before: no device lost or back, no new anomaly and none gone, and no reason to
      be red that is new.
    </p>`;
  return html`<h3>Since the night before</h3>
    <ul>
      ${changes.map((change) => html`<li>${change}</li>`)}
    </ul>`;
}

/** Every planned trial has exactly one outcome; a night with a missing outcome is red. */
function ledgerPart(findings: Findings, { withoutOutcome }: LedgerFacts): Html {
  const whole = html`<span class="tag good">✓ none is missing</span>`;
  const missing = `✗ ${plural(withoutOutcome, 'planned trial has', 'planned trials have')} no outcome`;
  return html`<p>
    ${describeTrials(findings)}
    ${withoutOutcome === 0 ? whole : html`<span class="tag bad">${missing}</span>`}
  </p>`;
}

function devicesPart(devices: readonly NightDeviceFacts[], legend: Legend): Html {
  return html`<h3>Devices</h3>
    ${table({
      id: 'night-devices',
      caption: 'How the devices of this night did',
      hideCaption: true,
      stack: true,
      columns: ['Device', 'State', 'Build', 'The night before'].map((title) => ({
        title,
        label: title,
      })),
      groups: [{ rows: devices.map((device) => deviceRow(device, legend)) }],
    })}`;
}

function deviceRow(device: NightDeviceFacts, legend: Legend): Row {
  const { targetId, state, build, before, because } = device;
  const changed = build !== null && before !== null && build !== before;
  return [
    targetName(legend(targetId)),
    html`<span class="tag${state === 'found' ? ' good' : ' bad'}">${state}</span
      >${because !== null && html` <small>${because}</small>`}`,
    html`<bdi>${build ?? missingMark}</bdi>${changed && html` <span class="tag">changed</span>`}`,
    html`<bdi>${before ?? missingMark}</bdi>`,
  ];
}

function anomaliesPart(anomalies: readonly AnomalyFacts[]): Html {
  const titles = ['Anomaly', 'What it is', 'State', 'Since', 'Measure it again'];
  return html`<h3>Anomalies</h3>
    ${table({
      id: 'night-anomalies',
      caption: 'Differences that were saved, and what is thought of them',
      hideCaption: true,
      stack: true,
      columns: titles.map((title) => ({ title, label: title })),
      groups: [
        {
          rows: anomalies.map(({ id, sentence, blame, state, reason, since, command }) => [
            id,
            html`<bdi>${sentence}</bdi
              >${blame !== undefined && html` <small><bdi>${blame}</bdi></small>`}`,
            html`${state}${reason !== null && html` <small>${reason}</small>`}`,
            since.slice(0, 10),
            html`<span><code data-copy>${command}</code></span>`,
          ]),
        },
      ],
    })}`;
}

/** @param cards of what was confirmed, tonight or before */
function confirmedPart({ series, anomalies, gone }: HistoryFacts, cards: Html | false): Html {
  const title = 'Confirmed by measuring again';
  return html`${anomalies.length > 0 ? list(title, anomalies) : cardsPart(title, cards)}
    ${anomalies.length > 0 && cards} ${list('No longer there', gone)}
    <p class="soft">The history of ${formatCount(series)} series was searched for changes.</p>`;
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
  return html`<h3>A browser against itself</h3>
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

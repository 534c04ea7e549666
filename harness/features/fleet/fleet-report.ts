import { farmVersion } from '../../core/project.ts';
import { html, type Html } from '../../../reports/html/escape.ts';
import { drawForest, type ForestRow } from '../../../reports/html/forest.ts';
import { formatPercent, plural } from '../../../reports/html/number.ts';
import { frame, page } from '../../../reports/html/page.ts';
import { table } from '../../../reports/html/table.ts';
import type { Decision } from '../../core/analysis/stats/verdict.ts';
import type { BatchAnswer } from './batch-answer.ts';
import type { FleetRow, FleetVerdict } from './fleet-verdict.ts';
import { answerJson, describeNights, describeInterval, describeRow } from './fleet-text.ts';
import { typedWords } from './job-text.ts';
import type { Job } from './jobs.ts';

/** Renders the common answer of several hosts as one HTML file. */
export function renderFleetReport(answer: BatchAnswer, jobs: readonly Job[]): string {
  const [job] = jobs;
  const title = job === undefined ? 'hosts' : typedWords(job);
  const writtenAt = new Date().toISOString();
  const finding = describeFinding(answer);
  return page({
    title: finding,
    body: frame({
      kind: 'hosts',
      title,
      finding,
      writtenAt,
      farmVersion: farmVersion(),
      links: [],
      sections: answerSections(answer),
    }),
    data: { format: 'crossfarm-hosts-1', ...answerJson(answer) },
  });
}

function describeFinding(answer: BatchAnswer): string {
  if (answer.kind === 'nights') return describeNights(answer)[0] ?? '';
  const { rows } = answer.verdict;
  const telling = rows.find(({ verdict, differ }) => differ || /er$/.test(verdict)) ?? rows[0];
  return telling === undefined ? 'No host has measured enough yet' : describeRow(telling);
}

/** The sections of the answer, for this report and for the page of a submission. */
export function answerSections(answer: BatchAnswer): readonly Html[] {
  if (answer.kind === 'nights') {
    return [
      html`<section aria-labelledby="in-short">
        <h2 class="unseen" id="in-short">In short</h2>
        ${describeNights(answer).map((sentence) => html`<p><bdi>${sentence}</bdi></p>`)}
      </section>`,
    ];
  }
  const { verdict } = answer;
  return [
    html`<section aria-labelledby="in-short">
      <h2 class="unseen" id="in-short">In short</h2>
      ${verdict.rows.map((row) => drawRow(row, verdict))}
      ${verdict.rows.length === 0 && html`<p>No host has measured enough blocks yet.</p>`}
    </section>`,
    machineTable(verdict),
  ];
}

function drawRow(row: FleetRow, { alpha, margin, rows }: FleetVerdict): Html {
  const { title, a, b, hosts, pooled, likeThese } = row;
  const lines: readonly ForestRow[] = [
    { ...line('all hosts together', pooled, row.verdict), title: html`<b>all hosts together</b>` },
    ...hosts.map(({ host, decision }) => line(host, decision, decision.verdict)),
    ...(likeThese === null
      ? []
      : [
          {
            title: 'another host like these',
            words: `its mean: ${describeInterval(likeThese)}`,
            published: null,
            measured: { ...likeThese, value: likeThese.ratio },
          },
        ]),
  ];
  const confidence = formatPercent(1 - alpha, 0);
  // The heading of the page says it.
  const isAlone = rows.length === 1;
  return html`<h3><bdi>${title}</bdi></h3>
    ${
      !isAlone &&
      html`<p>
        <b><bdi>${describeRow(row)}</bdi></b>
      </p>`
    }
    ${drawForest({
      kind: 'ratio',
      unit: '×',
      caption: html`<bdi>${a}</bdi> ÷ <bdi>${b}</bdi>: the typical ratio of a block with its
        ${confidence} interval, which holds whenever one looks; the margin is
        ${formatPercent(margin, 1)}.`,
      rows: lines,
    })}`;
}

function line(title: string, decision: Decision, verdict: string): ForestRow {
  const { ratio, low, high, blocks } = decision;
  return {
    title: html`<bdi>${title}</bdi>`,
    words: `${verdict} · ${describeInterval(decision)} · ${plural(blocks, 'block')}`,
    published: null,
    measured: { value: ratio, low, high },
  };
}

function machineTable({ hosts }: FleetVerdict): Html {
  return html`<section aria-labelledby="machines">
    <h2 id="machines">Machines</h2>
    ${table({
      id: 'machines-table',
      caption: 'Machines that measured',
      hideCaption: true,
      stack: true,
      columns: [
        { title: 'Host' },
        { title: 'Cores', kind: 'number', label: 'Cores' },
        { title: 'Memory', kind: 'number', label: 'Memory' },
        { title: 'System', label: 'System' },
        { title: 'Processor', label: 'Processor' },
      ],
      groups: [
        {
          rows: hosts.map(({ host, machine }) => [
            host,
            machine.logicalCores,
            `${String(Math.round(machine.memoryBytes / 2 ** 30))} GB`,
            machine.system,
            machine.cpuModel,
          ]),
        },
      ],
    })}
  </section>`;
}

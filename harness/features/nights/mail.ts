import { html, type Html, markupOf } from '../../../reports/html/escape.ts';
import { describeUnfit } from './judgement.ts';
import type { NightChange, NightDocument } from './night-document.ts';
import { drawNights } from './nights-picture.ts';

/** A night as an e-mail: its sentence as a title, three sentences, a table, and a picture of the nights. */
export interface NightMail {
  readonly html: string;
  /** A PNG, which the markup names `cid:nights`. */
  readonly picture: Buffer;
}

/** Four weeks and some. */
const mostNights = 30;

/** More rows are in the report. */
const mostRows = 20;

/** @param earlier nights before, the newest first. */
export function makeMail(
  night: NightDocument,
  changes: readonly NightChange[],
  earlier: readonly NightDocument[],
): NightMail {
  const nights = [night, ...earlier].slice(0, mostNights).reverse();
  const statuses = nights.map(({ status }) => status);
  // Mail programs read attributes and inline style; most drop a stylesheet.
  const document = html`<!doctype html>
    <html lang="en">
      <body style="font-family: sans-serif; color: #1d2126; max-width: 40em">
        <h1 style="font-size: 20px">${changes[0]?.text ?? 'Nothing changed'}</h1>
        <p>${sentencesOf(night, changes).join(' ')}</p>
        <p><img src="cid:nights" alt="${inWords(statuses)}" /></p>
        ${tableOf(changes)}
        ${night.files.report !== null && html`<p>Report: <code>${night.files.report}</code></p>`}
        <p style="color: #565e69">
          Night ${night.id} on ${night.host}, by crossfarm ${night.farmVersion}.
        </p>
      </body>
    </html> `;
  return { html: markupOf(document), picture: drawNights(statuses) };
}

/** How it ended, what was measured, and what to make of it. */
function sentencesOf(night: NightDocument, changes: readonly NightChange[]): readonly string[] {
  const { status, ledger, run, analysis } = night;
  const [unfit] = describeUnfit(night);
  const suspects = analysis?.suspects.length ?? 0;
  const thought =
    unfit ??
    (suspects === 0
      ? 'No series is suspected of a change.'
      : `${String(suspects)} series ${suspects === 1 ? 'is' : 'are'} suspected of a change.`);
  return [
    `The night ended ${status}, with ${counted(changes.length, 'change')} since the night before.`,
    ledger === null || run === null
      ? 'Nothing was measured.'
      : `Run ${String(run)} completed ${String(ledger.completed)} of ${counted(ledger.planned, 'cell')}; ${String(ledger.failed + ledger.timedOut)} failed.`,
    thought,
  ];
}

function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** The picture for who does not see it. */
function inWords(statuses: readonly NightDocument['status'][]): string {
  const counts = new Map<string, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  const told = [...counts].map(([status, count]) => `${String(count)} ${status}`);
  return `The last ${counted(statuses.length, 'night')}, the oldest first: ${told.join(', ')}; the last one ${statuses.at(-1) ?? ''}.`;
}

const kinds: Readonly<Record<NightChange['kind'], string>> = {
  'new-anomaly': 'new anomaly',
  'gone-anomaly': 'anomaly gone',
  'red-night': 'red night',
  'night-unusable': 'unusable night',
  'night-broken-off': 'broken off',
  'no-longer-red': 'no longer red',
  'device-lost': 'device lost',
  'device-back': 'device back',
};

function tableOf(changes: readonly NightChange[]): Html {
  const more = changes.length - mostRows;
  const cell = 'padding: 4px 12px 4px 0; border-bottom: 1px solid #dfe2e6; vertical-align: top';
  return html`<table cellspacing="0" style="border-collapse: collapse">
      <tr>
        <th align="left" style="${cell}">Change</th>
        <th align="left" style="${cell}">What was seen</th>
      </tr>
      ${changes.slice(0, mostRows).map(
        ({ kind, text }) =>
          html`<tr>
            <td style="${cell}; white-space: nowrap">${kinds[kind]}</td>
            <td style="${cell}">${text}</td>
          </tr> `,
      )}
    </table>
    ${more > 0 && html`<p>${counted(more, 'more change')}: the report has them.</p>`}`;
}

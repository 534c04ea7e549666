import { html, type Html } from '../../../../reports/html/escape.ts';
import { formatQuantity, formatShare, plural } from '../../../../reports/html/number.ts';
import { page } from '../../../../reports/html/page.ts';
import { table } from '../../../../reports/html/table.ts';
import type {
  BusyFunction,
  ChangedFunction,
  DifferenceTable,
  ProfileFindings,
  ProfileTable,
  ShownFunction,
} from '../../../core/results/index.ts';
import { formatChange } from './difference.ts';
import { bundleFlameLibrary, drawFlames, flamePart } from './flame-part.ts';

/** Makes a page with the flame graph of each thread, those of differences first. */
export async function renderFlamePage(title: string, facts: ProfileFindings): Promise<string> {
  const subject = facts.differences[0] ?? facts.profiles[0];
  return page({
    title,
    uses: [flamePart],
    library: await bundleFlameLibrary(),
    body: html`<header>
        <p class="kicker">crossfarm · profile · <bdi>${title}</bdi></p>
        <h1><bdi>${describeFirst(facts)}</bdi></h1>
        <p class="soft"><bdi>${subject?.title}</bdi></p>
      </header>
      <main>
        <section aria-labelledby="flame-heading">
          <h2 class="unseen" id="flame-heading">Flame graph</h2>
          ${drawFlames(facts.threads, facts.first)}
        </section>
        ${drawTables(facts)}
      </main>`,
    data: { format: 'crossfarm-profile-page-1', profiles: facts },
  });
}

/** The table of each difference, and of each profile. */
export function drawTables({ differences, profiles }: ProfileFindings): Html {
  return html`${differences.map(drawDifference)}${profiles.map(drawTable)}`;
}

/** Describes the most important finding, in a sentence without its full stop. */
export function describeFirst({ profiles, differences }: ProfileFindings): string {
  const [difference] = differences;
  const [changed] = difference?.functions ?? [];
  if (difference !== undefined && changed !== undefined) {
    const size = formatQuantity(Math.abs(changed.changeMs), ms);
    const direction = changed.changeMs > 0 ? 'longer' : 'less';
    return `${changed.name} takes ${size} ${direction} in ${difference.after}`;
  }
  const [busiest] = profiles[0]?.functions ?? [];
  if (busiest === undefined) return 'Nothing ran while it was profiled';
  return `${busiest.name} takes ${formatShare(busiest.share)} of the busy time`;
}

function drawDifference(one: DifferenceTable, i: number): Html {
  const { title, before, after, functions, evidence, profiles } = one;
  const number = (name: string) => ({ title: name, label: name, kind: 'number' as const });
  return html`<section aria-labelledby="difference-${i}">
    <h2 id="difference-${i}"><bdi>${title}</bdi></h2>
    ${table({
      id: `changes-${String(i)}`,
      caption: 'Self time of one operation, without idle time',
      stack: true,
      columns: [
        { title: 'Function' },
        number('Change'),
        number(before),
        number(after),
        number('Change with what it calls'),
      ],
      groups: [{ rows: functions.map(drawChange) }],
    })}
    ${drawEvidence(evidence)}
    <p class="soft">
      Means of ${plural(profiles[0], 'profile')} of <bdi>${before}</bdi> and ${profiles[1]} of
      <bdi>${after}</bdi>. A mean is no proof: <code>crossfarm blame</code> says which changes are
      settled.
    </p>
  </section> `;
}

function drawChange(one: ChangedFunction): readonly (Html | string)[] {
  const { before, after } = one;
  const selfOf = (side: ChangedFunction['before']): string =>
    side === null ? 'not there' : formatQuantity(side.selfMs, ms);
  return [
    drawName(one),
    formatChange(one.changeMs),
    selfOf(before),
    selfOf(after),
    formatChange((after?.totalMs ?? 0) - (before?.totalMs ?? 0)),
  ];
}

function drawEvidence(sentences: readonly string[]): Html | false {
  return (
    sentences.length > 0 &&
    html`<ul>
      ${sentences.map((one) => html`<li><bdi>${one}</bdi></li>`)}
    </ul>`
  );
}

function drawName({ name, place }: ShownFunction): Html {
  return html`<bdi>${name}</bdi> <span class="soft"><bdi>${place}</bdi></span>`;
}

function drawTable(one: ProfileTable, i: number): Html {
  const { title, intervalMs, thinnedBy, notes, evidence, operations, functions } = one;
  const thinned = thinnedBy > 1 ? ` One sample of ${String(thinnedBy)} was kept.` : '';
  const sampled = `Sampled every ${formatQuantity(intervalMs, ms)}, ${plural(operations, 'operation')}.${thinned}`;
  return html`<section aria-labelledby="profile-${i}">
    <h2 id="profile-${i}"><bdi>${title}</bdi></h2>
    ${table({
      id: `functions-${String(i)}`,
      caption: 'Time of one operation, without idle time',
      stack: true,
      columns: [
        { title: 'Function' },
        { title: 'Self', label: 'Self', kind: 'number' },
        { title: 'With what it calls', label: 'With what it calls', kind: 'number' },
        { title: 'Share', label: 'Share', kind: 'number' },
      ],
      groups: [{ rows: functions.map(drawRow) }],
    })}
    ${drawEvidence(evidence)}
    <p class="soft">${sampled} ${notes.join(' ')}</p>
  </section> `;
}

const ms = { unit: 'ms', resolution: 0 };

function drawRow(one: BusyFunction): readonly (Html | string)[] {
  return [
    drawName(one),
    formatQuantity(one.selfMs, ms),
    formatQuantity(one.totalMs, ms),
    formatShare(one.share),
  ];
}

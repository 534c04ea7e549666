import type { Anomaly, AnomalyState } from '../../core/model/anomaly.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import type { EvidenceFindings } from '../../core/results/index.ts';
import { html, type Html } from '../../../reports/html/escape.ts';
import { plural } from '../../../reports/html/number.ts';
import { page, readableDate } from '../../../reports/html/page.ts';
import { drawAssertions, forestKey, leadSection } from '../../../reports/sections/evidence.ts';

/** The explorer's pages of saved findings: all of them as cards, and one with what became of it. */

interface Writing {
  readonly writtenAt: string;
  readonly farmVersion: string;
}

/** Each state in a word, with its mark and colour. */
const states: Readonly<Record<AnomalyState, readonly [mark: string, word: string, tone: string]>> =
  {
    untriaged: ['?', 'not measured again', 'warn'],
    reproduced: ['✓', 'reproduced', 'bad'],
    'not-reproduced': ['✗', 'not reproduced', 'good'],
    inconclusive: ['?', 'inconclusive', 'warn'],
    ignored: ['—', 'ignored', ''],
    closed: ['—', 'closed', ''],
  };

const style = `
.findings{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr));gap:1rem;align-items:start}
.finding h2{font-size:1.05rem;margin:.25rem 0 .5rem;padding:0;border:0}.finding .head{display:flex;justify-content:space-between;gap:1rem;margin:0;color:inherit;font-size:1rem}.finding .answer{font-size:.95rem}`;

/** Renders the page of all findings, the newest first. */
export function renderFindings(findings: readonly Anomaly[], writing: Writing): string {
  const newest = findings.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
  return frameOf({
    writing,
    kicker: 'findings',
    title: findings.length === 0 ? 'No finding is saved yet' : headline(findings),
    links: [home, ['/builds', 'Builds']],
    content:
      findings.length === 0
        ? html`<p>A comparison with a verdict saves one, to be measured again later:</p>
            <pre><code data-copy>${npxCrossfarm} compare chromium firefox --save "what it is"</code></pre>`
        : html`${chooser(findings)}
            <div class="findings">${newest.map(drawCard)}</div>`,
    data: { format: 'crossfarm-findings-1', findings: newest.map(({ id, state }) => [id, state]) },
  });
}

/** "3 findings are saved: 1 reproduced, 2 not measured again" */
function headline(findings: readonly Anomaly[]): string {
  const counts = Object.entries(states).flatMap(([state, [, word]]) => {
    const count = findings.filter((one) => one.state === state).length;
    return count === 0 ? [] : [`${String(count)} ${word}`];
  });
  const are = findings.length === 1 ? 'is' : 'are';
  return `${plural(findings.length, 'finding')} ${are} saved: ${counts.join(', ')}`;
}

/** Offers one state alone; the choice stands in the address. */
function chooser(findings: readonly Anomaly[]): Html {
  const here = new Set(findings.map(({ state }) => state));
  return html`<form class="controls" data-cards="findings" hidden aria-label="What the page shows">
    <label
      ><span>State</span>
      <select name="verdict">
        <option value="">all</option>
        ${Object.entries(states)
          .filter(([state]) => here.has(state as AnomalyState))
          .map(([state, [, word]]) => html`<option value="${state}">${word}</option>`)}
      </select></label
    ><output></output>
  </form>`;
}

function drawCard({ id, state, sentence, question, createdAt, run, reason }: Anomaly): Html {
  return html`<article class="card finding" data-verdict="${state}">
    <p class="head"><b>${id}</b> ${stateMark(state)}</p>
    <h2><a href="/findings/${id}">${sentence}</a></h2>
    <p>
      Found ${dateOf(createdAt)}${run !== null && html` in <a href="/runs/${run}">run ${run}</a>`}:
      ${question.published}.
    </p>
    ${reason !== null && html`<p>${reason}</p>`}
  </article> `;
}

function stateMark(state: AnomalyState): Html {
  const [mark, word, tone] = states[state];
  return html`<b class="answer ${tone}">${mark} ${word}</b>`;
}

export interface MeasuredAgain {
  readonly run: number;
  readonly evidence: EvidenceFindings;
}

/** Renders the page of one finding; `again` is null until it was measured again. */
export function renderFinding(
  finding: Anomaly,
  again: MeasuredAgain | null,
  writing: Writing,
): string {
  const { id, sentence, state, run } = finding;
  const commands = [
    `${npxCrossfarm} findings reproduce ${id}`,
    `${npxCrossfarm} findings ignore ${id} --because "why"`,
    `${npxCrossfarm} findings close ${id} --because "why"`,
  ];
  return frameOf({
    writing,
    kicker: `finding ${id}`,
    title: sentence,
    links: [
      home,
      ['/findings', 'All findings'],
      ...(run === null ? [] : [runLink(run, 'found there')]),
      ...(again === null ? [] : [runLink(again.run, 'measured again')]),
    ],
    content: html`<section class="lead" aria-labelledby="in-short">
        <h2 class="unseen" id="in-short">In short</h2>
        <p>${stateMark(state)}</p>
        ${again === null ? html`<p>Nobody has measured it again yet.</p>` : drawAgain(finding, again)}
      </section>
      <section aria-labelledby="facts">
        <h2 id="facts">What was found</h2>
        ${describeFacts(finding)}
      </section>
      <section aria-labelledby="commands">
        <h2 id="commands">Measure it again, or set it aside</h2>
        ${commands.map((command) => html`<pre><code data-copy>${command}</code></pre> `)}
      </section>`,
    data: { format: 'crossfarm-finding-1', id, state },
  });
}

function drawAgain({ id }: Anomaly, { run, evidence }: MeasuredAgain): Html {
  const asked = evidence.assertions.filter(({ role }) => role === 'verdict');
  return html`${drawAssertions(asked)}
    <p class="soft">${forestKey()} with its interval.</p>
    <p>Direction ${evidence.direction}. Size ${evidence.size}.</p>
    ${evidence.unsettled !== null && html`<p>Open: ${evidence.unsettled}.</p>`}
    <p>
      <a href="/findings/${id}/evidence">The whole evidence</a> ·
      <a href="/report?run=${run}">report of run ${run}</a>
    </p>`;
}

function describeFacts({ createdAt, changedAt, question, reason, state, targets }: Anomaly): Html {
  const [, word] = states[state];
  const rows: readonly (readonly [string, Html])[] = [
    ['Found', html`${dateOf(createdAt)}: ${question.published}`],
    ['State', html`${word} since ${dateOf(changedAt)}${reason !== null && html`: ${reason}`}`],
    ...targets.map(({ device, browser }, index): readonly [string, Html] => [
      index === 0 ? 'Browsers' : '',
      html`${browser.name} ${browser.version} (${device.name}, ${device.driver})`,
    ]),
  ];
  return html`<dl class="facts">
    ${rows.map(
      ([label, content]) =>
        html`<dt>${label}</dt>
          <dd><bdi>${content}</bdi></dd> `,
    )}
  </dl>`;
}

type Link = readonly [href: string, text: string];

const home: Link = ['/', 'Home'];

function runLink(run: number, what: string): Link {
  return [`/runs/${String(run)}`, `Run ${String(run)}: ${what}`];
}

function dateOf(iso: string): Html {
  const date = iso.replace(/\.\d+Z$/, 'Z');
  return html`<time datetime="${iso}">${readableDate(date)}</time>`;
}

interface FindingFrame {
  readonly writing: Writing;
  readonly kicker: string;
  readonly title: string;
  readonly links: readonly Link[];
  readonly content: Html;
  readonly data: unknown;
}

function frameOf({ writing, kicker, title, links, content, data }: FindingFrame): string {
  return page({
    title: `${title} · crossfarm`,
    uses: [leadSection, { style, script: { file: 'cards.js', start: 'offerCards' } }],
    body: html`<a class="skip" href="#findings-main">Skip to the findings</a>
      <header>
        <p class="kicker">crossfarm · ${kicker}</p>
        <h1><bdi>${title}</bdi></h1>
        <nav aria-label="Pages">
          <ul>
            ${links.map(([href, text]) => html`<li><a href="${href}">${text}</a></li>`)}
          </ul>
        </nav>
      </header>
      <main id="findings-main" tabindex="-1">${content}</main>
      <footer>Read ${dateOf(writing.writtenAt)} by crossfarm ${writing.farmVersion}.</footer>`,
    data,
  });
}

import type { EvidenceFindings } from '../../core/results/index.ts';
import { html, type Content, type Html } from '../../../reports/html/escape.ts';
import { drawForest, type ForestRow } from '../../../reports/html/forest.ts';
import { frame, page, readableDate } from '../../../reports/html/page.ts';
import { drawAssertions, forestKey, leadSection } from '../../../reports/sections/evidence.ts';
import { verdictMark } from '../../../reports/wording/evidence.ts';
import type { Run } from '../../core/model/run.ts';
import type { Claim, PublishedTemplate } from './judging/claim.ts';

/** Published claims as cards: what was published next to what was measured, on one axis for all ratios. */

export interface AskedClaim {
  readonly claim: Claim;
  readonly command: string;
  /** Null where no run that is stored asked for it. */
  readonly answer: {
    readonly evidence: EvidenceFindings;
    readonly run: Pick<Run, 'id' | 'startedAt' | 'machine' | 'preset'>;
  } | null;
}

type Verdict = EvidenceFindings['verdict'] | 'unmeasured';

/** In the order in which they are counted and offered; each with its colour and its mark. */
const verdicts: Readonly<Record<Verdict, readonly [word: string, tone: string, mark: string]>> = {
  confirmed: ['confirmed', 'good', '✓'],
  refuted: ['refuted', 'bad', '✗'],
  inconclusive: ['inconclusive', 'warn', '?'],
  'not-testable': ['not testable here', 'none', '—'],
  unmeasured: ['not measured', 'none', '·'],
};

/** Rules for the tiles, which a card that leads to the page has, too. */
export const tilesStyle = `
.exhibit .tiles{position:relative;z-index:1}.tiles{display:grid;grid-template-columns:minmax(9rem,auto) 1fr;gap:.5rem 1rem;align-items:center;margin:1rem 0;max-width:none}.tiles ul{display:flex;flex-wrap:wrap;gap:.3rem;list-style:none;margin:0;padding:0;max-width:none}.tiles li{margin:0}.tiles p{margin:0;font-size:.9rem}
.tile{display:block;min-width:3.1rem;padding:.2rem .3rem;text-align:center;text-decoration:none;border:1px solid var(--line);border-radius:5px;font-size:.82rem;color:var(--soft);background:var(--raised)}.tile.good{background:var(--f1);border-color:var(--f3);color:var(--good)}.tile.bad{background:var(--s1);border-color:var(--s3);color:var(--bad)}.tile.warn{background:var(--warn-wash);color:var(--warn)}
@media(max-width:36rem){.tiles{grid-template-columns:1fr;gap:.2rem}.tiles ul{margin-bottom:.6rem}}`;

const style = `
.claims{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr));gap:1rem;align-items:start}
.claim h3{font-size:1.02rem;margin:.25rem 0 .5rem}.claim .forest{margin:.25rem 0;max-width:none}.claim .forest figcaption{display:none}.claim .head{display:flex;justify-content:space-between;gap:1rem;margin:0;color:inherit;font-size:1rem}
.claim .forest li{padding:.35rem 0 0}.claim .forest li p{margin:0;font-size:.85rem}.controls label>span{flex:none}.controls select{min-width:0}.claim summary{font-size:.85rem;color:var(--link)}.claim:target{border-color:var(--link);box-shadow:0 0 0 2px var(--link)}`;

function verdictOf({ answer }: AskedClaim): Verdict {
  return answer === null ? 'unmeasured' : answer.evidence.verdict;
}

/** "Of 31 published claims 13 are confirmed, 6 refuted". */
export function claimsHeadline(asked: readonly AskedClaim[]): string {
  const counts = Object.entries(verdicts).flatMap(([verdict, [word]]) => {
    const count = asked.filter((one) => verdictOf(one) === verdict).length;
    return count === 0 ? [] : [[count, word] as const];
  });
  const texts = counts.map(([count, word], i) =>
    i === 0 ? `${String(count)} ${count === 1 ? 'is' : 'are'} ${word}` : `${String(count)} ${word}`,
  );
  return `Of ${String(asked.length)} published claims ${texts.join(', ')}`;
}

/** Renders the page of all claims. */
export function renderClaims(
  asked: readonly AskedClaim[],
  writing: { readonly writtenAt: string; readonly farmVersion: string },
): string {
  const studies = listStudies(asked);
  const reaches = commonEnds(asked);
  return page({
    title: 'crossfarm: published claims',
    uses: [
      leadSection,
      { style: tilesStyle },
      { style, script: { file: 'cards.js', start: 'offerCards' } },
    ],
    body: frame({
      ...writing,
      kind: 'claims',
      title: claimsHeadline(asked),
      links: [],
      sections: [
        html`<section class="lead" aria-labelledby="in-short">
          <h2 id="in-short">In short</h2>
          ${drawTiles(asked)}
          <p class="soft">
            ${forestKey()} with its interval. All ratios of this page have one logarithmic axis;
            dashed: 1, no difference.
          </p>
          ${chooser(studies)}
        </section>`,
        ...studies.map(
          ({ letter, source, asked: ours }) =>
            html`<section aria-labelledby="study-${letter}" data-group>
              <h2 id="study-${letter}">${letter}. ${source}</h2>
              <div class="claims">${ours.map((one) => drawCard(one, reaches))}</div>
            </section>`,
        ),
      ],
    }),
    data: {
      format: 'crossfarm-claims-1',
      ...writing,
      claims: asked.map((one) => ({
        id: one.claim.id,
        verdict: verdictOf(one),
        assertions: one.answer?.evidence.assertions ?? [],
      })),
    },
  });
}

interface Study {
  readonly letter: string;
  readonly source: string;
  readonly asked: readonly AskedClaim[];
}

function listStudies(asked: readonly AskedClaim[]): readonly Study[] {
  const letters = [...new Set(asked.map(({ claim }) => claim.id.charAt(0)))];
  return letters.map((letter) => {
    const ours = asked.filter(({ claim }) => claim.id.startsWith(letter));
    return { letter, source: ours[0]?.claim.source ?? '', asked: ours };
  });
}

/** The ends of the axis of all ratios. */
function commonEnds(asked: readonly AskedClaim[]): readonly number[] {
  const numbers = asked.flatMap((one) => [
    ...deciding(one).flatMap(({ kind, published: { low, high }, measured }) =>
      kind === 'ratio' ? [low, high, measured?.low, measured?.value, measured?.high] : [],
    ),
    ...publishedRatios(one).flatMap(({ low, high }) => [low, high]),
  ]);
  const drawn = numbers.flatMap((value) => (typeof value === 'number' && value > 0 ? [value] : []));
  return drawn.length === 0 ? [] : [Math.min(...drawn), Math.max(...drawn)];
}

function deciding({ answer }: AskedClaim): EvidenceFindings['assertions'] {
  return answer?.evidence.assertions.filter(({ role }) => role === 'verdict') ?? [];
}

/** The tiles of all claims by study: each a link to its card on a page, this one by default. */
export function drawTiles(all: readonly AskedClaim[], ofPage = ''): Html {
  return html`<div class="tiles">
    ${listStudies(all).map(
      ({ source, asked }) =>
        html`<p>${titleIn(source)}</p>
          <ul>
            ${asked.map((one) => {
              const [word, tone, mark] = verdicts[verdictOf(one)];
              const { id, sentence } = one.claim;
              return html`<li>
                <a class="tile ${tone}" href="${ofPage}#claim-${id}" title="${word}: ${sentence}"
                  >${id} ${mark}<span class="unseen"> ${word}</span></a
                >
              </li> `;
            })}
          </ul>`,
    )}
  </div>`;
}

/** The title of a study in its source, which stands in quotation marks. */
function titleIn(source: string): string {
  return /“[^”]+”/.exec(source)?.[0] ?? source;
}

function chooser(studies: readonly Study[]): Html {
  const here = new Set(studies.flatMap(({ asked }) => asked.map(verdictOf)));
  const choice = (name: string, label: string, options: Content): Html =>
    html`<label
      ><span>${label}</span>
      <select name="${name}">
        <option value="">all</option>
        ${options}
      </select></label
    > `;
  return html`<form class="controls" data-cards hidden aria-label="What the page shows">
    ${choice(
      'study',
      'Study',
      studies.map(
        ({ letter, source }) =>
          html`<option value="${letter}">${letter}. ${titleIn(source)}</option>`,
      ),
    )}${choice(
      'verdict',
      'Verdict',
      Object.entries(verdicts)
        .filter(([verdict]) => here.has(verdict as Verdict))
        .map(([verdict, [word]]) => html`<option value="${verdict}">${word}</option>`),
    )}<output></output>
  </form>`;
}

function drawCard(one: AskedClaim, reaches: readonly number[]): Html {
  const { claim, answer, command } = one;
  const { id, sentence, published } = claim;
  const verdict = verdictOf(one);
  return html`<article
    class="card claim"
    id="claim-${id}"
    data-study="${id.charAt(0)}"
    data-verdict="${verdict}"
  >
    <p class="head">
      <b>${id}</b>
      ${answer === null ? html`<span class="soft">${verdicts.unmeasured[0]}</span>` : verdictMark(answer.evidence.verdict)}
    </p>
    <h3>${sentence}</h3>
    ${answer === null ? drawPublished(one, reaches) : drawAssertions(deciding(one), reaches)}
    <p>Published: ${published}.</p>
    ${answer?.run.preset !== undefined && html`<p><span class="tag">smoke test</span> Short trials, on a machine that need not be quiet.</p>`}
    ${answer !== null && answer.evidence.unsettled !== null && html`<p>Open: ${answer.evidence.unsettled}.</p>`}
    <details>
      <summary>${answer === null ? 'The command' : 'How it was measured, and the command'}</summary>
      ${answer !== null && facts(answer)}
      <pre><code data-copy>${command}</code></pre>
    </details>
  </article>`;
}

function facts({ evidence, run }: NonNullable<AskedClaim['answer']>): Html {
  const { cpuModel, logicalCores, system } = run.machine;
  return html`<p>Direction ${evidence.direction}. Size ${evidence.size}.</p>
    ${evidence.explanations.map((text) => html`<p>${text}</p>`)}
    ${evidence.notes.map((text) => html`<p>${text}</p>`)}
    <p>
      Run ${run.id}, ${readableDate(run.startedAt.replace(/\.\d+Z$/, 'Z'))}, on ${cpuModel},
      ${logicalCores} cores, ${system}.
    </p>`;
}

type PublishedRatio = PublishedTemplate & {
  readonly sentence: string;
  readonly low: number;
  readonly high: number;
};

/** The published ratios of a claim that was not measured. */
function publishedRatios({ claim, answer }: AskedClaim): readonly PublishedRatio[] {
  if (answer !== null) return [];
  return claim.ask.assertions.flatMap(({ kind, role, sentence, published }) => {
    const { low, high, text } = published;
    if (kind === 'level' || role !== undefined) return [];
    return typeof low === 'number' && typeof high === 'number'
      ? [{ sentence, text, low, high }]
      : [];
  });
}

/** A claim without an answer: the published numbers alone. */
function drawPublished(one: AskedClaim, reaches: readonly number[]): Html | false {
  const rows = publishedRatios(one).map(({ sentence, low, high, text }): ForestRow => ({
    title: html`<bdi>${sentence.replace('{product}', 'Each browser')}</bdi>`,
    words: html`published: ${text}; not measured`,
    published: { low, high },
    measured: null,
  }));
  if (rows.length === 0) return false;
  return drawForest({ kind: 'ratio', unit: '×', caption: '', reaches, rows });
}

import type { WarmUpFacts } from './findings.ts';
import { html, type Content, type Html } from './html/escape.ts';
import { drawIterations } from './html/iteration-chart.ts';
import { formatCount, formatQuantity, plural } from './html/number.ts';
import { page } from './html/page.ts';
import { poolIterations } from './html/pooling.ts';
import { table, type Row } from './html/table.ts';
import { explainWarmUp } from './sections/warm-up-words.ts';

/** One trial's iterations as an HTML file of its own: a chart, the rule's verdict, and the numbers. */
export async function renderWarmUp(facts: WarmUpFacts): Promise<string> {
  const chart = await drawIterations({
    warmUp: facts.warmUp,
    timed: facts.timed,
    judged: facts.judged?.iterations ?? 0,
    unit: facts.unit,
    yLabel: `↑ ${facts.metric} of one operation`,
    caption: captionOf(facts),
    label: `${plural(facts.warmUp.length, 'iteration')} of warm-up, then ${plural(facts.timed.length, 'timed one')}. The numbers are in the table below.`,
  });
  return page({
    title: facts.title,
    body: html`<a class="skip" href="#in-short">Skip to the findings</a>
      <header>
        <p class="kicker">crossfarm · warm-up of one trial</p>
        <h1><bdi>${facts.title}</bdi></h1>
        <p class="soft">
          Written <time datetime="${facts.writtenAt}">${facts.writtenAt}</time> by crossfarm
          ${facts.farmVersion}.
        </p>
      </header>
      <main>
        <section class="lead" aria-labelledby="in-short">
          <h2 id="in-short">In short</h2>
          ${explainWarmUp(facts).map((sentence) => html`<p>${sentence}</p> `)} ${origin(facts)}
          ${chart}
        </section>
        ${numbers(facts)}
      </main>`,
    data: { format: 'crossfarm-warm-up-1', ...facts },
  });
}

function captionOf({ warmUp, timed, judged }: WarmUpFacts): Content {
  const hidden = [...warmUp, ...timed].filter((value) => !(value > 0)).length;
  return html`Rings: warm-up, from the very first call on; dots: the timed window, right of the
  dashed
  line${judged !== null && html`; pale stripe: the ${formatCount(judged.iterations)} iterations that the rule looks at`}.
  Logarithmic
  axis.${hidden > 0 && html` ${plural(hidden, 'iteration')} lasted less than one step of the clock.`}`;
}

function origin({ run, block, target, chosen, caseName }: WarmUpFacts): Html {
  const facts = [
    ['Case', caseName],
    ['Target', `${target.name} (${target.browser})`],
    ['Trial', `run ${String(run)}, block ${String(block)}: ${chosen}`],
  ] as const;
  return html`<dl class="facts">
    ${facts.map(
      ([label, text]) =>
        html`<dt>${label}</dt>
          <dd><bdi>${text}</bdi></dd> `,
    )}
  </dl>`;
}

const mostRows = 60;

/** Every iteration, or neighbours taken together where there are too many to read. */
function numbers(facts: WarmUpFacts): Html {
  const { warmUp, timed, unit, resolution } = facts;
  const rowsOf = (values: readonly number[], from: number): readonly Row[] =>
    poolIterations(values, { from, most: mostRows }).map(({ first, last, low, middle, high }) => [
      first === last ? formatCount(first) : `${formatCount(first)}–${formatCount(last)}`,
      ...[middle, low, high].map((value) => formatQuantity(value, { unit, resolution })),
    ]);
  return html`<section aria-labelledby="numbers">
    <h2 id="numbers">Every iteration</h2>
    ${table({
      id: 'numbers-caption',
      caption: html`${facts.metric} of one operation; neighbours are taken together where there are
      more than ${mostRows}`,
      columns: [
        { title: 'Iteration' },
        { title: 'Median', kind: 'number' },
        { title: 'Least', kind: 'number' },
        { title: 'Most', kind: 'number' },
      ],
      groups: [
        { title: 'Warm-up', rows: rowsOf(warmUp, 1) },
        { title: 'Timed', rows: rowsOf(timed, warmUp.length + 1) },
      ],
    })}
  </section> `;
}

import type { AssertionFacts } from '../findings.ts';
import { html, type Html } from '../html/escape.ts';
import { missingMark, plural } from '../html/number.ts';
import { table, type Row } from '../html/table.ts';
import { measuredWords, outcomeMark } from '../wording/evidence.ts';

/** Everything that the claim says, each as a number: expected, published, measured, and what follows. */
export function assertionsSection(assertions: readonly AssertionFacts[]): Html | false {
  if (assertions.length === 0) return false;
  const titles = ['What is said', 'Expected', 'Published', 'Measured', 'Outcome', 'Size'];
  return html`<section aria-labelledby="assertions">
    <h2 id="assertions">Assertions</h2>
    <p>
      Whether an assertion holds is decided by where its interval lies; whether its size is as
      published is another question, and has its own answer. Of two sides that are equal within 2 %
      no direction can be shown.
    </p>
    ${table({
      id: 'assertions-caption',
      caption: 'What the claim says, as numbers',
      hideCaption: true,
      stack: true,
      columns: titles.map((title) => ({ title, label: title })),
      groups: [{ rows: assertions.map(rowOf) }],
    })}
  </section> `;
}

function rowOf(one: AssertionFacts): Row {
  const { sentence, quantity, expected, published, outcome, size, equal } = one;
  return [
    html`<bdi>${sentence}</bdi><br /><small>${quantity}</small>`,
    expected === '' ? missingMark : expected,
    published.text === '' ? missingMark : published.text,
    measuredCell(one),
    html`${outcomeMark(outcome)}${equal && html`<small>equal within 2 %</small>`}`,
    size,
  ];
}

function measuredCell({ measured, unit, blocks }: AssertionFacts): Html {
  if (measured === null) return html`<span class="missing">${missingMark} not measured</span>`;
  const { value, interval } = measuredWords(measured, unit);
  const small = html`<small>${interval ?? 'no interval yet'}, ${plural(blocks, 'block')}</small>`;
  return html`<b>${value}</b>${small}`;
}

import type { Findings } from '../findings.ts';
import { html, type Html } from '../html/escape.ts';
import { table } from '../html/table.ts';

/** What is known of the runs beside their results, and is not the same in all of them. */
export function runDifferencesSection({ between, runs }: Findings): Html | false {
  if (between === undefined) return false;
  return html`<section aria-labelledby="between">
    <h2 id="between">Between the runs</h2>
    <p>
      All that the farm knows of the runs beside their results, and that is not the same in all of
      them. What is not listed was the same: machine, system, builds and how they were started.
    </p>
    ${
      between.length === 0
        ? html`<p>Nothing differs.</p>`
        : table({
            id: 'between-caption',
            caption: 'What differs between the runs',
            hideCaption: true,
            stack: true,
            columns: [
              { title: 'What' },
              ...runs.map(({ id }) => ({
                title: `Run ${String(id)}`,
                label: `Run ${String(id)}`,
                kind: 'wide' as const,
              })),
            ],
            groups: [{ rows: between.map(({ label, texts }) => [label, ...texts]) }],
          })
    }
  </section> `;
}

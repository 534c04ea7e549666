import type { CaseRow } from '../findings.ts';
import { html, join, type Html } from '../html/escape.ts';

/** A row's parameters as `name value`, which is its name inside its benchmark's table. */
export function parametersOf(row: CaseRow): Html {
  const all = Object.entries(row.parameters);
  if (all.length === 0) return html`<bdi>${row.benchmark}</bdi>`;
  return join(
    all.map(
      ([name, value]) =>
        html`<span class="nb"><small>${name}</small> <bdi>${String(value)}</bdi></span>`,
    ),
    ' · ',
  );
}

/** Anchor of a row in the comparison table. */
export function rowAnchor(index: number): string {
  return `row-${String(index + 1)}`;
}

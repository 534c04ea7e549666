import type { CaseRow } from '../../harness/core/results/index.ts';
import { html, join, type Html } from '../html/escape.ts';

/** Facts that all rows of a table share: they stand once above it. */
export interface CommonFacts {
  readonly text: string;
  /** Names of parameters with one value. */
  readonly parameters: ReadonlySet<string>;
  readonly isMetric: boolean;
}

/** Finds the parameters and the metric that all rows have. */
export function findCommon(rows: readonly CaseRow[]): CommonFacts {
  const [first, ...others] = rows;
  if (first === undefined || others.length === 0) {
    return { text: '', parameters: new Set(), isMetric: false };
  }
  const same = Object.entries(first.parameters).filter(([name, value]) =>
    others.every((row) => row.parameters[name] === value),
  );
  const isMetric = others.every(
    ({ metric, direction }) => metric === first.metric && direction === first.direction,
  );
  const told = [
    ...same.map(([name, value]) => `${name} ${String(value)}`),
    ...(isMetric ? [metricNote(first)] : []),
  ];
  return {
    text: told.length === 0 ? '' : `All cases: ${told.join(', ')}`,
    parameters: new Set(same.map(([name]) => name)),
    isMetric,
  };
}

/** "duration, lower is better". */
export function metricNote({ metric, direction }: CaseRow): string {
  return `${metric}, ${direction} is better`;
}

/** A row's parameters as `name value`, which is its name inside its benchmark's table. */
export function nameParameters(row: CaseRow, said: ReadonlySet<string>): Html {
  const all = Object.entries(row.parameters).filter(([name]) => !said.has(name));
  if (all.length === 0) return html`<bdi>${row.benchmark}</bdi>`;
  return join(
    all.map(
      ([name, value]) =>
        html`<span class="nb"><small>${name}</small> <bdi>${String(value)}</bdi></span>`,
    ),
    ' · ',
  );
}

import type { CaseRow } from '../findings/index.ts';

/** What a label is made of. */
type Named = Pick<CaseRow, 'caseName' | 'benchmark' | 'parameters'>;

/**
 * Short names of the cases of one report, by their canonical names: what differs between the cases of
 * a benchmark, as people write it: `asyncFib(14)`. Names that would be the same stay canonical.
 */
export function caseLabels(rows: readonly Named[]): ReadonlyMap<string, string> {
  const distinct = [...new Map(rows.map((row) => [row.caseName, row])).values()];
  const labels = distinct.map((one) => ({ name: one.caseName, label: labelOf(one, distinct) }));
  const isUnique = (label: string): boolean =>
    labels.filter((other) => other.label === label).length === 1;
  return new Map(labels.map(({ name, label }) => [name, isUnique(label) ? label : name]));
}

function labelOf({ benchmark, parameters }: Named, all: readonly Named[]): string {
  const ours = all.filter((one) => one.benchmark === benchmark);
  const varying = Object.entries(parameters).filter(([name]) =>
    ours.some((other) => other.parameters[name] !== parameters[name]),
  );
  const words = varying.filter(([, value]) => typeof value !== 'number').map(([, value]) => value);
  const numbers = varying
    .filter(([, value]) => typeof value === 'number')
    .map(([, value]) => value);
  const name = words.length === 0 ? benchmark : words.join(' ');
  return numbers.length === 0 ? name : `${name}(${numbers.join(', ')})`;
}

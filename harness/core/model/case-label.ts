import { type Case, caseName, type Growth, type Parameters } from './case.ts';

/** Id of the benchmark of pages of one's own: its parameter `version` says which page it is. */
export const ownPageId = 'page';

/** True for the benchmark of a page of one's own; further pages of a run are numbered. */
export function isOwnPage(benchmark: string): boolean {
  return /^page(-\d+)?$/.test(benchmark);
}

/** Names the page where a run compares versions of several. */
export const pageParameter = 'page';

/** The page of a case, where a run compares versions of several; null where there is one. */
export function readPage({ benchmark, parameters }: Case): string | null {
  const page = parameters[pageParameter];
  return isOwnPage(benchmark.id) && page !== undefined ? String(page) : null;
}

/** Parts of a label. */
export interface LabelParts {
  /** Canonical. */
  readonly name: string;
  readonly benchmark: string;
  readonly parameters: Parameters;
  /**
   * Names of the parameters that draw its curve and place it there. A case that stands alone shows
   * them, too.
   */
  readonly growth?: Pick<Growth, 'by' | 'over'> | undefined;
}

export function labelParts(one: Case): LabelParts {
  const { id, growth } = one.benchmark;
  return { name: caseName(one), benchmark: id, parameters: one.parameters, growth };
}

/**
 * Short names of cases that are shown together, by their canonical names: what differs between the
 * cases of a benchmark, as people write it: `asyncFib(14)`. Names that would be the same stay canonical.
 */
export function caseLabels(cases: readonly LabelParts[]): ReadonlyMap<string, string> {
  const distinct = [...new Map(cases.map((one) => [one.name, one])).values()];
  const labels = distinct.map((one) => ({ name: one.name, label: labelOf(one, distinct) }));
  const isUnique = (label: string): boolean =>
    labels.filter((other) => other.label === label).length === 1;
  return new Map(labels.map(({ name, label }) => [name, isUnique(label) ? label : name]));
}

function labelOf(
  { benchmark, parameters, growth }: LabelParts,
  all: readonly LabelParts[],
): string {
  const ours = all.filter((one) => one.benchmark === benchmark);
  const telling = Object.entries(parameters).filter(
    ([name]) =>
      name === growth?.by ||
      name === growth?.over ||
      (isOwnPage(benchmark) && (name === 'version' || name === pageParameter)) ||
      ours.some((other) => other.parameters[name] !== parameters[name]),
  );
  const words = telling.filter(([, value]) => typeof value !== 'number').map(([, value]) => value);
  const numbers = telling
    .filter(([, value]) => typeof value === 'number')
    .map(([, value]) => value);
  const name = words.length === 0 ? benchmark : words.join(' ');
  return numbers.length === 0 ? name : `${name}(${numbers.join(', ')})`;
}

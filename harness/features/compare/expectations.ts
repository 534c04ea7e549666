import { formatPercent } from '../../../reports/html/number.ts';
import { isLost, shownChange, type ShownChange } from '../../core/analysis/fail-on.ts';
import { readVersion, titlePair } from '../../core/analysis/run-pairs.ts';
import { readShare } from '../../core/model/share.ts';
import type { VersionsComparison } from './compare-versions.ts';

/** A measure that the first version gives and another one does not. */
export interface LostMeasure {
  readonly version: string;
  readonly measure: string;
  /** Id of the device. */
  readonly browser: string;
}

export function lostMeasures({
  entries,
}: Pick<VersionsComparison, 'entries'>): readonly LostMeasure[] {
  return entries.filter(isLost).map(({ pair }) => ({
    version: readVersion(pair.a),
    measure: titlePair(pair),
    browser: pair.a.deviceId,
  }));
}

/** Which rows are meant, and by how much they must differ: a share such as 0.05, or `5%`. */
export interface ExpectedChange {
  readonly by?: number | string;
  /** Title of a measure, such as `load`; every one when left out. */
  readonly measure?: string;
  /** Id of a browser's device; every one when left out. */
  readonly browser?: string;
}

/** As `expect.extend` of Vitest, Jest and Playwright Test takes it. */
export interface Answer {
  readonly pass: boolean;
  readonly message: () => string;
}

/** Every row that is meant is shown to be better by that much. */
export function expectFaster(compared: VersionsComparison, expected: ExpectedChange = {}): Answer {
  const rows = meantRows(compared, expected);
  const by = shareOf(expected.by);
  const pass = rows.every(({ change }) => change.better > 0 && change.better >= by);
  return answer(pass, 'faster', { rows, by });
}

/**
 * One row that is meant is shown to be worse by more than that, or lost; so its contrary holds while
 * nothing is shown. A comparison ends once a version is slower at all: ask it for `worseBy` to have the
 * same share shown.
 */
export function expectSlower(compared: VersionsComparison, expected: ExpectedChange = {}): Answer {
  const rows = meantRows(compared, expected);
  const by = shareOf(expected.by);
  const pass = rows.some(({ change }) => change.worse > by);
  return answer(pass, 'slower', { rows, by });
}

/** Worse by any measure. */
const lostChange: ShownChange = { isDecided: true, better: 0, worse: Infinity, atMost: Infinity };

interface Row {
  readonly name: string;
  readonly change: ShownChange;
}

/**
 * @throws RangeError for names that no row has, and for a comparison that did not come to its end: an
 *   expectation of nothing would always hold.
 */
function meantRows(
  compared: VersionsComparison,
  { measure, browser }: ExpectedChange,
): readonly Row[] {
  const { entries, interrupted, stopped } = compared;
  if (interrupted || stopped !== null) {
    throw new RangeError(
      `the comparison did not come to its end: ${stopped ?? 'it was interrupted'}`,
    );
  }
  const isMeant = (title: string, deviceId: string): boolean =>
    (measure ?? title) === title && (browser ?? deviceId) === deviceId;
  const changed = entries.flatMap((entry) => {
    const { metric, a } = entry.pair;
    const change = shownChange(entry);
    if (change === null || !isMeant(metric.title, a.deviceId)) return [];
    return [{ name: `${readVersion(a)}, ${metric.title}, ${a.deviceId}`, change }];
  });
  const lost = lostMeasures(compared)
    .filter((one) => isMeant(one.measure, one.browser))
    .map((one) => ({ name: `${one.version}, ${one.measure}`, change: lostChange }));
  const rows = [...changed, ...lost];
  if (rows.length > 0) return rows;
  throw new RangeError(
    `nothing was compared by ${measure ?? 'any measure'} in ${browser ?? 'any browser'}`,
  );
}

/** @throws RangeError for anything but a share of at least 0 and less than 1. */
export function shareOf(by: number | string = 0): number {
  const share = readShare(String(by));
  if (share !== null) return share;
  throw new RangeError(`${String(by)} is no share such as 0.05 or '5%'`);
}

function answer(
  pass: boolean,
  word: string,
  { rows, by }: { readonly rows: readonly Row[]; readonly by: number },
): Answer {
  const percent = (share: number): string => formatPercent(share, 1);
  const shown = ({ name, change: { isDecided, better, worse } }: Row): string => {
    if (!isDecided) return `${name}: not decided`;
    if (worse === Infinity) return `${name}: lost`;
    if (better > 0) return `${name}: at least ${percent(better)} faster`;
    return worse > 0 ? `${name}: at least ${percent(worse)} slower` : `${name}: the same`;
  };
  return {
    pass,
    message: () =>
      `expected ${pass ? 'nothing' : 'it'} to be ${word} by ${percent(by)}:\n${rows.map(shown).join('\n')}`,
  };
}

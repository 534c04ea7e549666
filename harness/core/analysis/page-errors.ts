import { plural } from '../../../reports/html/number.ts';
import { readPage } from '../model/case-label.ts';
import { caseName } from '../model/case.ts';
import { measuresOfPages } from '../model/measures.ts';
import type { Trial } from '../model/trial.ts';
import { groupBy } from './grouping.ts';
import { type CompletedTrial, isCompleted } from './series.ts';

/** Errors of a version of a page while it was measured: a script threw, or a file was missing. */
export interface PageError {
  readonly deviceId: string;
  readonly version: string;
  /** Where there are several. */
  readonly page?: string;
  readonly error: string;
  /** The number of its completed trials with the error. */
  readonly trials: number;
  readonly of: number;
  /** In that browser no version but this has it. */
  readonly alone: boolean;
}

/** Lists the errors of the versions of a page, each once for a version and a browser. */
export function pageErrors(trials: readonly Trial[]): readonly PageError[] {
  const bySide = groupBy(
    trials.filter(isCompleted),
    ({ job }) => `${job.deviceId}\n${caseName(job.case)}`,
  );
  const found = [...bySide.values()].flatMap((ours) => {
    const [{ job } = { job: null }] = ours;
    if (job === null) return [];
    return [...new Set(ours.flatMap(errorsOf))].map((error) => ({
      deviceId: job.deviceId,
      ...readNames(job),
      error,
      trials: ours.filter((trial) => errorsOf(trial).includes(error)).length,
      of: ours.length,
    }));
  });
  return found.map((one) => {
    const same = ({ deviceId, page, error }: typeof one): boolean =>
      deviceId === one.deviceId && page === one.page && error === one.error;
    return { ...one, alone: found.filter(same).length === 1 };
  });
}

function readNames({ case: one }: Trial['job']): Pick<PageError, 'version' | 'page'> {
  const version = String(one.parameters['version'] ?? '');
  const page = readPage(one);
  return { version, ...(page !== null && { page }) };
}

/** The name of a version, and its page where there are several. */
function nameOf({ version, page }: Pick<PageError, 'version' | 'page'>): string {
  return page === undefined ? version : `${version}: ${page}`;
}

function errorsOf({ outcome }: CompletedTrial): readonly string[] {
  return outcome.result.errors ?? [];
}

export function pageErrorText(found: PageError, browser: string): string {
  const { error, trials, of } = found;
  return `${nameOf(found)} had an error in ${String(trials)} of ${String(of)} trials in ${browser}: ${error}`;
}

/** A version of a page that could not be measured in some sessions of a browser. */
export interface PageFailure {
  readonly deviceId: string;
  readonly version: string;
  /** Where there are several. */
  readonly page?: string;
  /** The number of its trials that failed or took too long, of those that were tried. */
  readonly trials: number;
  readonly of: number;
  /** The error of the first one. */
  readonly why: string;
}

/** Lists the versions of a page that failed in some sessions, each once for a browser. */
export function pageFailures(trials: readonly Trial[]): readonly PageFailure[] {
  const tried = trials.filter(
    ({ job, outcome }) => outcome.kind !== 'skipped' && 'version' in job.case.parameters,
  );
  const bySide = groupBy(tried, ({ job }) => `${job.deviceId}\n${caseName(job.case)}`);
  return [...bySide.values()].flatMap((ours) => {
    const failures = ours.flatMap(({ job, outcome }) =>
      outcome.kind === 'failed' || outcome.kind === 'timed-out'
        ? [{ job, why: outcome.failure.message }]
        : [],
    );
    const [first] = failures;
    if (first === undefined) return [];
    const { job, why } = first;
    const counts = { trials: failures.length, of: ours.length };
    return [{ deviceId: job.deviceId, ...readNames(job), ...counts, why }];
  });
}

export function pageFailureText(failure: PageFailure, browser: string): string {
  const { trials, of, why } = failure;
  return `${nameOf(failure)} fails in ${String(trials)} of ${plural(of, 'session')} of ${browser}: ${why}`;
}

const ofWholePage: ReadonlySet<string> = new Set(
  Object.entries(measuresOfPages).flatMap(([name, one]) => (one.ofWholePage ? [name] : [])),
);

/**
 * Finds the version for which two sides are not to be compared by a metric: it did something wrong that
 * the other did not, and may have done less for it. Null where they may be compared.
 */
export function erringAlone(
  metricId: string,
  [a, b]: readonly [readonly CompletedTrial[], readonly CompletedTrial[]],
): PageError | null {
  if (!ofWholePage.has(metricId)) return null;
  return pageErrors([...a, ...b]).find(({ alone }) => alone) ?? null;
}

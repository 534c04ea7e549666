import { plural } from '../../../reports/html/number.ts';
import { caseName } from '../model/case.ts';
import { measuresOfPages } from '../model/measures.ts';
import type { Trial } from '../model/trial.ts';
import { groupBy } from './grouping.ts';
import { type CompletedTrial, isCompleted } from './series.ts';

/** Errors of a version of a page while it was measured: a script threw, or a file was missing. */
export interface PageError {
  readonly deviceId: string;
  readonly version: string;
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
    const version = String(job.case.parameters['version'] ?? '');
    return [...new Set(ours.flatMap(errorsOf))].map((error) => ({
      deviceId: job.deviceId,
      version,
      error,
      trials: ours.filter((trial) => errorsOf(trial).includes(error)).length,
      of: ours.length,
    }));
  });
  return found.map((one) => {
    const same = ({ deviceId, error }: typeof one): boolean =>
      deviceId === one.deviceId && error === one.error;
    return { ...one, alone: found.filter(same).length === 1 };
  });
}

function errorsOf({ outcome }: CompletedTrial): readonly string[] {
  return outcome.result.errors ?? [];
}

export function pageErrorText({ version, error, trials, of }: PageError, browser: string): string {
  return `${version} had an error in ${String(trials)} of ${String(of)} trials in ${browser}: ${error}`;
}

/** A version of a page that could not be measured in some sessions of a browser. */
export interface PageFailure {
  readonly deviceId: string;
  readonly version: string;
  /** The number of its trials that failed or took too long, of those that were tried. */
  readonly trials: number;
  readonly of: number;
  /** What the first one failed with. */
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
    const version = String(first.job.case.parameters['version'] ?? '');
    const { job, why } = first;
    return [{ deviceId: job.deviceId, version, trials: failures.length, of: ours.length, why }];
  });
}

export function pageFailureText(failure: PageFailure, browser: string): string {
  const { version, trials, of, why } = failure;
  return `${version} fails in ${String(trials)} of ${plural(of, 'session')} of ${browser}: ${why}`;
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

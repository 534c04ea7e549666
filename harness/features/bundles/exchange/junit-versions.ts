import { holdRun, isFailing, type Standing } from '../../../core/analysis/fail-on.ts';
import type { TableEntry } from '../../../core/analysis/decide.ts';
import { readVersion, versionNames } from '../../../core/analysis/run-pairs.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import { readPage } from '../../../core/model/case-label.ts';
import { caseName } from '../../../core/model/case.ts';
import { stableNames, versionRoles } from './values.ts';

/** A test of versions of a page: how a measure of one compares, or that a version has no new error. */
export interface VersionTest {
  readonly deviceId: string;
  readonly name: string;
  readonly ending: 'failure' | 'error' | 'skipped' | 'fine';
  readonly code: string;
  readonly sentence: string;
  /** As their user named them. */
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * Lists the tests of a comparison of versions; null for another run. They fail for exactly what
 * `--fail-on` fails. What is undecided is skipped, and an error where the run did not end.
 */
export function versionTests(record: RunRecord): readonly VersionTest[] | null {
  if (versionNames(record) === null) return null;
  const { rows, errors, failOn } = holdRun(record);
  const roles = versionRoles(record);
  const nameOf = stableNames(record);
  const isEnded = record.run.status === 'finished';
  const measured = rows.flatMap(({ entry, standing }): readonly VersionTest[] => {
    const { a, b, metric } = entry.pair;
    if (standing === null) return [];
    return [
      {
        deviceId: a.deviceId,
        name: `${nameOf(a.case)} ${metric.id}`,
        ending: endingOf(standing, isEnded),
        code: standing,
        sentence: sentenceOf(entry, standing, failOn),
        versions: { base: readVersion(b), [roles.get(readVersion(a)) ?? 'head']: readVersion(a) },
      },
    ];
  });
  const sides = new Map(
    record.jobs.map((job) => [`${job.deviceId}\n${caseName(job.case)}`, job] as const),
  );
  const clean = [...sides.values()].map((side): VersionTest => {
    const { deviceId } = side;
    const version = readVersion(side);
    const page = readPage(side.case) ?? undefined;
    const own = errors.filter(
      (one) => one.deviceId === deviceId && one.version === version && one.page === page,
    );
    return {
      deviceId,
      name: `${nameOf(side.case)} errors of its own`,
      ending: own.length > 0 ? 'failure' : 'fine',
      code: 'page-error',
      sentence: own
        .map(({ error, trials, of }) => `${error} (${String(trials)} of ${String(of)} trials)`)
        .join('; '),
      versions: { [roles.get(version) ?? 'head']: version },
    };
  });
  return [...measured, ...clean];
}

function endingOf(standing: Standing, isEnded: boolean): VersionTest['ending'] {
  if (isFailing(standing)) return 'failure';
  if (standing === 'within') return 'fine';
  return isEnded ? 'skipped' : 'error';
}

function sentenceOf({ decision: made }: TableEntry, standing: Standing, failOn: number): string {
  const limit = failOn === 0 ? 'slower' : `slower by more than ${percent(failOn)}`;
  if (standing === 'lost') return 'the first version gives this measure, and this one does not';
  if (made.kind !== 'decided-on') {
    return made.kind === 'no-ratio' ? made.because : 'no block measured both versions';
  }
  const { verdict, ratio, low, high } = made.decision;
  const interval = low === null || high === null ? '' : ` (${number(low)} to ${number(high)})`;
  const said = `${verdict}: ${number(ratio)} times the first version's${interval}`;
  if (standing === 'undecided') return `${said}; whether it is ${limit} is undecided`;
  return `${said}; the limit is ${limit}`;
}

function number(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function percent(share: number): string {
  return `${number(100 * share)} %`;
}

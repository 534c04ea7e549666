import { readPage } from '../model/case-label.ts';
import { type Case, caseName, type ParameterValue } from '../model/case.ts';
import type { Plan } from '../model/plan.ts';
import type { RunRecord } from '../model/run.ts';
import { readShare } from '../model/share.ts';
import { groupBy } from './grouping.ts';
import type { Pair, Side } from './pairs.ts';
import { countingDisturbed } from './series.ts';
import { defaultAlpha, defaultMargin } from './stats/verdict.ts';

/** The suite name that `farm compare` gives its runs: two sides, which may run different cases. */
export const comparisonSuite = 'compare';

/** The suite name of runs that compare versions of a page, in each browser. */
export const versionsSuite = 'versions';

/** Returns the run as it is judged: of versions of a page, disturbed trials count (`countingDisturbed`). */
export function asJudged(record: RunRecord): RunRecord {
  if (record.run.suite !== versionsSuite) return record;
  return { ...record, trials: countingDisturbed(record.trials) };
}

/** The names of the versions of a page that a run compared, the first first; null for another run. */
export function versionNames({
  run,
  jobs,
}: Pick<RunRecord, 'run' | 'jobs'>): readonly string[] | null {
  if (run.suite !== versionsSuite) return null;
  const [version] = jobs[0]?.case.benchmark.parameters ?? [];
  return version?.kind === 'choice' ? version.values.map(String) : null;
}

/**
 * Returns each metric of each version of a page with that of the first version, in each browser
 * that was found.
 */
export function versionPairs({
  presences,
  jobs,
}: Pick<Plan, 'presences' | 'jobs'>): readonly Pair[] {
  const cases = [...new Map(jobs.map((job) => [caseName(job.case), job.case])).values()];
  const [version] = cases[0]?.benchmark.parameters ?? [];
  if (version?.kind !== 'choice') return [];
  const pages = [...groupBy(cases, (one) => readPage(one) ?? '').values()];
  return presences
    .filter(({ status }) => status === 'found')
    .flatMap(({ device: { id: deviceId } }) =>
      pages.flatMap((ofPage) => {
        const caseOf = (value: ParameterValue): Case | undefined =>
          ofPage.find(({ parameters }) => parameters[version.name] === value);
        const [first, ...others] = version.values.map(caseOf).filter((one) => one !== undefined);
        if (first === undefined) return [];
        return others.flatMap((one) =>
          one.benchmark.metrics.map((metric) => ({
            a: { deviceId, case: one },
            b: { deviceId, case: first },
            metric,
          })),
        );
      }),
    );
}

/** The measure of a pair, after its page where there are several. */
export function titlePair({ a, metric: { title } }: Pair): string {
  const page = readPage(a.case);
  return page === null ? title : `${page}: ${title}`;
}

/** The name of a version of a page, as its user gave it. */
export function readVersion({ case: { parameters } }: Side): string {
  return String(parameters['version']);
}

/** Reads the margin of a run from its stored command. */
export function parseMargin(command: string): number {
  const [, number, percent] = /--margin[ =]([\d.]+(?:e-\d+)?)(%?)/.exec(command) ?? [];
  const share = Number(number) / (percent === '%' ? 100 : 1);
  return share >= 0 && share < 1 ? share : defaultMargin;
}

/** Reads the precision of a run from its stored command; undefined where it had none. */
export function parsePrecision(command: string): number | undefined {
  const [, text = ''] = /--margin \S+ --precision (\S+)/.exec(command) ?? [];
  return readShare(text) ?? undefined;
}

/** Reads the error rate of a run from its stored command: a search gives each comparison its own part. */
export function parseErrorRate(command: string): number {
  const [, text] = /--error-rate[ =]([\d.]+(?:e-\d+)?)/.exec(command) ?? [];
  const share = Number(text);
  return share > 0 && share < 1 ? share : defaultAlpha;
}

/** Returns the margin of all these runs; the default if they differ. */
export function commonMargin(commands: readonly string[]): number {
  const [margin, ...others] = new Set(commands.map(parseMargin));
  return margin === undefined || others.length > 0 ? defaultMargin : margin;
}

/** Returns the two sides of `farm compare`, in the order of the command. */
export function comparedPair({ presences, jobs }: Pick<Plan, 'presences' | 'jobs'>): Pair | null {
  const [a, b] = presences.map(({ device }): Side | null => {
    const job = jobs.find(({ deviceId }) => deviceId === device.id);
    return job === undefined ? null : { deviceId: device.id, case: job.case };
  });
  const metric = a?.case.benchmark.metrics[0];
  return a && b && metric ? { a, b, metric } : null;
}

/**
 * Returns the comparisons of a run's table: each case on each found device with the same case on
 * the first of them, or on the named one, by each metric of its benchmark.
 */
export function listComparisons(
  { presences, jobs }: Pick<Plan, 'presences' | 'jobs'>,
  named?: string,
): readonly Pair[] {
  const found = presences.filter((presence) => presence.status === 'found');
  const ids = found.map(({ device }) => device.id);
  const baseline = named ?? ids[0];
  if (baseline === undefined) return [];
  const others = ids.filter((id) => id !== baseline);
  const cases = new Map(jobs.map((job) => [caseName(job.case), job.case]));
  return [...cases.values()].flatMap((one) =>
    one.benchmark.metrics.flatMap((metric) =>
      others.map((deviceId) => ({
        a: { deviceId, case: one },
        b: { deviceId: baseline, case: one },
        metric,
      })),
    ),
  );
}

import { median } from 'simple-statistics';
import { groupBy } from '../../core/analysis/grouping.ts';
import { readVersion, versionNames } from '../../core/analysis/run-pairs.ts';
import { isCompleted, readValue, type CompletedTrial } from '../../core/analysis/series.ts';
import { readPage } from '../../core/model/case-label.ts';
import type { Metric } from '../../core/model/case.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { listProfiled, readProfile } from './profile/stored-profiles.ts';
import type { Profile } from './profile/profile.ts';
import { type Blame, findBlame } from './statistics/blame.ts';
import { type FunctionPlace, matchFunctions } from './statistics/match-functions.ts';

/** What was found about one version in one browser. */
export interface VersionBlame extends Blame {
  readonly deviceId: string;
  /** Null where the run compares one page. */
  readonly page: string | null;
  /** The first version, and the one that is held against it. */
  readonly before: string;
  readonly after: string;
  /** Where the functions of the rows stand, by key. */
  readonly places: ReadonlyMap<string, FunctionPlace>;
  /** How much longer an operation took in the run that was decided, in milliseconds; null where it is no time. */
  readonly expectedMs: number | null;
}

/** A profiled trial with its profile. */
interface WithProfile {
  readonly trial: CompletedTrial;
  readonly block: string;
  readonly profile: Profile;
}

/** Profiled trials of one browser, which are read once. */
export class ProfiledTrials {
  readonly #read: WithProfile[] = [];
  readonly #without = new Set<string>();
  readonly #database: string;

  constructor(database: string) {
    this.#database = database;
  }

  /** Adds the trials of a run that was profiled. */
  async add({ run, trials }: Pick<RunRecord, 'run' | 'trials'>): Promise<void> {
    for (const trial of trials.filter(isCompleted)) {
      if (trial.job.repeats !== undefined) continue;
      const [profiled] = listProfiled({ trials: [trial] });
      const place = profiled?.profile ?? { notSupported: 'it has none' };
      const profile = 'file' in place ? await readProfile(this.#database, place.file) : null;
      if (profile !== null) {
        const block = `${String(run.id)}.${String(trial.job.block)}`;
        this.#read.push({ trial, block, profile });
        continue;
      }
      const why = 'notSupported' in place ? place.notSupported : 'its file cannot be read';
      this.#without.add(`${trial.job.deviceId} has trials without a profile: ${why}`);
    }
  }

  /** Why trials have no profile, in sentences. */
  get without(): readonly string[] {
    return [...this.#without];
  }

  /**
   * Finds the functions whose self time changed, in each version of each page.
   * @param record the run that was decided: it says how long an operation takes
   */
  blame(record: RunRecord, metric: Metric): readonly VersionBlame[] {
    const [before = '', ...others] = versionNames(record) ?? [];
    const byPage = groupBy(this.#read, ({ trial: { job } }) =>
      JSON.stringify([job.deviceId, readPage(job.case)]),
    );
    return [...byPage.values()].flatMap((ours) =>
      others.flatMap((after): VersionBlame[] => {
        const [first] = ours;
        if (first === undefined) return [];
        const { deviceId, case: one } = first.trial.job;
        const [was, is] = [before, after].map((name) =>
          ours.filter(({ trial }) => readVersion(trial.job) === name),
        );
        const page = readPage(one);
        const [scaleMs, later] = [before, after].map((version) =>
          findScale(record, { deviceId, page, version, metric }),
        );
        const blamed = blameSides({ before: was ?? [], after: is ?? [] }, scaleMs ?? null);
        const expectedMs = scaleMs && later ? later - scaleMs : null;
        return blamed === null ? [] : [{ deviceId, page, before, after, expectedMs, ...blamed }];
      }),
    );
  }
}

interface ScaledVersion {
  readonly deviceId: string;
  readonly page: string | null;
  readonly version: string;
  readonly metric: Metric;
}

/** Milliseconds of one operation in the run that was decided; null where it is no time. */
function findScale(
  { trials }: RunRecord,
  { deviceId, page, version, metric }: ScaledVersion,
): number | null {
  if (metric.unit !== 'ms') return null;
  const values = trials.filter(isCompleted).flatMap((trial) => {
    const { job } = trial;
    const isOurs =
      job.deviceId === deviceId && readVersion(job) === version && readPage(job.case) === page;
    return isOurs ? (readValue(trial, metric) ?? []) : [];
  });
  const scale = values.length === 0 ? 0 : median(values);
  return scale > 0 ? scale : null;
}

interface Sides {
  readonly before: readonly WithProfile[];
  readonly after: readonly WithProfile[];
}

function blameSides(
  { before, after }: Sides,
  known: number | null,
): (Blame & Pick<VersionBlame, 'places'>) | null {
  const { times, places } = matchFunctions(
    before.map(({ profile }) => profile),
    after.map(({ profile }) => profile),
  );
  const blocks = before.flatMap(({ block }, index) => {
    const other = after.findIndex((one) => one.block === block);
    const [own, others] = [times[0][index], times[1][other]];
    return own === undefined || others === undefined ? [] : [{ before: own, after: others }];
  });
  const [first] = blocks;
  if (first === undefined) return null;
  // Both sides of the first block alike: their order is as good as drawn.
  const scaleMs = known ?? (first.before.totalMs + first.after.totalMs) / 2;
  return { ...findBlame(blocks, { scaleMs }), places };
}

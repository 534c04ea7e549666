import { median } from 'simple-statistics';
import { groupBy } from '../../core/analysis/grouping.ts';
import { isCompleted, readValue, type CompletedTrial } from '../../core/analysis/series.ts';
import type { Metric } from '../../core/model/case.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { type ComparedPlace, type ComparedSides, readSides } from './compared-sides.ts';
import { listProfiled, readProfile } from './profile/stored-profiles.ts';
import type { Profile } from './profile/profile.ts';
import { type Blame, findBlame } from './statistics/blame.ts';
import { type FunctionPlace, matchFunctions } from './statistics/match-functions.ts';

/** What was found about one side in one browser. */
export interface SideBlame extends Blame, Omit<ComparedPlace, 'key'> {
  /** The first side, and the one that is compared with it. */
  readonly before: string;
  readonly after: string;
  /** Where the functions of the rows stand, by key. */
  readonly places: ReadonlyMap<string, FunctionPlace>;
  /** How much longer an operation took in the run that was decided, in milliseconds; null where it is no time. */
  readonly expectedMs: number | null;
}

/** A profiled trial with its profile. */
interface WithProfile {
  readonly block: string;
  /** Key of its place. */
  readonly place: string;
  /** Index of its side. */
  readonly side: number;
  readonly profile: Profile;
}

/** The run that was decided. */
export interface DecidedRun {
  readonly record: RunRecord;
  readonly sides: ComparedSides;
  /** The time that is explained. */
  readonly metric: Metric;
  /** Of the false discoveries. */
  readonly alpha: number;
}

/** Profiled trials of one browser, which are read once. */
export class ProfiledTrials {
  readonly #read: WithProfile[] = [];
  readonly #without = new Set<string>();
  readonly #database: string;

  constructor(database: string) {
    this.#database = database;
  }

  /**
   * Adds the trials of a run that was profiled.
   * @param sides those of the decided run, where this one lacks some of them; else they are its own, in
   *   which a build may be another copy
   */
  async add(record: RunRecord, sides: ComparedSides | null = readSides(record)): Promise<void> {
    if (sides === null) return;
    for (const trial of record.trials.filter(isCompleted)) {
      const side = sides.findSide(trial.job);
      if (trial.job.repeats !== undefined || side === -1) continue;
      const [profiled] = listProfiled({ trials: [trial] });
      const found = profiled?.profile ?? { notSupported: 'it has none' };
      const profile = 'file' in found ? await readProfile(this.#database, found.file) : null;
      if (profile !== null) {
        const block = `${String(record.run.id)}.${String(trial.job.block)}`;
        this.#read.push({ block, side, place: sides.findPlace(trial.job), profile });
        continue;
      }
      const why = 'notSupported' in found ? found.notSupported : 'its file cannot be read';
      this.#without.add(`${trial.job.deviceId} has trials without a profile: ${why}`);
    }
  }

  /** Why trials have no profile, in sentences. */
  get without(): readonly string[] {
    return [...this.#without];
  }

  /** Finds the functions whose self time changed, on each side of each page. */
  blame(decided: DecidedRun): readonly SideBlame[] {
    const { places, names } = decided.sides;
    const [before = '', ...others] = names;
    const byPlace = groupBy(this.#read, ({ place }) => place);
    return places.flatMap(({ key, browser, page }) => {
      const ours = byPlace.get(key) ?? [];
      const was = ours.filter(({ side }) => side === 0);
      const scaleMs = findScale(decided, key, 0);
      return others.flatMap((after, index): SideBlame[] => {
        const is = ours.filter(({ side }) => side === index + 1);
        const blamed = blameSides([was, is], { scaleMs, alpha: decided.alpha });
        if (blamed === null) return [];
        const laterMs = findScale(decided, key, index + 1);
        const expectedMs = scaleMs === null || laterMs === null ? null : laterMs - scaleMs;
        return [{ browser, page, before, after, expectedMs, ...blamed }];
      });
    });
  }
}

/** Milliseconds of one operation in the run that was decided; null where it is no time. */
function findScale(
  { record, sides, metric }: DecidedRun,
  place: string,
  side: number,
): number | null {
  if (metric.unit !== 'ms') return null;
  const isOurs = ({ job }: CompletedTrial): boolean =>
    sides.findSide(job) === side && sides.findPlace(job) === place;
  const ours = record.trials.filter(isCompleted).filter(isOurs);
  const values = ours.flatMap((trial) => readValue(trial, metric) ?? []);
  const scale = values.length === 0 ? 0 : median(values);
  return scale > 0 ? scale : null;
}

interface BlamedScale {
  readonly scaleMs: number | null;
  readonly alpha: number;
}

function blameSides(
  [before, after]: readonly [readonly WithProfile[], readonly WithProfile[]],
  { scaleMs: known, alpha }: BlamedScale,
): (Blame & Pick<SideBlame, 'places'>) | null {
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
  return { ...findBlame(blocks, { scaleMs, alpha }), places };
}

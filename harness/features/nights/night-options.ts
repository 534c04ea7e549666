import { resolve } from 'node:path';
import { defaultStoreBytes } from '../../setup/build-store.ts';
import { runDefaults } from '../../app/defaults.ts';
import type { NightRunOptions } from './measure-night.ts';

export interface NightlyOptions extends NightRunOptions {
  /** Milliseconds for measuring suspects again. */
  readonly analysisBudget: number;
  /** Folder for a copy of the database. */
  readonly backup?: string;
  readonly keepDays?: number;
  readonly maxSize?: number;
  /** Most bytes of the store of builds. */
  readonly keepBuilds: number;
}

/** The given options; `completeNight` adds the others. */
export type GivenNight = Omit<NightlyOptions, CompletedOption> &
  Partial<Pick<NightlyOptions, CompletedOption>>;

type CompletedOption = 'suite' | 'budget' | 'analysisBudget' | 'keepBuilds';

const hourMs = 3_600_000;

/** Fills in the options that were not given. */
export function completeNight(given: GivenNight): NightlyOptions {
  return {
    ...runDefaults,
    ...given,
    budget: given.budget ?? 6 * hourMs,
    analysisBudget: given.analysisBudget ?? hourMs,
    keepBuilds: given.keepBuilds ?? defaultStoreBytes,
    database: resolve(given.database),
    suite: given.suite ?? (given.bench.length > 0 ? null : 'nightly'),
  };
}

/** Writes what a night is asked for as one line: two farms with the same line are asked for the same night. */
export function askedOf(options: NightlyOptions): string {
  const named = Object.entries(options)
    // Nights are kept with their database.
    .filter(([name]) => name !== 'database')
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(Object.fromEntries(named));
}

import { groupBy } from '../../core/analysis/grouping.ts';
import type { Side } from '../../core/analysis/pairs.ts';
import {
  comparedPair,
  comparisonSuite,
  readVersion,
  versionNames,
} from '../../core/analysis/run-pairs.ts';
import { isOwnPage, readPage } from '../../core/model/case-label.ts';
import { caseName } from '../../core/model/case.ts';
import type { Presence } from '../../core/model/device.ts';
import type { RunRecord } from '../../core/model/run.ts';

/** Browser and page within which sides are compared. */
export interface ComparedPlace {
  /** The same for a comparison and its repetition. */
  readonly key: string;
  /** Null where the sides are browsers. */
  readonly browser: string | null;
  /** Null where the run compares one page of its user. */
  readonly page: string | null;
}

/** The sides that a stored run compares: versions of a page in each browser, or two devices. */
export interface ComparedSides {
  readonly kind: 'versions' | 'devices';
  /** The first is the side that each other one is compared with. */
  readonly names: readonly string[];
  readonly places: readonly ComparedPlace[];
  /** Finds the index among the names; -1 for a trial of none of them. */
  readonly findSide: (one: Side) => number;
  /** Finds the key of the place. */
  readonly findPlace: (one: Side) => string;
}

/** Returns the sides of a run; null for one that compares neither versions nor two devices. */
export function readSides(record: RunRecord): ComparedSides | null {
  const names = versionNames(record);
  if (names === null) return record.run.suite === comparisonSuite ? readDevices(record) : null;
  if (names.length < 2) return null;
  const places = groupBy(record.jobs, findPageKey);
  return {
    kind: 'versions',
    names,
    places: [...places].map(([key, [job]]) => ({
      key,
      browser: job?.deviceId ?? null,
      page: job === undefined ? null : readPage(job.case),
    })),
    findSide: (one) => names.indexOf(readVersion(one)),
    findPlace: findPageKey,
  };
}

function findPageKey({ deviceId, case: one }: Side): string {
  return JSON.stringify([deviceId, readPage(one)]);
}

/** A verdict is on the first side of the command, compared with the second. */
function readDevices(record: RunRecord): ComparedSides | null {
  const pair = comparedPair(record);
  const [after, before] = record.presences;
  if (pair === null || after === undefined || before === undefined) return null;
  const ids = [before, after].map(({ device }) => device.id);
  const cases = [pair.b.case, pair.a.case].map(caseName);
  const isOneCase = cases[0] === cases[1];
  const { browser, names } = nameDevices([before, after]);
  const page = isOwnPage(pair.a.case.benchmark.id) ? readPage(pair.a.case) : (cases[1] ?? null);
  return {
    kind: 'devices',
    names: isOneCase ? names : names.map((name, side) => `${name} with ${cases[side] ?? ''}`),
    places: [{ key: '', browser, page: isOneCase ? page : null }],
    findSide: ({ deviceId }) => ids.indexOf(deviceId),
    findPlace: () => '',
  };
}

/** Names builds of one browser by their versions, one build with two settings by its names, others by their ids. */
function nameDevices(presences: readonly Presence[]): Pick<ComparedPlace, 'browser'> & {
  readonly names: readonly string[];
} {
  const [browser = null, ...others] = new Set(
    presences.map(({ device }) => device.id.replace(/@[^@]*$/, '')),
  );
  if (others.length > 0) return { browser: null, names: presences.map(({ device }) => device.id) };
  const versions = presences.map((one) =>
    one.status === 'found' ? one.target.browser.version : '',
  );
  const areBuilds = new Set(versions).size === presences.length;
  return areBuilds
    ? { browser, names: versions }
    : { browser: null, names: presences.map(({ device }) => device.name) };
}

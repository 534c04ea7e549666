import { groupBy } from '../../../core/analysis/grouping.ts';
import type { DifferenceTable } from '../../../core/results/index.ts';
import { compareProfiles, type ProfileDifference, type ProfileSides } from './difference.ts';
import { describeCode } from './evidence.ts';
import type { Profile } from './profile.ts';
import { type ProfiledTrial, readProfile } from './stored-profiles.ts';

/** Two versions, or runs, of a case in a browser. */
export type NamedDifference = ProfileDifference & DifferenceTable;

/** Trials of two sides, and what each is called. */
export interface SidesToCompare {
  readonly title: string;
  readonly before: NamedSide;
  readonly after: NamedSide;
}

interface NamedSide {
  readonly name: string;
  readonly trials: readonly ProfiledTrial[];
}

/** Pairs each later version of a page with the first, in each browser. */
export function pairVersions(
  profiled: readonly ProfiledTrial[],
  names: readonly string[],
): readonly SidesToCompare[] {
  const [first = '', ...others] = names;
  const groups = groupBy(
    profiled,
    ({ deviceId, caseOfVersions }) => `${deviceId} · ${caseOfVersions}`,
  );
  return [...groups].flatMap(([title, trials]) =>
    others.map((name) => ({
      title: `${title} · ${name} against ${first}`,
      before: { name: first, trials: trials.filter(({ version }) => version === first) },
      after: { name, trials: trials.filter(({ version }) => version === name) },
    })),
  );
}

interface ProfiledRun {
  readonly run: number;
  readonly profiled: readonly ProfiledTrial[];
}

/** Pairs each case of a run with the same one of an earlier run; or its only one with the other's. */
export function pairRuns(earlier: ProfiledRun, later: ProfiledRun): readonly SidesToCompare[] {
  const [before, after] = [groupCases(earlier.profiled), groupCases(later.profiled)];
  const isAlone = before.size === 1 && after.size === 1;
  const [only = []] = before.values();
  return [...after].map(([title, trials]) => {
    const others = before.get(title) ?? (isAlone ? only : []);
    const names = [nameRun(earlier.run, others), nameRun(later.run, trials)] as const;
    const [{ deviceId = '', caseOfVersions = '' } = {}] = trials;
    return {
      title: `${deviceId} · ${caseOfVersions} · ${names[1]} against ${names[0]}`,
      before: { name: names[0], trials: others },
      after: { name: names[1], trials },
    };
  });
}

/** Such as `run 7 (new.html)` where it measured a page of its user. */
function nameRun(run: number, [first]: readonly ProfiledTrial[]): string {
  const version = first?.version ?? null;
  return version === null ? `run ${String(run)}` : `run ${String(run)} (${version})`;
}

function groupCases(
  profiled: readonly ProfiledTrial[],
): ReadonlyMap<string, readonly ProfiledTrial[]> {
  return groupBy(profiled, ({ deviceId, caseName }) => `${deviceId} · ${caseName}`);
}

/** Of each side its last ones: their engines had the longest to settle. */
const mostOfSide = 8;

/** Compares the profiles of both sides where each has some. */
export async function findDifferences(
  database: string,
  all: readonly SidesToCompare[],
): Promise<readonly NamedDifference[]> {
  const found: NamedDifference[] = [];
  for (const { title, before, after } of all) {
    const sides: ProfileSides = [
      await readSide(database, before.trials),
      await readSide(database, after.trials),
    ];
    if (sides.some(({ length }) => length === 0)) continue;
    found.push({
      title,
      before: before.name,
      after: after.name,
      profiles: [sides[0].length, sides[1].length],
      evidence: [
        ...describeCode(sides[0]).map((one) => `${before.name}: ${one}`),
        ...describeCode(sides[1]).map((one) => `${after.name}: ${one}`),
      ],
      ...compareProfiles(sides),
    });
  }
  return found;
}

async function readSide(
  database: string,
  trials: readonly ProfiledTrial[],
): Promise<readonly Profile[]> {
  const files = trials.flatMap(({ profile }) => ('file' in profile ? [profile.file] : []));
  const read = [];
  for (const file of files.slice(-mostOfSide)) read.push(await readProfile(database, file));
  return read.filter((one) => one !== null);
}

import type { FlameThread, ProfileFindings } from '../../../core/results/index.ts';
import { listBusiest } from './busiest.ts';
import { describeCode } from './evidence.ts';
import type { NamedDifference } from './find-differences.ts';
import { growFlame } from './flame-tree.ts';
import type { ReadTrial } from './stored-profiles.ts';

interface AllProfiles {
  readonly differences: readonly NamedDifference[];
  readonly profiles: readonly Pick<ReadTrial, 'title' | 'data'>[];
}

export const roleNames = {
  main: 'main thread',
  worker: 'worker',
  helper: 'helper thread',
} as const satisfies Record<FlameThread['role'], string>;

/** Rows of a table. */
const mostRows = 20;

/**
 * Makes the graphs and tables of a page, those of differences first.
 * @param mostCharacters graphs that would take more as JSON are left out, the last ones first
 */
export function summarizeProfiles(
  { differences, profiles }: AllProfiles,
  mostCharacters = Infinity,
): ProfileFindings {
  const groups = [...differences.map(listDifferences), ...profiles.map(listThreads)];
  const threads = keepSome(groups.flat(), mostCharacters);
  // The widest ones come first.
  const [first] = (groups[0] ?? []).toSorted((a, b) => b.flame.v - a.flame.v);
  return {
    threads,
    first: Math.max(0, first === undefined ? 0 : threads.indexOf(first)),
    differences: differences.map(({ title, before, after, functions, ...more }) => ({
      title,
      before,
      after,
      profiles: more.profiles,
      evidence: more.evidence,
      functions: functions.slice(0, mostRows),
    })),
    profiles: profiles.map(({ title, data }) => {
      const { operations, intervalMs, thinnedBy, notes } = data;
      const functions = listBusiest(data).slice(0, mostRows);
      const evidence = describeCode([data]);
      return { title, operations, intervalMs, thinnedBy, notes, evidence, functions };
    }),
  };
}

function listDifferences({ title, flames }: NamedDifference): readonly FlameThread[] {
  return flames.map(({ role, flame }) => ({
    title: `${title} · ${roleNames[role]}`,
    role,
    operations: 1,
    flame,
  }));
}

function listThreads({ title, data }: AllProfiles['profiles'][number]): readonly FlameThread[] {
  return data.threads
    .map((thread) => ({
      title: `${title} · ${roleNames[thread.role]} (${thread.name})`,
      role: thread.role,
      operations: data.operations,
      flame: growFlame(data, thread),
    }))
    .filter(({ flame }) => flame.v > 0);
}

function keepSome(threads: readonly FlameThread[], mostCharacters: number): readonly FlameThread[] {
  let characters = 0;
  return threads.filter((one) => (characters += JSON.stringify(one).length) <= mostCharacters);
}

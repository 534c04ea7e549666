import type { CaseCourse, CaseRow, CpuFacts, Findings } from '../../harness/results/index.ts';
import type { Html } from '../html/escape.ts';

/** All that one case unfolds to, in the order of the targets. */
export interface CpuCase {
  readonly caseName: string;
  readonly benchmark: string;
  readonly facts: readonly CpuFacts[];
  readonly courses: readonly CaseCourse[];
  /** One for each metric. */
  readonly rows: readonly CaseRow[];
  /** Null where only its numbers are shown. */
  readonly figure: Html | null;
}

/** The facts by case in the order of the rows, without figures. */
export function cpuCases({ cpu, courses = [], rows: all }: Findings): readonly CpuCase[] {
  const rowsOf = grouped(all, ({ caseName }) => caseName);
  const factsOf = grouped(cpu, ({ caseName }) => caseName);
  const coursesOf = grouped(courses, ({ caseName }) => caseName);
  return [...new Set([...rowsOf.keys(), ...factsOf.keys()])].map((caseName) => {
    const rows = rowsOf.get(caseName) ?? [];
    return {
      caseName,
      benchmark: rows[0]?.benchmark ?? '',
      facts: factsOf.get(caseName) ?? [],
      courses: coursesOf.get(caseName) ?? [],
      rows,
      figure: null,
    };
  });
}

/** `Map.groupBy`, which Node.js 20 does not have. */
export function grouped<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}

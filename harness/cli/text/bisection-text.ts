import pc from 'picocolors';
import { formatThreeDigits } from '../../../reports/html/number.ts';
import type { BisectionResult, BisectionStep } from '../../app/compare/bisect.ts';

/** One step as a line. */
export function describeStep({ version, against, decision, stopped, run }: BisectionStep): string {
  const figures =
    decision === null
      ? (stopped ?? 'no block in common')
      : `${decision.verdict}, ${formatThreeDigits(decision.ratio)}× in ${String(decision.blocks)} blocks`;
  return `${version} against ${against}: ${figures} (run ${String(run)})`;
}

/** The answer, for a person. */
export function describeBisection({ found, builds }: BisectionResult): string {
  const version = (index: number): string => builds[index] ?? '';
  switch (found.kind) {
    case 'no-difference':
      return `${version(0)} and ${version(builds.length - 1)} do not differ: there is nothing to look for.`;
    case 'narrowed':
      return `${pc.bold(`${version(found.last)} → ${version(found.first)}`)}: the difference came between these two builds.`;
    case 'undecided':
      return `Undecided: the difference lies between ${version(found.last)} and ${version(found.first)}, if there is one. More blocks may tell: --max-blocks`;
  }
}

/** The shape of `farm bisect --json`. */
export function bisectionJson({ found, builds, steps }: BisectionResult): object {
  const ends = found.kind === 'no-difference' ? { last: 0, first: builds.length - 1 } : found;
  return {
    outcome: found.kind,
    last: builds[ends.last] ?? null,
    first: builds[ends.first] ?? null,
    builds,
    steps: steps.map(({ version, verdict, run, decision, stopped }) => ({
      ...{ version, verdict, run, stopped },
      ratio: decision?.ratio ?? null,
      low: decision?.low ?? null,
      high: decision?.high ?? null,
      blocks: decision?.blocks ?? 0,
    })),
  };
}

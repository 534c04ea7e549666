import { runCircumstances } from '../../core/analysis/pairs.ts';
import { parseMargin } from '../../core/analysis/run-pairs.ts';
import { analyseSweep } from '../../core/analysis/sweep.ts';
import { caseName } from '../../core/model/case.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { isSelected, parseSelector } from '../../core/setup/builds/selector.ts';
import { isChange, lookAlpha, Looks } from './looks.ts';
import type { SweepResult } from './sweep.ts';

/**
 * Analyses the stored looks of a sweep, the oldest first, as it did itself. Builds that it left out, or
 * did not measure, are not stored.
 * @throws RangeError for runs that are no sweep.
 */
export function readSweep(runs: readonly RunRecord[]): SweepResult & { readonly margin: number } {
  const [first] = runs;
  const one = first?.jobs[0]?.case;
  const metric = one?.benchmark.metrics[0];
  if (first === undefined || one === undefined || metric === undefined) {
    throw new RangeError('a sweep has a run with jobs');
  }
  const { command } = first.run;
  const [of, margin] = [{ case: one, metric }, parseMargin(command)];
  const builds = [...new Set(runs.flatMap(buildsOf))].sort(compareBuilds);
  const reference = referenceOf(command, buildsOf(first));
  const looks = new Looks((build) => builds.indexOf(build));
  for (const record of runs) {
    const there = buildsOf(record);
    const deviceIds = there.filter((id) => id !== reference || isLookedAt(id, there, looks));
    const rules = { margin, alpha: lookAlpha, ...runCircumstances(record) };
    looks.note(
      record.run.id,
      analyseSweep({ trials: record.trials, deviceIds, reference, of, rules }),
    );
  }
  return {
    case: caseName(one),
    metric,
    reference,
    points: builds.flatMap((build) => looks.points.get(build) ?? []),
    ...looks.summary,
    leftOut: [],
    notMeasured: [],
    command,
    interrupted: runs.some(({ run }) => run.status === 'interrupted'),
    margin,
  };
}

/** Builds of a run, the oldest first. */
function buildsOf({ presences }: RunRecord): readonly string[] {
  return presences
    .filter(({ status }) => status === 'found')
    .map(({ device }) => device.id)
    .sort(compareBuilds);
}

/** By their versions: `chromium@103.0` stands before `chromium@118.0`. */
function compareBuilds(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

/** The build that stands in every block: the one that the command names, else the newest. */
function referenceOf(command: string, builds: readonly string[]): string {
  const named = /--reference (\S+)/.exec(command)?.[1];
  const newest = builds.at(-1) ?? '';
  if (named === undefined) return newest;
  const wanted = parseSelector(named);
  return builds.findLast((build) => isSelected(versionIn(build), wanted)) ?? newest;
}

function versionIn(build: string): string {
  return build.slice(build.lastIndexOf('@') + 1);
}

/** A finer look has the reference build in its blocks; it looks at it only next to a change that it ends. */
function isLookedAt(reference: string, there: readonly string[], looks: Looks): boolean {
  if (looks.runs.length === 0) return true;
  return looks.steps.filter(isChange).some(({ between: [older, newer] }) => {
    if (older !== reference && newer !== reference) return false;
    const [from, to] = [compareBuilds.bind(null, older), compareBuilds.bind(null, newer)];
    return there.some((build) => from(build) < 0 && to(build) > 0);
  });
}

import { isCompleted, valueOf } from '../../analysis/series.ts';
import { versionOf } from '../../analysis/verdicts.ts';
import type { VersionsComparison } from '../../app/versions/compare-versions.ts';
import { caseName } from '../../model/case.ts';
import { probeOf } from '../../run/external-page.ts';
import { browserOf, type Pair } from './versions-rows.ts';

/** Of measures that a version or a browser never gave. */
export function notGivenNotes(shown: VersionsComparison): readonly string[] {
  const notes = shown.entries.flatMap(({ pair, decision: made }) => {
    if (made.kind !== 'not-given') return [];
    if (made.onlyBy !== null) {
      const only = versionOf(made.onlyBy);
      const where = browserOf(shown, pair.a.deviceId);
      return [`${pair.metric.title}: only ${only} has one in ${where}, so it is not compared`];
    }
    return [`${pair.metric.title}: not supported here, because ${whyNotGiven(shown, pair)}`];
  });
  return [...new Set(notes)];
}

/** Of measures that some loads of a page lack: a row is of those that have it. */
export function atTimesNotes(shown: VersionsComparison): readonly string[] {
  const notes = shown.entries.flatMap(({ pair, decision: made }) => {
    const { a, b, metric } = pair;
    if (made.kind === 'not-given' || metric.optional !== true) return [];
    const counts = [b, a].map((side) => {
      const ours = shown.trials
        .filter(isCompleted)
        .filter(
          ({ job }) => job.deviceId === side.deviceId && caseName(job.case) === caseName(side.case),
        );
      const having = ours.filter((trial) => valueOf(trial, metric) !== null).length;
      return { of: ours.length, having, text: `${String(having)} of ${String(ours.length)}` };
    });
    if (counts.every(({ of, having }) => of === having)) return [];
    const [first, other] = counts;
    const where = `in ${browserOf(shown, a.deviceId)}`;
    return [
      `${metric.title} ${where}: in ${first?.text ?? ''} loads of ${versionOf(b)}, and ${other?.text ?? ''} of ${versionOf(a)}`,
    ];
  });
  return [...new Set(notes)];
}

function whyNotGiven({ trials, ...shown }: VersionsComparison, { a, metric }: Pair): string {
  const browser = browserOf(shown, a.deviceId);
  const watched = a.case.benchmark.guest?.watched?.[metric.id];
  if (watched === undefined) {
    const isPaint = ['fp', 'fcp', 'lcp'].includes(metric.id);
    return isPaint ? `no version painted what ${browser} tells of` : `${browser} does not give it`;
  }
  const reading = trials
    .filter(({ job }) => job.deviceId === a.deviceId)
    .filter(isCompleted)
    .flatMap(({ outcome }) => outcome.readings)
    .find(({ probe }) => probe === probeOf(watched));
  return reading !== undefined && 'notSupported' in reading
    ? reading.notSupported
    : `processes of ${browser} cannot be read by this user`;
}

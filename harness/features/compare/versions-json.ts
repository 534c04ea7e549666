import { waitLeftOut } from '../../core/analysis/busy-machine.ts';
import type { TableEntry } from '../../core/analysis/decide.ts';
import { findDeviceDisplay } from '../../core/analysis/displays.ts';
import { isLost } from '../../core/analysis/fail-on.ts';
import { pageErrors, pageFailures } from '../../core/analysis/page-errors.ts';
import { warmingUp } from '../../core/analysis/page-warm-up.ts';
import { readVersion } from '../../core/analysis/run-pairs.ts';
import { disturbedAmong } from '../../core/analysis/series.ts';
import { readPage } from '../../core/model/case-label.ts';
import type { Case } from '../../core/model/case.ts';
import type { VersionsComparison } from './compare-versions.ts';
import { endedVersions, precisionJson } from './ending-text.ts';
import { explainedJson, explainEntries } from './versions-explained.ts';
import { rowsOf } from './versions-rows.ts';

/** Measures that only some versions gave, in any browser. */
function onlyIn(entries: VersionsComparison['entries']): readonly object[] {
  const byMeasure = new Map<string, Set<string>>();
  for (const { pair, decision: made } of entries) {
    if (made.kind !== 'not-given' || made.onlyBy === null) continue;
    const versions = byMeasure.get(pair.metric.title) ?? new Set();
    byMeasure.set(pair.metric.title, versions.add(readVersion(made.onlyBy)));
  }
  return [...byMeasure].map(([measure, versions]) => ({ measure, versions: [...versions] }));
}

function listWarmingUp(trials: VersionsComparison['trials']): readonly object[] {
  return warmingUp(trials).map(({ metric, deviceId, ...course }) => ({
    device: deviceId,
    metric: metric.id,
    ...course,
  }));
}

function missingBrowsers(presences: VersionsComparison['presences']): readonly object[] {
  return presences.flatMap((one) =>
    one.status === 'missing' ? [{ device: one.device.id, reason: one.reason }] : [],
  );
}

/** How each browser drew, where it said so. */
function listDisplays({ presences, trials }: VersionsComparison): readonly object[] {
  return presences.flatMap(({ device }) => {
    const display = findDeviceDisplay(trials, device.id);
    return display === null ? [] : [{ device: device.id, ...display }];
  });
}

/** The shape of `farm compare <version> <version> --json`: a contract with other tools. */
export function versionsJson(shown: VersionsComparison): object {
  const {
    run,
    preset,
    versions,
    margin,
    alpha,
    seed,
    command,
    byDefault,
    ended,
    stopped,
    entries,
    trials,
  } = shown;
  const rows = rowsOf(shown);
  const explained = explainEntries(shown);
  return {
    versions,
    margin,
    alpha,
    seed,
    command,
    run,
    ...(preset === undefined ? {} : { preset }),
    ended,
    ...precisionJson(endedVersions(shown)),
    ...(stopped === null ? {} : { because: stopped }),
    byDefault,
    missing: missingBrowsers(shown.presences),
    onlyIn: onlyIn(entries),
    errors: pageErrors(trials).map(({ deviceId, ...error }) => ({ device: deviceId, ...error })),
    failures: pageFailures(trials).map(({ deviceId, ...one }) => ({ device: deviceId, ...one })),
    warmingUp: listWarmingUp(trials),
    displays: listDisplays(shown),
    disturbed: { ...disturbedAmong(trials), waitLeftOut: waitLeftOut(trials) },
    comparisons: entries.map((entry) => ({
      ...entryJson(entry, rows),
      ...decisionJson(entry, shown),
      ...explainedJson(explained.get(entry)),
    })),
  };
}

function entryJson(entry: TableEntry, rows: ReturnType<typeof rowsOf>): object {
  const { pair } = entry;
  const row = rows.find((one) => one.entry === entry);
  const base = rows.find(
    (one) => one.entry === null && one.deviceId === row?.deviceId && one.measure === row.measure,
  );
  return {
    device: pair.a.deviceId,
    ...pageJson(pair.a.case),
    metric: pair.metric.id,
    title: pair.metric.title,
    unit: pair.metric.unit,
    version: readVersion(pair.a),
    first: readVersion(pair.b),
    value: row?.value ?? null,
    firstValue: base?.value ?? null,
    blockRatios: row?.blockRatios ?? [],
    cautions: row?.cautions ?? [],
  };
}

function decisionJson(
  entry: TableEntry,
  { moreBlocks }: Pick<VersionsComparison, 'moreBlocks'>,
): object {
  const { decision: made } = entry;
  if (made.kind !== 'decided-on') {
    return {
      verdict: isLost(entry) ? 'lost' : wordOf(made),
      ratio: null,
      low: null,
      high: null,
      blocks: 0,
    };
  }
  const { verdict, ratio, low, high, mean, blocks, because } = made.decision;
  const more = moreBlocks.get(entry) ?? null;
  return { verdict, ratio, low, high, mean, blocks, because, moreBlocks: more };
}

function wordOf(made: Exclude<TableEntry['decision'], { kind: 'decided-on' }>): string {
  if (made.kind === 'not-given') return 'not supported';
  return made.kind === 'no-ratio' && made.zeros === 'same' ? 'equivalent' : 'undecided';
}

/** Only where there are several. */
function pageJson(one: Case): object {
  const page = readPage(one);
  return page === null ? {} : { page };
}

/** The rows of a comparison of versions, which the terminal, Markdown and JSON share. */
import { median, sum } from 'simple-statistics';
import { isTime } from '../../../reports/html/number.ts';
import { changeInWords } from '../../../reports/wording/change.ts';
import {
  countingDisturbed,
  isCompleted,
  readValue,
  withoutQuarantined,
} from '../../core/analysis/series.ts';
import type { TableEntry } from '../../core/analysis/decide.ts';
import { isDrawnBySoftware, softwareMark } from '../../core/analysis/displays.ts';
import { centreBeside } from '../../core/analysis/table.ts';
import { readVersion, titlePair } from '../../core/analysis/run-pairs.ts';
import type { VersionsComparison } from './compare-versions.ts';
import { isLost } from '../../core/analysis/fail-on.ts';
import { browserOf } from './look-text.ts';
import { readPage } from '../../core/model/case-label.ts';
import { caseName } from '../../core/model/case.ts';
import { measuresOfPages, probeReading } from '../../core/model/measures.ts';

/** One row: a number of one version in one browser. */
export interface Row {
  readonly browser: string;
  readonly deviceId: string;
  readonly measure: string;
  readonly unit: string;
  readonly version: string;
  /** Of the first version the median; of others what their ratio makes of it, so that both agree. */
  readonly value: number | null;
  /** Null in rows of the first version. */
  readonly entry: TableEntry | null;
  /** Ratio to the first version in each block in common, in their order. */
  readonly blockRatios: readonly number[];
  readonly words: string;
  /** Limits of the number, each in some words. */
  readonly cautions: readonly string[];
}

/** A row for each version, metric and browser, the first version first. */
export function rowsOf(shown: VersionsComparison): readonly Row[] {
  const groups = new Map<string, TableEntry[]>();
  for (const entry of shown.entries) {
    const { a, metric } = entry.pair;
    const key = `${a.deviceId} ${readPage(a.case) ?? ''} ${metric.id}`;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].flatMap((entries) => {
    const [{ pair } = entries[0] ?? { pair: null }] = entries;
    if (pair === null) return [];
    const { metric, b } = pair;
    const base = middleOf(shown, b, pair);
    const common = {
      browser: browserOf(shown, b.deviceId),
      deviceId: b.deviceId,
      measure: titlePair(pair),
      unit: metric.unit,
      cautions: listCautions(shown, pair),
    };
    const first: Row = {
      ...common,
      version: readVersion(pair.b),
      value: base,
      entry: null,
      blockRatios: [],
      words: '',
    };
    const others = entries.map((entry): Row => {
      return {
        ...common,
        version: readVersion(entry.pair.a),
        value: valueOfNew(entry, { base, shown }),
        entry,
        blockRatios: entry.decision.kind === 'decided-on' ? entry.decision.blockRatios : [],
        words: wordsOf(entry, shown),
      };
    });
    return [first, ...others];
  });
}

function listCautions({ trials }: VersionsComparison, { b, metric }: Pair): readonly string[] {
  const ours = trials.filter(isCompleted).filter(({ job }) => job.deviceId === b.deviceId);
  return isDrawnBySoftware(ours, metric) ? [softwareMark] : [];
}

function valueOfNew(
  { pair, decision: made }: TableEntry,
  { base, shown }: { readonly base: number | null; readonly shown: VersionsComparison },
): number | null {
  if (made.kind !== 'decided-on') return middleOf(shown, pair.a, pair);
  return base === null ? null : centreBeside(base, made.decision.ratio);
}

export type Pair = TableEntry['pair'];

function middleOf(
  { trials }: VersionsComparison,
  side: Pair['b'],
  { metric }: Pair,
): number | null {
  const name = caseName(side.case);
  const values = withoutQuarantined(countingDisturbed(trials))
    .filter(isCompleted)
    .filter(({ job }) => job.deviceId === side.deviceId && caseName(job.case) === name)
    .map((trial) => readValue(trial, metric))
    .filter((value) => value !== null);
  return values.length === 0 ? null : median(values);
}

function wordsOf(entry: TableEntry, shown: VersionsComparison): string {
  const { pair, decision: made } = entry;
  if (isLost(entry)) return 'lost';
  if (made.kind === 'no-blocks') return 'not measured';
  if (made.kind === 'not-given') {
    return made.onlyBy === null ? 'not supported here' : 'the first has none';
  }
  if (made.kind === 'no-ratio' && made.erring !== undefined) {
    return `no verdict: ${made.erring} had an error`;
  }
  if (made.kind === 'no-ratio')
    return made.zeros === 'same' ? 'same: always 0' : 'no ratio: a value is 0';
  const { verdict, ratio, low, high, mean, because } = made.decision;
  const { margin } = shown;
  const moreBlocks = shown.moreBlocks.get(entry);
  const moreMinutes = moreBlocks === undefined ? null : (moreBlocks * blockMs(shown)) / 60_000;
  return changeInWords({
    verdict,
    ratio,
    low,
    high,
    margin,
    isTime: isTime(pair.metric.unit),
    ...(because === 'mean-differs' && mean !== null && { mean }),
    moreMinutes,
  });
}

function blockMs({ trials }: VersionsComparison): number {
  const blocks = new Set(trials.map(({ job }) => job.block)).size;
  return sum([0, ...trials.map(({ wallMs }) => wallMs)]) / Math.max(1, blocks);
}

/** Of measures that a version or a browser never gave. */
export function notGivenNotes(shown: VersionsComparison): readonly string[] {
  const notes = shown.entries.flatMap(({ pair, decision: made }) => {
    if (made.kind !== 'not-given') return [];
    if (made.onlyBy !== null) {
      const only = readVersion(made.onlyBy);
      const where = browserOf(shown, pair.a.deviceId);
      return [`${titlePair(pair)}: only ${only} has one in ${where}, so it is not compared`];
    }
    return [`${titlePair(pair)}: not supported here, because ${whyNotGiven(shown, pair)}`];
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
      const having = ours.filter((trial) => readValue(trial, metric) !== null).length;
      return { of: ours.length, having, text: `${String(having)} of ${String(ours.length)}` };
    });
    if (counts.every(({ of, having }) => of === having)) return [];
    const [first, other] = counts;
    const where = `in ${browserOf(shown, a.deviceId)}`;
    return [
      `${titlePair(pair)} ${where}: in ${first?.text ?? ''} loads of ${readVersion(b)}, and ${other?.text ?? ''} of ${readVersion(a)}`,
    ];
  });
  return [...new Set(notes)];
}

function whyNotGiven({ trials, ...shown }: VersionsComparison, { a, metric }: Pair): string {
  const browser = browserOf(shown, a.deviceId);
  const watched = a.case.benchmark.guest?.watched?.[metric.id];
  if (watched === undefined) {
    const isPaint = measuresOfPages[metric.id]?.reader.by === 'paint';
    return isPaint ? `no version painted what ${browser} tells of` : `${browser} does not give it`;
  }
  const reading = trials
    .filter(({ job }) => job.deviceId === a.deviceId)
    .filter(isCompleted)
    .flatMap(({ outcome }) => outcome.readings)
    .find(({ probe }) => probe === probeReading(watched));
  return reading !== undefined && 'notSupported' in reading
    ? reading.notSupported
    : `processes of ${browser} cannot be read by this user`;
}

import { isTime } from '../../../reports/html/number.ts';
import { changeInShort, changeInWords } from '../../../reports/wording/change.ts';
import type { TableEntry } from '../../core/analysis/decide.ts';
import type { Pair } from '../../core/analysis/pairs.ts';
import { readVersion, titlePair } from '../../core/analysis/run-pairs.ts';
import type { Presence } from '../../core/model/device.ts';
import { parseMajor } from '../../core/setup/builds/selector.ts';

/** A line for each comparison while it goes on: what is decided, or what was seen so far. */
export function describeLook(
  table: readonly TableEntry[],
  shown: { readonly presences: readonly Presence[]; readonly margin: number },
): readonly string[] {
  const isOne = new Set(table.map(({ pair }) => titlePair(pair))).size === 1;
  return table.flatMap(({ pair, decision: made }) => {
    if (made.kind !== 'decided-on') return [];
    const { verdict, ratio, low, high } = made.decision;
    const change = { ratio, isTime: isTime(pair.metric.unit) };
    const words =
      verdict === 'undecided'
        ? `≈ ${changeInShort({ ...change, verdict: ratio > 1 ? 'slower' : 'faster' })} so far${describeEnds(low, high)}`
        : `${changeInWords({ ...change, verdict, low, high, margin: shown.margin, moreMinutes: null })}, decided`;
    const what = isOne ? [] : [titlePair(pair)];
    return [`${[nameSides(pair, shown), ...what].join(' ')}  ${words}`];
  });
}

/** `chromium 156  new.html` of versions of a page, else `chromium 156 against firefox 140`. */
function nameSides({ a, b }: Pair, shown: Parameters<typeof browserOf>[0]): string {
  const browser = browserOf(shown, a.deviceId);
  return a.case.parameters['version'] === undefined
    ? `${browser} against ${browserOf(shown, b.deviceId)}`
    : `${browser}  ${readVersion(a)}`;
}

/** " (0.96 … 1.29×)"; nothing before there are blocks enough. */
function describeEnds(low: number | null, high: number | null): string {
  const ends = [low, high].filter((end) => end !== null);
  const texts = ends.map((end) => String(Number(end.toPrecision(3))));
  return texts.length < 2 ? '' : ` (${texts.join(' … ')}×)`;
}

/** A browser with the short form of its version: `chromium 156`, `webkitgtk 2.50`. */
export function browserOf(
  { presences }: { readonly presences: readonly Presence[] },
  deviceId: string,
): string {
  const presence = presences.find(({ device }) => device.id === deviceId);
  if (presence?.status !== 'found') return deviceId;
  const { name, version } = presence.target.browser;
  // WebKitGTK's releases differ in the second number.
  const parts = parseMajor(version) < 10 ? 2 : 1;
  return `${name} ${version.split('.').slice(0, parts).join('.')}`.trim();
}

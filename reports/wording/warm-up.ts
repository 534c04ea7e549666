import type { WarmUpFacts } from '../../harness/core/results/index.ts';
import { formatCount, formatQuantity, formatShare, plural } from '../html/number.ts';

/**
 * Explains a trial's speed in sentences: its class, its segments, when it was steady, what it
 * counts with, and how fine its numbers are.
 */
export function explainWarmUp(facts: WarmUpFacts): readonly string[] {
  return [
    classMeaning(facts),
    ...segmentsInWords(facts),
    ...timesInWords(facts),
    valueInWords(facts),
    repeatsInWords(facts),
  ];
}

/** Below this share of the timed iterations a disturbance is not worth a sentence. */
const disturbedFrom = 0.02;

/**
 * How much others slowed the machine down; empty where it is not worth a sentence.
 * @param shares of the timed iterations, one for each case
 */
export function disturbance(shares: readonly number[]): string {
  const most = Math.max(...shares);
  if (most < disturbedFrom) return '';
  return `During up to ${formatShare(most)} of the timed iterations of a case the machine ran slower than it can, as a short reference work between the iterations shows: they do not count.`;
}

/** Meaning of each class, in the words of the protocol. */
export const meanings: Readonly<Record<string, string>> = {
  flat: 'one speed from the first call on',
  'warm-up': 'the speed changed, and no earlier one was faster than that of the window',
  slowdown: 'the speed changed, and an earlier one was faster than that of the window',
  'no steady state':
    'the speed changed inside the window, or there were too few iterations to tell',
  'first run': 'what is timed is a first run, so there is no warm-up',
};

function classMeaning({ steadiness, course }: WarmUpFacts): string {
  if (course === null && steadiness !== 'first run') {
    return `This trial was measured before steady state was searched for. A rule that looked at six iterations called it “${steadiness}”.`;
  }
  const noisy =
    course?.noisy === true
      ? ' It is noisy: no change of speed in the window, and iterations that differ a lot all the same.'
      : '';
  const meaning = meanings[steadiness];
  return `${capitalised(steadiness)}${meaning === undefined ? '' : `: ${meaning}`}.${noisy}`;
}

/** Of more segments only the first ones and the last are named. */
const mostShown = 5;

function segmentsInWords({ course, unit, resolution }: WarmUpFacts): readonly string[] {
  const segments = course?.segments ?? [];
  if (segments.length < 2) return [];
  const told =
    segments.length > mostShown ? segments.slice(0, mostShown - 2) : segments.slice(0, -1);
  const skipped = segments.length - 1 - told.length;
  const level = (value: number): string => formatQuantity(value, { unit, resolution });
  const first = told.map(({ fromMs, toMs, level: value }, i) =>
    i === 0
      ? `${level(value)} for the first ${milliseconds(toMs - fromMs)}`
      : `${level(value)} for ${milliseconds(toMs - fromMs)}`,
  );
  const between = skipped === 0 ? [] : [`${plural(skipped, 'more segment')}`];
  return [
    `Segments: ${[...first, ...between, level(segments.at(-1)?.level ?? NaN)].join(', then ')}.`,
  ];
}

function timesInWords({ course, steadiness }: WarmUpFacts): readonly string[] {
  if (course === null) return [];
  const { firstMs, steadyAfterMs, windowAtMs } = course;
  if (steadiness === 'first run') {
    return [`The very first took ${milliseconds(firstMs)}, and does not count.`];
  }
  const steady =
    steadyAfterMs === null
      ? 'it had no steady state'
      : `it had its steady state after ${milliseconds(steadyAfterMs)}`;
  return [
    `The first call took ${milliseconds(firstMs)}, ${steady}, and the window began at ${milliseconds(windowAtMs)}.`,
  ];
}

function valueInWords({ value: seen, timed, unit, resolution }: WarmUpFacts): string {
  const [value, middle] = [seen.value, seen.median].map((one) =>
    formatQuantity(one, { unit, resolution }),
  );
  const iterations = plural(timed.length - seen.disturbed, 'timed iteration');
  if (seen.kind === 'median') return `Value: ${String(value)}, the median of ${iterations}.`;
  const waited =
    seen.preemptedMs === 0
      ? ''
      : `, less ${milliseconds(seen.preemptedMs)} in which others had the core of its thread`;
  const disturbed =
    seen.disturbed === 0
      ? ''
      : ` ${formatCount(seen.disturbed)} more do not count: a short reference work beside them took longer, so the machine ran slower than it can.`;
  return `Value: ${String(value)}, the mean over the window of ${iterations}${waited}; their median is ${String(middle)}.${disturbed}`;
}

function repeatsInWords({ repeats, granuleUs, resolution, unit }: WarmUpFacts): string {
  const step = formatQuantity(granuleUs, { unit: 'µs', resolution: 0 });
  const finest = formatQuantity(resolution, { unit, resolution: 0 });
  return (
    `k = ${formatCount(repeats)}: each timed iteration ran the operation ${repeats === 1 ? 'once' : `${formatCount(repeats)} times`}. ` +
    `The clock steps by ${step}, so one operation is known to ${finest}.`
  );
}

function milliseconds(value: number): string {
  return formatQuantity(value, { unit: 'ms', resolution: 0 });
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

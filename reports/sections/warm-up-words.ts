import type { WarmUpFacts } from '../findings.ts';
import { formatCount, formatLevel, formatPlain, formatQuantity, plural } from '../html/number.ts';

/** What became of a warm-up, in sentences: how it ended and by which rule, and how fine its numbers are. */
export function explainWarmUp(facts: WarmUpFacts): readonly string[] {
  const { repeats, granuleUs, resolution, unit, timed } = facts;
  const step = formatQuantity(granuleUs, { unit: 'µs', resolution: 0 });
  const finest = formatQuantity(resolution, { unit, resolution: 0 });
  return [
    ending(facts),
    ruleSeen(facts),
    `k = ${formatCount(repeats)}: each of the ${plural(timed.length, 'timed iteration')} ran the operation ${repeats === 1 ? 'once' : `${formatCount(repeats)} times`}. ` +
      `The clock steps by ${step}, so one operation is known to ${finest}.`,
  ];
}

function ending({ steadiness, warmUp }: WarmUpFacts): string {
  const iterations = plural(warmUp.length, 'iteration');
  switch (steadiness) {
    case 'steady':
      return `Warm-up ended steady, after ${iterations}.`;
    case 'first run':
      return 'There was no warm-up: the first run is what is measured.';
    case 'slowing':
      return `A cap ended the warm-up after ${iterations}, while they still got slower.`;
    default:
      return `Warm-up took ${iterations} and found ${steadiness}.`;
  }
}

/** The rule's two numbers; where they do not explain the label, what else can. */
function ruleSeen({ judged, warmUp, steadiness, unit, resolution }: WarmUpFacts): string {
  if (steadiness === 'first run') return 'So no rule looked at it.';
  if (judged === null) {
    return `The rule looks at six iterations, and there were ${formatCount(warmUp.length)}.`;
  }
  const { iterations, older, newer, change, tolerance, trend } = judged;
  const [before, after] = [older, newer].map((value) =>
    formatQuantity(value, { unit, resolution }),
  );
  const still = Math.abs(change) <= tolerance;
  const ordered = Math.abs(trend) === 1;
  const numbers =
    `The last ${formatCount(iterations)}, in two halves, have medians of ${String(before)} and ${String(after)}: ` +
    `a change of ${formatLevel(change)}, where up to ± ${formatLevel(tolerance)} counts as none; ` +
    `Kendall’s τ is ${formatPlain(trend)}.`;
  if (steadiness === 'steady' || !still) return numbers;
  return ordered
    ? `${numbers} All are in strictly ${trend > 0 ? 'rising' : 'falling'} order, a slow slide.`
    : `${numbers} By these alone it would be steady: either k changed among them, or most timed iterations were too short for the clock.`;
}

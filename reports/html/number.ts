/**
 * The only place where a number becomes text, with `client/number.js`, whose digits the script of a
 * report writes too. A number keeps its unit, and never shows a digit that the clock could not have
 * measured.
 */
import { digits, gap, grouped, lastPlace, missingMark } from '../client/number.js';

export { formatRatioEstimate, missingMark, ratioStep } from '../client/number.js';

/** Unit of a number, and its smallest step in that unit. 0: exact. */
export interface Measure {
  readonly unit: string;
  readonly resolution: number;
}

interface TimeUnit {
  readonly label: string;
  readonly seconds: number;
}

const timeUnits: readonly TimeUnit[] = [
  { label: 's', seconds: 1 },
  { label: 'ms', seconds: 1e-3 },
  { label: 'µs', seconds: 1e-6 },
  { label: 'ns', seconds: 1e-9 },
];

const timeNames: Readonly<Record<string, string>> = {
  s: 's',
  ms: 'ms',
  µs: 'µs',
  // The Greek letter, which looks the same as the micro sign.
  μs: 'µs',
  us: 'µs',
  ns: 'ns',
};

/** How numbers of one group are shown: `shown = value × factor`, rounded to a multiple of 10^place. */
interface Scale {
  readonly unit: string;
  readonly factor: number;
  readonly place: number;
}

/** Tells a unit of time, for which "longer" and "faster" are the right words. */
export function isTime(unit: string): boolean {
  return timeUnit(unit) !== undefined;
}

function timeUnit(unit: string): TimeUnit | undefined {
  const name = Object.hasOwn(timeNames, unit) ? timeNames[unit] : undefined;
  return timeUnits.find((one) => one.label === name);
}

/** The unit in which a value reads best (1 to 999 of it), and what to multiply by. Only times are scaled. */
function bestUnit(value: number, unit: string): { unit: string; factor: number } {
  const own = timeUnit(unit);
  if (own === undefined) return { unit, factor: 1 };
  const seconds = Math.abs(value) * own.seconds;
  // A hair below 1 counts as 1: 1 ms in microseconds is 999.9999999999999 in floating point.
  const shown =
    seconds === 0
      ? own
      : (timeUnits.find((one) => seconds / one.seconds >= 1 - 1e-9) ?? timeUnits.at(-1) ?? own);
  return { unit: shown.label, factor: own.seconds / shown.seconds };
}

function scaleFor(value: number, { unit, resolution }: Measure, spread: number): Scale {
  const best = bestUnit(value, unit);
  const place = lastPlace(value * best.factor, {
    spread: spread * best.factor,
    step: resolution * best.factor,
  });
  return { ...best, place };
}

function withUnit(text: string, unit: string): string {
  return text === missingMark || unit === '' ? text : `${text}${gap}${unit}`;
}

/** A value with its unit, such as `12.3 ms`; `—` when it is not a number. */
export function formatQuantity(value: number, measure: Measure): string {
  const scale = scaleFor(value, measure, 0);
  return withUnit(digits(value, scale), scale.unit);
}

/** A round value for an axis, without decimals that say nothing: `10 ms`, `0.5 ms` as `500 µs`. */
export function formatTick(value: number, measure: Measure): string {
  const scale = scaleFor(value, measure, 0);
  return withUnit(digits(value, scale).replace(/\.?0+$/, keepWhole), scale.unit);
}

/** Zeros after a decimal point may go; those of a whole number may not. */
function keepWhole(zeros: string, offset: number, text: string): string {
  return text.slice(0, offset + 1).includes('.') ? '' : zeros;
}

/** A median and its interval in the same unit and to the same place: `12.31 ms` and `12.29–12.36 ms`. */
export function formatEstimate(
  estimate: { readonly median: number; readonly low: number; readonly high: number },
  measure: Measure,
): { readonly median: string; readonly interval: string } {
  const { median, low, high } = estimate;
  const spread = Number.isFinite(high - low) ? high - low : 0;
  const scale = scaleFor(median, measure, spread);
  const interval = `${digits(low, scale)}–${digits(high, scale)}`;
  return {
    median: withUnit(digits(median, scale), scale.unit),
    interval: withUnit(interval, scale.unit),
  };
}

/** A value with its interval, such as `12.31 ms (12.29–12.36 ms)`, for the tooltip of a mark. */
export function formatInterval(
  { y, low, high }: { readonly y: number; readonly low: number; readonly high: number },
  measure: Measure,
): string {
  const { median, interval } = formatEstimate({ median: y, low, high }, measure);
  return low === high ? median : `${median} (${interval})`;
}

/** A share of 1 as a percentage with at most two significant digits below 10 %. */
export function formatShare(share: number): string {
  if (!Number.isFinite(share)) return missingMark;
  if (share > 0 && share < 0.001) return `<${gap}0.1${gap}%`;
  const decimals = share !== 0 && Math.abs(share) < 0.0995 ? 1 : 0;
  return `${(share * 100).toFixed(decimals)}${gap}%`;
}

/** A confidence as a percentage, rounded down: it is never shown larger than it is. */
export function formatConfidence(confidence: number): string {
  // 0.95 × 100 is 94.99999999999999 in floating point.
  return `${String(Math.floor(confidence * 100 + 1e-9))}${gap}%`;
}

/** A chosen share, such as a margin: `2 %`, `0.5 %`. */
export function formatLevel(share: number): string {
  return `${String(Number((share * 100).toPrecision(3)))}${gap}%`;
}

/** Formats a share as a percentage with `decimals` decimals, for plain text. */
export function formatPercent(share: number, decimals: 0 | 1): string {
  const text = (share * 100).toFixed(decimals);
  return `${Number(text) === 0 ? text.replace('-', '') : text} %`;
}

/** Three digits at most, in a line of plain text. */
export function formatThreeDigits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** A plain number to at most two decimals, such as cores busy: `1.62`. */
export function formatPlain(value: number): string {
  return Number.isFinite(value) ? grouped(value.toFixed(value >= 100 ? 0 : 2)) : missingMark;
}

/** A count of things, with separators. */
export function formatCount(value: number): string {
  return grouped(String(value));
}

/** A round ratio for an axis, with the digits that it has: `1.05×`. */
export function formatRatioTick(ratio: number): string {
  return `${String(Number(ratio.toPrecision(6)))}×`;
}

/** `1 trial`, `2 trials`. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : many}`;
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

const longestMs = 86_400_000;

/** As a person writes it; what is around it is not looked at. */
export const durationPattern = /^(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|m|h)?$/;

/**
 * Reads `90` and `90s`, `3m`, `1.5h`, `500ms`: a number alone is of seconds.
 * @returns milliseconds; null for anything else, for nothing, and for more than a day.
 */
export function readDuration(text: string): number | null {
  const [, digits = '', unit = 's'] = durationPattern.exec(text.trim()) ?? [];
  const value = Number(digits) * (unitsMs[unit] ?? NaN);
  return digits !== '' && value > 0 && value <= longestMs ? value : null;
}

/**
 * /proc/pressure/cpu: share of time in which tasks waited for a CPU.
 * Kernel: Documentation/accounting/psi.rst. The averages are percentages of the last 10, 60 and
 * 300 seconds; `some` means that at least one task waited.
 */

export interface Pressure {
  /** Shares, 0–1. */
  readonly some10: number;
  readonly some60: number;
  readonly some300: number;
}

const somePattern = /^some avg10=([\d.]+) avg60=([\d.]+) avg300=([\d.]+) total=\d+$/m;

/** Null when the text is not of the kernel's form: the pressure is then unknown, not zero. */
export function parsePressure(text: string): Pressure | null {
  const match = somePattern.exec(text);
  if (match === null) return null;
  const share = (percent: string | undefined): number => Number(percent) / 100;
  return { some10: share(match[1]), some60: share(match[2]), some300: share(match[3]) };
}

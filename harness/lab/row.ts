/** One figure of `npm run bench`. */
export interface BenchRow {
  readonly bench: string;
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  /** The ratio to the baseline of the same run; null for figures without one. */
  readonly ratio: number | null;
  readonly detail: string;
}

/** One figure of `npm run bench`. */
export interface BenchRow {
  readonly bench: string;
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  /** Against the baseline that was measured in the same run; null for the baseline's own kind. */
  readonly ratio: number | null;
  readonly detail: string;
}

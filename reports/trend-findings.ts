/** One series over the nights of a suite whose level changed, for the section "Trends" of a report. */
export interface Trend {
  readonly targetId: string;
  readonly caseName: string;
  readonly metric: string;
  readonly unit: string;
  /** The oldest first. */
  readonly nights: readonly TrendNight[];
  /** In order; the levels of neighbours differ by the change between them. */
  readonly levels: readonly TrendLevel[];
  readonly changes: readonly TrendChange[];
}

export interface TrendNight {
  readonly run: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly median: number;
}

/** A stretch of nights without a change, from and to (inclusive) by their place among all nights. */
export interface TrendLevel {
  readonly from: number;
  readonly to: number;
  readonly median: number;
}

export interface TrendChange {
  /** The first night after it. */
  readonly run: number;
  readonly startedAt: string;
  /** After / before. */
  readonly ratio: number;
  /** What is known to have changed with it, in words. */
  readonly cause: string;
  /** `settled`: six nights lie on either side. `suspect`: it is younger than that. */
  readonly state: 'settled' | 'suspect';
}

/** What the nights of a run's suite say. */
export interface Trends {
  readonly suite: string;
  /** Runs that were looked at. */
  readonly nights: number;
  /** Fewer runs have no trend that could be seen. */
  readonly needed: number;
  /** Series that were searched. */
  readonly series: number;
  /** Those in which something changed. */
  readonly trends: readonly Trend[];
}

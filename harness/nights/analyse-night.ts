/** What the history of its series says of one night. */
export interface NightAnalysis {
  /** How many series were looked at. */
  readonly series: number;
  /** Changes seen in the history of a series, and not yet measured again. */
  readonly suspects: readonly {
    readonly title: string;
    readonly ratio: number;
    readonly cause: string;
  }[];
  /** Suspects that an interleaved re-measurement confirmed. */
  readonly anomalies: readonly { readonly id: string; readonly title: string }[];
  /** Suspects that it did not confirm, or that could not be measured again. */
  readonly unconfirmed: readonly { readonly title: string; readonly reason: string }[];
  /** Anomalies that are no longer there. */
  readonly gone: readonly { readonly id: string; readonly title: string }[];
}

export interface NightOrder {
  readonly database: string;
  /** The night's run. */
  readonly run: number;
  /** What re-measuring may take, in milliseconds. */
  readonly budgetMs: number;
  readonly signal: AbortSignal;
}

export type AnalyseNight = (order: NightOrder) => Promise<NightAnalysis>;

/** Looks for changes against earlier nights. */
export const analyseNight: AnalyseNight = () =>
  Promise.resolve({ series: 0, suspects: [], anomalies: [], unconfirmed: [], gone: [] });

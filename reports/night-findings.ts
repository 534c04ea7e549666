/** What a report of a night says beside its run. */
export interface NightFacts {
  /** The target that was measured against itself; null when none was. */
  readonly lane: LaneFacts | null;
  /** What the history of its series says; null when it was not looked at. */
  readonly history: HistoryFacts | null;
}

export interface LaneFacts {
  readonly targetId: string;
  readonly cases: readonly {
    readonly caseName: string;
    readonly metric: string;
    readonly blocks: number;
    /** Share; a difference below it would not have been seen tonight. Null with too few blocks. */
    readonly smallestVisible: number | null;
    /** Median over the nights. */
    readonly usually: number | null;
    readonly nights: number;
    /** A difference was reported, where there is none. */
    readonly alarm: boolean;
  }[];
  readonly nights: number;
  readonly comparisons: number;
  readonly alarms: number;
  /** Share of false alarms with its 95 % interval; null without any comparison that could raise one. */
  readonly rate: { readonly rate: number; readonly low: number; readonly high: number } | null;
}

export interface HistoryFacts {
  readonly series: number;
  readonly anomalies: readonly string[];
  readonly gone: readonly string[];
  /** Changes seen that were not confirmed, each with its reason. */
  readonly unconfirmed: readonly string[];
}

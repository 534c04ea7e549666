import { z } from 'zod';
import { count, id, time, type TypeOf } from './fields.ts';
import type { Verdict } from './verdicts.ts';

/** Facts of a night that its report shows with the run. */
export interface NightFacts {
  /** Its finding in one sentence. */
  readonly headline: string;
  /** Against the night before, as far as the report could know: in sentences. Null for the first night. */
  readonly changes: readonly string[] | null;
  /** Reasons why the machine was unfit when it began: in sentences; left out where nothing did. */
  readonly unfit?: readonly string[];
  /** The same in numbers: its trials against those of the run before of its suite. Null without one. */
  readonly numbers: NightNumbers | null;
  /** How every planned cell ended; null when nothing is known of them. */
  readonly ledger: LedgerFacts | null;
  readonly devices: readonly NightDeviceFacts[];
  /** Every anomaly of the farm, the newest first. */
  readonly anomalies: readonly AnomalyFacts[];
  /** The target that was measured against itself; null when none was. */
  readonly lane: LaneFacts | null;
  /** Findings from the history of its series; null when it was not searched. */
  readonly history: HistoryFacts | null;
}

/** A night against the night before: two runs, nothing side by side, looked at once. */
export interface NightNumbers {
  readonly run: number;
  readonly before: { readonly run: number; /** ISO 8601, UTC. */ readonly startedAt: string };
  /** Share within which a difference does not matter. */
  readonly margin: number;
  /** Of a wrong difference among all of them. */
  readonly alpha: number;
  /** Series that both nights have, measured in the same way. */
  readonly compared: number;
  readonly tally: Readonly<Record<Verdict, number>>;
  /** Of the undecided ones: those with too few trials for any verdict. */
  readonly tooFew: number;
  /** Series that the night before had, but not measured in the same way. */
  readonly apart: number;
  /** The surest first. */
  readonly differences: readonly NightDifference[];
}

/** One case on one target that differs from the night before. */
export interface NightDifference {
  readonly targetId: string;
  readonly caseName: string;
  /** Id of the metric. */
  readonly metric: string;
  readonly unit: string;
  readonly verdict: Extract<Verdict, 'faster' | 'slower'>;
  /** Tonight / the night before, with its interval. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  /** All of the interval lies beyond the margin. */
  readonly relevant: boolean;
  readonly before: { readonly median: number; readonly trials: number };
  readonly now: { readonly median: number; readonly trials: number };
  /** Known changes at the same time, in words. */
  readonly cause: string;
}

export interface LedgerFacts {
  readonly planned: number;
  readonly completed: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly skipped: number;
  /** A night with any is red. */
  readonly withoutOutcome: number;
}

export interface NightDeviceFacts {
  readonly targetId: string;
  /** `quarantined`: it was there, and died too often. */
  readonly state: 'found' | 'missing' | 'quarantined';
  /** Product and version; null when it was not found. */
  readonly build: string | null;
  /** The same of the newest night before that found it; null without one. */
  readonly before: string | null;
  /** The reason why it was left out before the end; null when it did. */
  readonly because: string | null;
}

export interface AnomalyFacts {
  readonly id: string;
  /** `untriaged`, `reproduced`, … */
  readonly state: string;
  readonly sentence: string;
  /** The function that made it, or why that is not known: half a sentence. Absent where a person saved it. */
  readonly blame?: string;
  /** The series that changed with a build; absent for any other anomaly. */
  readonly series?: Pick<Trend, 'targetId' | 'caseName' | 'metric'> & { readonly builds: Builds };
  /** Why it is in that state; null as long as it is untriaged. */
  readonly reason: string | null;
  /** ISO 8601, UTC. */
  readonly since: string;
  /** The command that measures it again. */
  readonly command: string;
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
    /** A reported difference that does not exist. */
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

export const trendNight = z.strictObject({ run: id, startedAt: time, median: z.number() });
export type TrendNight = TypeOf<typeof trendNight>;

export const trendChange = z.strictObject({
  run: id.describe('The first after it'),
  startedAt: time,
  ratio: z.number().describe('After / before'),
  cause: z.string().describe('What is known to have changed with it'),
  state: z
    .enum(['settled', 'suspect'])
    .describe('Settled: six nights lie on either side. A suspect is younger than that'),
});
export type TrendChange = TypeOf<typeof trendChange>;

/** Versions of the browser on both sides of a change. */
export interface Builds {
  readonly before: string;
  readonly after: string;
}

/** One series over the nights of a suite whose level changed, for the section "Trends" of a report. */
export interface Trend {
  readonly targetId: string;
  readonly caseName: string;
  readonly metric: string;
  readonly unit: string;
  /** The oldest first. */
  readonly nights: readonly TrendNight[];
  /** In order; the levels of adjacent ones differ by the change between them. */
  readonly levels: readonly TrendLevel[];
  readonly changes: readonly (TrendChange & { readonly builds: Builds })[];
}

/** A run from which on a device was measured in another way: nothing before is pooled with it. */
export interface TrendBreak {
  readonly targetId: string;
  readonly run: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** `drawn by software (SwiftShader) → GPU (Apple M1)`. */
  readonly differences: readonly string[];
  /** Series that begin there. */
  readonly series: number;
}

/** A stretch of nights without a change, from and to (inclusive) by their place among all nights. */
export interface TrendLevel {
  readonly from: number;
  readonly to: number;
  readonly median: number;
}

/** The history of a run's suite. */
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
  /** The newest first; none when left out. */
  readonly breaks?: readonly TrendBreak[];
}

const text = z.string().describe('May quote a device or a page: escape it');

const nightStatus = z.enum(['running', 'fine', 'attention', 'red', 'broken-off']);

const night = {
  night: z.string().describe('Its id, and the name of its folder'),
  status: nightStatus.describe('How it ended: fine, attention, red; its farm died: broken-off'),
  startedAt: time,
  finishedAt: time.nullable(),
  suite: z.string(),
  run: id.nullable().describe('Null where none began; it may have been pruned since'),
};

export const listedNight = z.strictObject(night);

export const wholeNight = z.strictObject({
  ...night,
  hasReport: z.boolean().describe('It wrote one, which lies at /nights/{id}/report'),
  reasons: z.array(z.strictObject({ level: z.enum(['attention', 'red']), text })),
  headline: text.nullable().describe('Its finding in one sentence; null until it has ended'),
  changes: z.array(text).describe('Against the nights before'),
  devices: z.array(
    z.strictObject({
      device: z.string(),
      state: z.enum(['found', 'missing', 'quarantined']),
      browser: z.string().nullable(),
      version: z.string().nullable(),
      because: text.nullable(),
      tried: count,
      counting: count,
    }),
  ),
  anomalies: z.array(z.strictObject({ id: z.string(), title: text })),
  steps: z.array(
    z.strictObject({
      step: z.string(),
      outcome: z.enum(['done', 'failed', 'left-out']),
      ms: z.number(),
      because: text.nullable(),
    }),
  ),
});

export type ListedNight = TypeOf<typeof listedNight>;
export type WholeNight = TypeOf<typeof wholeNight>;

import type {
  History,
  HistoryFilter,
  Page,
  PageWanted,
  Summary,
  ListedTrial,
  WholeTrial,
} from '../../model/history.ts';
import type { ToldChanges, ToldFindings } from './told.ts';

/** What the newest answer to a published claim is. */
export interface ListedClaim {
  readonly id: string;
  readonly sentence: string;
  readonly published: string;
  /** Of the sentence. */
  readonly verdict: 'confirmed' | 'refuted' | 'inconclusive' | 'not-testable';
  /** What was shown of its direction and of its size; null while nothing was measured. */
  readonly directionVerdict: ListedPart | null;
  readonly sizeVerdict: ListedPart | null;
  /** Both in one line. */
  readonly headline: string;
  readonly direction: string;
  /** Of what tells most; null while nothing was measured. */
  readonly measured: MeasuredValue | null;
  readonly reason: string;
  /** Run that answered it; null while none has. */
  readonly run: number | null;
  /** What asks it again. */
  readonly command: string;
}

export type ListedPart = 'confirmed' | 'refuted' | 'open' | 'not published';

export interface MeasuredValue {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly unit: string;
}

export interface ListedAnomaly {
  readonly id: string;
  readonly state: string;
  readonly sentence: string;
  readonly reason: string | null;
  readonly run: number | null;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly devices: readonly string[];
  readonly command: string;
}

/** Devices may join this farm. */
export interface Joining {
  /** Address of the page that shows the code; null while a device that joined is measured. */
  readonly screen: string | null;
}

/** What the API answers from. */
export interface ApiSources {
  readonly history: Pick<
    History,
    | 'lastChange'
    | 'filterValues'
    | 'runs'
    | 'run'
    | 'cells'
    | 'progress'
    | 'samples'
    | 'readings'
    | 'devices'
    | 'targets'
    | 'pooled'
  >;
  summaries(filter: HistoryFilter, page: PageWanted): Promise<Page<Summary>>;
  trials(filter: HistoryFilter, page: PageWanted): Promise<Page<ListedTrial>>;
  /** Null when there is no such trial. */
  trial(id: number): Promise<WholeTrial | null>;
  /** Against a device, or the run's own baseline; null when there is no such run. */
  findings(run: number, baseline: string | null): Promise<ToldFindings | null>;
  /** Of a suite's nights, or of the newest run's suite. */
  changes(suite: string | null): Promise<ToldChanges>;
  /** The page whose code a device scans to join; see `Joining`. */
  joining(): Joining | null;
  claims(): Promise<readonly ListedClaim[]>;
  anomalies(): Promise<readonly ListedAnomaly[]>;
}

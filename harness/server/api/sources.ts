import type {
  History,
  HistoryFilter,
  Page,
  PageWanted,
  Summary,
  ListedTrial,
  WholeTrial,
} from '../../model/history.ts';
import type { WholeChanges } from './changes-response.ts';
import type { WholeFindings } from './findings-response.ts';
import type { AnomalyResponse, ClaimResponse, JoiningResponse } from './schemas.ts';

/** The data that the API answers from. */
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
  findings(run: number, baseline: string | null): Promise<WholeFindings | null>;
  /** Of a suite's nights, or of the newest run's suite. */
  changes(suite: string | null): Promise<WholeChanges>;
  /** The page whose code a device scans to join; null while nobody may. */
  joining(): JoiningResponse | null;
  claims(): Promise<readonly ClaimResponse[]>;
  anomalies(): Promise<readonly AnomalyResponse[]>;
}

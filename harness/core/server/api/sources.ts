import type {
  History,
  HistoryFilter,
  Page,
  PageWanted,
  Summary,
  ListedTrial,
  Progress,
  RunOutcome,
  WholeTrial,
} from '../../model/history.ts';
import type { WholeChanges } from './changes-response.ts';
import type { ExploreView } from './explore-view.ts';
import type { WholeFindings } from './findings-response.ts';
import type { Endpoint } from './endpoint.ts';
import type { AnomalyResponse, JoiningResponse, OpenableResponse } from './other-response.ts';

/** A report as a page: its HTML, and the policy under which its own style and script act. */
export interface RenderedPage {
  readonly html: string;
  readonly policy: string;
}

/** The parts of a feature in the API and the explorer. */
export interface AddedPaths {
  readonly endpoints: readonly Endpoint[];
  readonly pages?: readonly AddedPage[];
}

/** A run at a glance. */
export interface RunPart {
  /** The finding in a sentence; null where nothing was compared so far. */
  readonly heading: string | null;
  readonly found: string;
}

export interface CaseWanted {
  readonly case: string;
  readonly run?: number | undefined;
}

/** A case of a run at a glance. */
export interface CasePart extends RunPart {
  readonly run: number;
  readonly startedAt: string;
}

/** Parts of the explorer's pages as HTML, in which all text from outside is escaped. */
export interface ExplorerParts {
  /** The stylesheet of the reports' colours. */
  palette(): Promise<string>;
  /** The stylesheet of `run`. */
  runStyle(): Promise<string>;
  /** The first screen of a run's report, also while the run goes on; null when the run is unknown. */
  run(id: number): Promise<RunPart | null>;
  /** A case in one run, the newest when left out, at a glance; null when no run has it. */
  case(wanted: CaseWanted): Promise<CasePart | null>;
  /** Null for an unknown benchmark. */
  chart(view: ExploreView): Promise<string | null>;
  /** Changes over the nights of a case, and the chart with its changes; the chart is null without any. */
  changes(
    view: ExploreView,
  ): Promise<{ readonly changes: string; readonly chart: string | null } | null>;
  /** The newest changes of a suite, or of the newest run's; null where nothing was searched. */
  changed(suite: string | null): Promise<string | null>;
}

/**
 * A page for people: a file of the explorer, or one that is made, null where there is nothing to show.
 * `missing` is the sentence of the page instead.
 */
export type AddedPage = { readonly url: string; readonly missing: string } & (
  | { readonly file: string; isThere(params: unknown): Promise<boolean> }
  | { make(params: unknown): Promise<RenderedPage | null> }
);

/** The data that the API answers from. */
export interface ApiSources {
  readonly history: Pick<
    History,
    | 'lastChange'
    | 'filterValues'
    | 'runs'
    | 'run'
    | 'cells'
    | 'samples'
    | 'readings'
    | 'devices'
    | 'targets'
    | 'pooled'
  >;
  summaries(filter: HistoryFilter, page: PageWanted): Promise<Page<Summary>>;
  trials(filter: HistoryFilter, page: PageWanted): Promise<Page<ListedTrial>>;
  /** Null when the trial is unknown. */
  trial(id: number): Promise<WholeTrial | null>;
  /** Against a device, or the run's own baseline; null when the run is unknown. */
  findings(run: number, baseline: string | null): Promise<WholeFindings | null>;
  /** Null when the run is unknown. */
  progress(run: number): Promise<Progress | null>;
  /** Null when the run is unknown. */
  outcome(run: number): Promise<RunOutcome | null>;
  /** The report of a run, or of several next to each other; null when one is not there. */
  report(runs: readonly number[]): Promise<RenderedPage | null>;
  /** All stored facts of a trial, drawn; null when the trial is unknown. */
  trialPage(trial: number): Promise<RenderedPage | null>;
  readonly parts: ExplorerParts;
  /** The parts of features. */
  readonly added: Required<AddedPaths>;
  /** Benchmarks whose page a person can open here. */
  openable(): Promise<OpenableResponse['benchmarks']>;
  /** Of a suite's nights, or of the newest run's suite. */
  changes(suite: string | null): Promise<WholeChanges>;
  /** The page whose code a device scans to join; null while no device may. */
  joining(): JoiningResponse | null;
  anomalies(): Promise<readonly AnomalyResponse[]>;
}

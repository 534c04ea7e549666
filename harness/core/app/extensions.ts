import type { Exhibit } from '../../../reports/gallery.ts';
import type { Section } from '../../../reports/sections/report.ts';
import type { History } from '../model/history.ts';
import type { LocateScripts } from '../model/explanation.ts';
import type { Question } from '../model/question.ts';
import type { Benchmark } from '../model/case.ts';
import type { OwnPages, Run, RunRecord } from '../model/run.ts';
import type { AskedFacts, Findings } from '../results/index.ts';
import type { Caller } from './caller.ts';
import type { MachineKind } from './other-machines.ts';
import type { MakeProfile } from '../probes/trace.ts';
import type { AddedPaths } from '../server/api/sources.ts';
import type { Store } from '../store/store.ts';

/** Additions of a feature to the core's measuring and to its texts about stored runs. */
export interface Extension {
  /** Loads what adds to the findings of one run, for its report. */
  readonly findings?: () => Promise<{ readonly addFindings: AddFindings }>;
  /** Loads sections of reports. */
  readonly sections?: () => Promise<readonly Section[]>;
  /** Loads what answers the question that a run was made for. */
  readonly answers?: () => Promise<{ readonly describeAsked: DescribeAsked }>;
  /** Kinds of machines, none of them this one, which it reads during a run. */
  readonly machines?: readonly MachineKind[];
  /** Loads what adds paths to the API and the explorer of a database. */
  readonly paths?: () => Promise<{ readonly addPaths: (opened: OpenedDatabase) => AddedPaths }>;
  /** Loads what adds pages to a gallery of stored runs. */
  readonly gallery?: () => Promise<{ readonly addExhibits: AddExhibits }>;
  /** Loads what draws results by commit. */
  readonly commits?: () => Promise<{ readonly renderHistory: RenderHistory }>;
  /** Loads what finds out how its runs are continued. */
  readonly continues?: () => Promise<{ readonly findContinuation: FindContinuation }>;
  /** Loads what finds pages of one's own again. */
  readonly ownPages?: () => Promise<{ readonly withPagesAgain: WithPagesAgain }>;
  /** Loads what shows runs of a database in a browser while they go on. */
  readonly livePages?: () => Promise<{
    readonly openLivePages: (database: string) => Promise<LivePages>;
  }>;
  /** Loads what makes profiles of the traces that browsers write. */
  readonly profiles?: () => Promise<{ readonly makeProfile: MakeProfile }>;
  /** Loads what names scripts by their source maps. */
  readonly scripts?: () => Promise<{ readonly locateScripts: LocateScripts }>;
  /** Loads analyses that take their time, by name, for those paths: another process makes them. */
  readonly analyses?: () => Promise<{ readonly analyses: Analyses }>;
}

/**
 * Finds the pages of a run again, as its benchmarks; what it fetched or built for them is gone when
 * `use` has ended.
 * @throws FarmError `bad-argument` where one is gone, or has changed since the run
 */
type WithPagesAgain = <T>(
  record: RunRecord,
  pages: OwnPages,
  using: {
    readonly caller: Caller;
    readonly use: (benchmarks: readonly Benchmark[]) => Promise<T>;
  },
) => Promise<T>;

/** How something that a run left open is continued. */
export interface Continuation {
  /** Such as `an undecided comparison`. */
  readonly what: string;
  /** Arguments of the command that continues it, without its database. */
  readonly args: readonly string[];
  /** Options that the command takes besides. */
  readonly takes: readonly ContinuationOption[];
  /** Continued only where its run is named: a search measured it, and knows enough. */
  readonly onlyNamed?: boolean;
}

export type ContinuationOption = '--max-blocks' | '--budget' | '--take-over';

/** Null where the run is not of the feature, or left nothing open. */
type FindContinuation = (
  run: Run,
  store: Store,
  asked: AskedContinuation,
) => Promise<Continuation | null>;

export interface AskedContinuation {
  /** The user named the run. Else it is one of many, for each of which finding out takes time. */
  readonly isNamed: boolean;
}

/** Pages of runs that go on, served to this machine alone. */
export interface LivePages {
  /** The page of a run that has begun. */
  addressOf(run: number): Promise<string>;
  /** Ends the server when everyone who watches a run has seen its end. */
  close(): Promise<void>;
}

type Analyses = Readonly<Record<string, (store: Store, id: string) => Promise<unknown>>>;

export interface OpenedDatabase {
  readonly database: string;
  readonly history: History;
  /** Asks for an analysis by its name. */
  readonly ask: (analysis: string, id: string) => Promise<unknown>;
}

export type AddFindings = (reading: FindingsReading) => Promise<Partial<Findings>>;

/** The databases of a gallery, and when it is written. */
export interface GalleryReading {
  /** All of them exist. */
  readonly databases: readonly string[];
  /** ISO 8601. */
  readonly writtenAt: string;
  readonly farmVersion: string;
}

/** Results of commits, and when their page is written. */
export interface HistoryReading extends Pick<GalleryReading, 'writtenAt' | 'farmVersion'> {
  /** A folder or a database. */
  readonly place: string;
}

/** Gives the page as HTML. */
type RenderHistory = (reading: HistoryReading) => Promise<string>;

export type AddExhibits = (reading: GalleryReading) => Promise<readonly Exhibit[]>;

type DescribeAsked = (record: RunRecord, question: Question) => AskedFacts;

export interface FindingsReading {
  readonly record: RunRecord;
  readonly database: string;
  /** Devices or benchmarks are left out: the run as a whole has no text. */
  readonly isPart: boolean;
  /** The core's events of the run, under way. */
  readonly findings: Promise<Findings>;
}

let extensions: readonly Extension[] = [];

/** Sets what the features add: once, by the list of features. */
export function setExtensions(all: readonly Extension[]): void {
  extensions = all;
}

export function listMachineKinds(): readonly MachineKind[] {
  return extensions.flatMap(({ machines = [] }) => machines);
}

/** Collects what the features add to the findings of a run. */
export async function addedFindings(reading: FindingsReading): Promise<Partial<Findings>> {
  const parts = await Promise.all(
    extensions.map(async ({ findings }) => (await findings?.())?.addFindings(reading)),
  );
  return Object.assign({}, ...parts) as Partial<Findings>;
}

/** Finds out how a run of a feature is continued. */
export async function addedContinuation(
  run: Run,
  store: Store,
  asked: AskedContinuation,
): Promise<Continuation | null> {
  for (const { continues: load } of extensions) {
    const found = await (await load?.())?.findContinuation(run, store, asked);
    if (found) return found;
  }
  return null;
}

/** Loads what finds pages of one's own again. @throws RangeError where no feature does. */
export async function pagesAgain(): Promise<WithPagesAgain> {
  for (const { ownPages } of extensions) {
    if (ownPages !== undefined) return (await ownPages()).withPagesAgain;
  }
  throw new RangeError('No feature finds pages again');
}

/** Loads the sections that the features add to a report. */
export async function addedSections(): Promise<readonly Section[]> {
  const parts = await Promise.all(extensions.map(({ sections }) => sections?.() ?? []));
  return parts.flat();
}

/** Makes the pages that the features add to a gallery. */
export async function addedExhibits(reading: GalleryReading): Promise<readonly Exhibit[]> {
  const all: Exhibit[] = [];
  for (const { gallery } of extensions) {
    all.push(...((await (await gallery?.())?.addExhibits(reading)) ?? []));
  }
  return all;
}

/** Draws results by commit. @throws RangeError where no feature keeps them */
export async function renderCommits(reading: HistoryReading): Promise<string> {
  for (const { commits } of extensions) {
    if (commits !== undefined) return (await commits()).renderHistory(reading);
  }
  throw new RangeError('No feature keeps results by commit');
}

/** Describes the answer of a run to its question; nothing without a question. */
export async function askedFindings(record: RunRecord): Promise<Pick<Findings, 'asked'>> {
  const { question } = record;
  const answering = extensions.find(({ answers }) => answers !== undefined);
  if (question === undefined || answering?.answers === undefined) return {};
  const { describeAsked } = await answering.answers();
  return { asked: describeAsked(record, question) };
}

/** Collects what the features add to the API and the explorer. */
export async function addedPaths(opened: OpenedDatabase): Promise<Required<AddedPaths>> {
  const all = await Promise.all(
    extensions.map(async ({ paths }) => (await paths?.())?.addPaths(opened)),
  );
  return {
    endpoints: all.flatMap((one) => one?.endpoints ?? []),
    pages: all.flatMap((one) => one?.pages ?? []),
  };
}

/** Serves pages of runs. @throws RangeError where no feature shows runs, and the errors of a server. */
export async function openLivePages(database: string): Promise<LivePages> {
  for (const { livePages } of extensions) {
    if (livePages !== undefined) return (await livePages()).openLivePages(database);
  }
  throw new RangeError('No feature shows runs');
}

/** Loads what makes profiles. @throws RangeError where no feature does. */
export async function profileMaker(): Promise<MakeProfile> {
  for (const { profiles } of extensions) {
    if (profiles !== undefined) return (await profiles()).makeProfile;
  }
  throw new RangeError('No feature makes profiles');
}

/** Names the scripts of long frames; they stay as they are where no feature reads source maps. */
export const locateScripts: LocateScripts = async (told, bounds) => {
  const isPlaced = told.some(({ frame }) => frame?.scripts.some(({ url }) => url !== undefined));
  const load = extensions.find(({ scripts }) => scripts !== undefined)?.scripts;
  return isPlaced && load !== undefined ? (await load()).locateScripts(told, bounds) : told;
};

/** Makes the analysis of this name. @throws RangeError where no feature has it. */
export async function analyseByName(store: Store, name: string, id: string): Promise<unknown> {
  for (const { analyses: load } of extensions) {
    const analyse = (await load?.())?.analyses[name];
    if (analyse !== undefined) return analyse(store, id);
  }
  throw new RangeError(`There is no analysis ${name}`);
}

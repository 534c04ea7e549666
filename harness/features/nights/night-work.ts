import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Anomaly } from '../../core/model/anomaly.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { sessionsFolder } from '../../core/project.ts';
import { sweepLeftovers } from '../../core/session/leftovers.ts';
import { buildsFolder, defaultStoreBytes } from '../../core/setup/build-store.ts';
import { keepBuilds } from '../../core/setup/kept-builds.ts';
import { backUp, findDamage } from '../../core/store/database-file.ts';
import { renderJunit } from '../bundles/exchange/junit.ts';
import type { Caller, MeasuringCaller } from '../../core/app/caller.ts';
import type { Io } from '../../core/cli/io.ts';
import { isFit } from '../../core/analysis/fitness.ts';
import { lookAtMachine } from '../../core/app/devices/machine.ts';
import { searchStored, storedNightNumbers } from './search-history.ts';
import { daysAgo, pruneRuns } from '../bundles/upkeep.ts';
import { readRecord, withStore, writeWhole } from '../../core/app/records.ts';
import { renderReport } from '../../core/app/report/report.ts';
import { blameChanges } from './blame-changes.ts';
import { analyseWith, type AnalysisMeans, type NightAnalysis } from './analyse-night.ts';
import {
  backupPath,
  pruneBackups,
  removeHalfFiles,
  type KeptNight,
  nightsFolder,
  pruneNights,
} from './night-folder.ts';
import { measureNight, type NightRunOptions } from './measure-night.ts';
import type { BuildOfNight, NightDocument } from './night-document.ts';
import type { NightWork } from './night.ts';
import { type Channel, notifyOfNight } from './notice.ts';
import { type NightSetting, prepareRemeasuring } from './remeasure.ts';
import { nightFacts } from './changes.ts';
import { runDefaults } from '../../core/app/defaults.ts';

export interface NightTools {
  readonly options: NightlyOptions;
  readonly caller: MeasuringCaller & Pick<Io, 'callCommand'>;
  /** The folder of this night. */
  readonly folder: string;
  readonly id: string;
  readonly startedAt: Date;
  /** Nights before, the newest first. */
  readonly earlier: readonly KeptNight[];
  readonly channels: readonly Channel[];
  /** The continued night, as a farm that died left it; null for a new one. */
  readonly goesOn: NightDocument | null;
  /** Looks at the machine; the usual way when left out. */
  readonly lookAt?: typeof lookAtMachine;
}

/** The work of each step of a night. */
export function nightWork(tools: NightTools): NightWork {
  const { options, caller, folder, earlier, channels } = tools;
  const { database } = options;
  return {
    preflight: async () => {
      // First: what a dead farm left on the disk or running would make the machine seem unfit.
      await tidyUp({ ...options, earlier }, caller);
      // A smoke test does not care how busy the machine is.
      const watches = options.measurement !== 'fast';
      const findings = await (tools.lookAt ?? lookAtMachine)(database, { watches });
      return { fit: isFit(findings), findings };
    },
    measure: (notes) =>
      measureNight({
        options,
        caller,
        notes,
        before: targetsOf(earlier.map((one) => one.document)),
        goesOn: tools.goesOn,
      }),
    readRun: (run) => readRecord(run, database),
    keepBuilds: (record) => keepNightBuilds(record, options),
    analyse: (run) =>
      analyseNight(
        { database, run, budgetMs: options.analysisBudget, inventory: options.inventory },
        caller,
      ),
    ...blameWork(tools),
    ...reportWork(tools),
    junit: (record) => write(folder, 'junit.xml', renderJunit(record)),
    integrity: () => findDamage(database),
    notify: (night) =>
      notifyOfNight(night, channels, { earlier: earlier.map(({ document }) => document) }),
    ...backupWork(tools),
    ...pruneWork(tools),
  };
}

/** Nothing is blamed where the caller has no commands. */
function blameWork({ options, caller }: NightTools): Pick<NightWork, 'blame'> {
  const { callCommand, signal, say } = caller;
  const { database } = options;
  if (!options.blame || callCommand === undefined) return {};
  return {
    blame: async (confirmed, budgetMs) => {
      const anomalies = await storedAnomalies(database);
      return blameChanges(confirmed, { database, anomalies, budgetMs, callCommand, signal, say });
    },
  };
}

function reportWork({ options, folder, earlier }: NightTools): Pick<NightWork, 'report'> {
  const { database, report } = options;
  if (report === false) return {};
  return {
    report: async (night, record) => {
      const around = {
        earlier: earlier.map((one) => one.document),
        anomalies: await storedAnomalies(database),
        numbers: await storedNightNumbers(database, record),
      };
      const context = { database, more: { night: nightFacts(night, around) } };
      const text = await renderReport(record, context);
      if (report !== undefined) await writeWhole(resolve(report), text);
      return write(folder, 'report.html', text);
    },
  };
}

/** Which targets were measured against themselves. */
function targetsOf(nights: readonly NightDocument[]): readonly string[] {
  return nights.map(({ aa }) => aa?.target ?? null).filter((target) => target !== null);
}

async function storedAnomalies(database: string): Promise<readonly Anomaly[]> {
  return withStore(database, (store) => store.listAnomalies());
}

async function write(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeWhole(path, text);
  return path;
}

function backupWork(tools: NightTools): Pick<NightWork, 'backup'> {
  const { options, id, startedAt, earlier, goesOn } = tools;
  const { backup: folder, database, keepDays } = options;
  if (folder === undefined) return {};
  return {
    backup: async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = backupPath(folder, id);
      // Of the farm that died: later trials are not in it.
      if (goesOn !== null) await rm(path, { force: true });
      await backUp(database, path);
      if (keepDays !== undefined) {
        const nights = [
          { id, startedAt: startedAt.toISOString() },
          ...earlier.map(({ document }) => document),
        ];
        await pruneBackups(nights, { folder, before: daysAgo(keepDays) });
      }
      return path;
    },
  };
}

/** The folders of nights go by the same age as their runs. */
function pruneWork({ options, folder, earlier }: NightTools): Pick<NightWork, 'prune'> {
  const { keepDays, maxSize, database } = options;
  if (keepDays === undefined && maxSize === undefined) return {};
  return {
    prune: async () => {
      const { removed, bytesBefore, bytesAfter, notShrunk } = await pruneRuns(database, {
        keepDays,
        maxSize,
        dryRun: false,
        whenInUse: 'leave-size',
      });
      if (keepDays !== undefined) {
        await pruneNights(earlier, { before: daysAgo(keepDays), except: folder });
      }
      return { removed, bytesBefore, bytesAfter, notShrunk };
    },
  };
}

interface Keeping {
  readonly database: string;
  /** Most bytes of all copies together. */
  readonly keepBuilds: number;
}

/**
 *  Keeps copies of the builds that a night measured, each version once, or says why one was not copied.
 */
export async function keepNightBuilds(
  { presences }: Pick<RunRecord, 'presences'>,
  { database, keepBuilds: budgetBytes }: Keeping,
): Promise<readonly BuildOfNight[]> {
  const targets = presences.flatMap((one) => (one.status === 'found' ? [one.target] : []));
  const now = new Date().toISOString();
  const answers = await keepBuilds(targets, { folder: buildsFolder(database), budgetBytes, now });
  const all = answers.map((answer, index): BuildOfNight => {
    const { name: browser = '', version = '' } = targets[index]?.browser ?? {};
    const because = answer.kind === 'kept' ? null : answer.because;
    return { browser, version, kept: because === null, because };
  });
  return onceEach(all);
}

/** A build may be found in two places, and be kept of one of them alone. */
function onceEach(all: readonly BuildOfNight[]): readonly BuildOfNight[] {
  const keptFirst = all.toSorted((one, other) => Number(other.kept) - Number(one.kept));
  const isFirst = ({ browser, version }: BuildOfNight, index: number): boolean =>
    keptFirst.findIndex((one) => one.browser === browser && one.version === version) === index;
  return keptFirst.filter(isFirst);
}

interface Untidy {
  readonly database: string;
  /** Folder for copies of the database, where there is one. */
  readonly backup?: string | undefined;
  /** Nights before. */
  readonly earlier: readonly KeptNight[];
}

/**
 * Ends and removes what farms that died have left: browsers, profiles, half files. Nothing of it
 * stops a night: a failure is reported, and the run tries the browsers again.
 */
async function tidyUp({ database, backup, earlier }: Untidy, { say }: Caller): Promise<void> {
  try {
    const swept = await sweepLeftovers(sessionsFolder(database));
    if (swept > 0) say(`ended what ${String(swept)} crashed session(s) had left`);
  } catch (error) {
    say(`what crashed sessions left could not be ended: ${(error as Error).message}`);
  }
  const freed = await removeHalfFiles([
    dirname(resolve(database)),
    nightsFolder(database),
    ...earlier.map(({ folder }) => folder),
    ...(backup === undefined ? [] : [backup]),
  ]);
  if (freed > 0) say(`removed files that were half written: ${String(freed)} bytes`);
}

interface AnalysisOrder {
  readonly database: string;
  /** The night's run. */
  readonly run: number;
  /** Time for re-measuring, in milliseconds. */
  readonly budgetMs: number;
  /** The devices file; the usual one when left out. */
  readonly inventory?: string;
}

/** Looks what history says of a night's run, with its suspects measured again where that can be done. */
export async function analyseNight(
  { database, run, budgetMs, inventory }: AnalysisOrder,
  { signal, say, loadDriver }: MeasuringCaller,
): Promise<NightAnalysis> {
  const record = await readRecord(run, database);
  const stored = await withStore(database, (store) => store.readSetting(run));
  // Without the listener: the night's progress is the one of its run.
  const caller = { signal, say, ...(loadDriver !== undefined && { loadDriver }) };
  const setting: NightSetting = { record, database, caller, stored, inventory };
  return analyseWith(meansFor(setting), { run: record.run, budgetMs, signal });
}

/** Each call opens the store for itself: a re-measurement stores its own run, and takes minutes. */
function meansFor(setting: NightSetting): AnalysisMeans {
  const { database, record } = setting;
  return {
    searchSeries: () => withStore(database, (store) => searchStored(store, record.run)),
    listAnomalies: () => withStore(database, (store) => store.listAnomalies()),
    closeAnomaly: (id, reason) =>
      withStore(database, (store) =>
        store.changeAnomaly(id, { state: 'closed', reason, changedAt: new Date().toISOString() }),
      ),
    prepare: (suspected) => prepareRemeasuring(suspected, setting),
    now: () => performance.now(),
  };
}

interface NightlyOptions extends NightRunOptions {
  /** Milliseconds for measuring suspects again. */
  readonly analysisBudget: number;
  /** Finds the functions that made confirmed changes, in what is left of that time. */
  readonly blame: boolean;
  /** Folder for a copy of the database. */
  readonly backup?: string;
  readonly keepDays?: number;
  readonly maxSize?: number;
  /** A file for a copy of the night's report; false for no report at all. */
  readonly report?: string | false;
  /** Most bytes of the store of builds. */
  readonly keepBuilds: number;
}

/** The given options; `completeNight` adds the others. */
export type GivenNight = Omit<NightlyOptions, CompletedOption> &
  Partial<Pick<NightlyOptions, CompletedOption>>;

type CompletedOption = 'suite' | 'budget' | 'analysisBudget' | 'blame' | 'keepBuilds';

const hourMs = 3_600_000;

/** Fills in the options that were not given. */
export function completeNight(given: GivenNight): NightlyOptions {
  return {
    ...runDefaults,
    ...given,
    budget: given.budget ?? 6 * hourMs,
    analysisBudget: given.analysisBudget ?? hourMs,
    blame: given.blame ?? true,
    keepBuilds: given.keepBuilds ?? defaultStoreBytes,
    database: resolve(given.database),
    suite: given.suite ?? (given.bench.length > 0 ? null : 'nightly'),
  };
}

/** Writes what a night is asked for as one line: two farms with the same line are asked for the same night. */
export function askedOf(options: NightlyOptions): string {
  const named = Object.entries(options)
    // Nights are kept with their database.
    .filter(([name]) => name !== 'database')
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(Object.fromEntries(named));
}

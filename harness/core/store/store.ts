import { FarmError, unknownName } from '../errors.ts';
import { npxCrossfarm } from '../model/typed-command.ts';
import type { Anomaly, AnomalyFacts } from '../model/anomaly.ts';
import type { HistoryOrder, NightValue } from '../model/night.ts';
import type { Job } from '../model/plan.ts';
import type { CellCounts, Run, RunRecord, RunStatus } from '../model/run.ts';
import type { Trial } from '../model/trial.ts';
import { insertAnomaly, selectAnomalies, updateAnomaly, type AnomalyChange } from './anomalies.ts';
import { type CommitResult, insertCommitResults, selectCommitResults } from './commit-results.ts';
import type { Connection } from './connection.ts';
import { insertAllImported, type ImportedAs, type ImportedRun } from './import-runs.ts';
import { connectMigrated } from './migrate.ts';
import { selectJobs, selectPresences } from './read-plan.ts';
import {
  noCells,
  selectAnswer,
  selectAsked,
  selectCounts,
  selectDeviceCounts,
  selectIdentity,
  selectQuestion,
  selectRecentTimes,
  selectRuns,
} from './read-run.ts';
import { selectTrials } from './read-trial.ts';
import { trialItself, trialsOfRun } from './rows.ts';
import {
  keepStage,
  selectSetting,
  takeOver,
  type Claiming,
  type StageNews,
  type StoredSetting,
} from './run-setting.ts';
import { keepSummary, selectHistory } from './run-summary.ts';
import { insertJobs, insertRun, type RunFacts } from './write-run.ts';
import { insertTrials } from './write-trial.ts';

export type { RunFacts };

/** One run as a list shows it. */
interface ListedRun extends Run {
  readonly counts: CellCounts;
}

/**
 * The farm's database. Every call may fail with `disk-full`, `cannot-write` or `bad-database`; a call
 * that failed has stored nothing, and the store can be used again.
 */
export interface Store {
  /** Path of the database file. */
  readonly path: string;
  /** Stores a run with all its planned cells, as `running`, and gives its id. */
  createRun(facts: RunFacts): Promise<number>;
  /** Plans further cells of a run, of cases and targets that its first cells have. */
  addJobs(runId: number, jobs: readonly Job[]): Promise<void>;
  /**
   * Stores how one planned cell ended, and how far the run is, in one transaction. A cell has one outcome:
   * a second is refused.
   */
  writeTrial(runId: number, trial: Trial, news?: StageNews): Promise<void>;
  /** Keeps how far a run is, for who shows it meanwhile. */
  keepStage(runId: number, news: StageNews): Promise<void>;
  /** The settings of a run; null for a run that was imported, or that an older farm made. */
  readSetting(runId: number): Promise<StoredSetting | null>;
  /** Makes an ended run `running` again; false when another farm has taken it over meanwhile. */
  takeOver(runId: number, claiming: Claiming): Promise<boolean>;
  /** An interrupted run that was resumed is finished with a second call. Errors: `unknown-run`. */
  finishRun(
    runId: number,
    status: Exclude<RunStatus, 'running'>,
    finishedAt: string,
  ): Promise<void>;
  /** The identity of a run, the same in every database. Errors: `unknown-run`. */
  readIdentity(runId: number): Promise<string>;
  /** Stores runs of other farms, all or none; one that is here already is left as it is. Errors: `bad-import`. */
  importRuns(runs: AsyncIterable<ImportedRun>): Promise<readonly ImportedAs[]>;
  /** Errors: `unknown-run`. */
  counts(runId: number): Promise<CellCounts>;
  /** By the ids of its devices; empty when the run is unknown. */
  deviceCounts(runId: number): Promise<ReadonlyMap<string, CellCounts>>;
  /** The mean time of a trial in the newest runs, in milliseconds, by `timeKey`. */
  recentTimes(): Promise<ReadonlyMap<string, number>>;
  /** Null when the run is unknown, or no run exists. */
  readRun(id: number | 'latest'): Promise<RunRecord | null>;
  /** The same with only the trials that were stored after one: for a copy that follows the run. */
  readNewTrials(
    runId: number,
    after: number,
  ): Promise<{ readonly record: RunRecord; readonly newest: number } | null>;
  /** The plan of a run without its trials; null when the run is unknown. */
  readPlan(id: number): Promise<Pick<RunRecord, 'presences' | 'jobs'> | null>;
  /** A run as if this trial were its whole plan; null when the trial is unknown. */
  readTrial(id: number): Promise<RunRecord | null>;
  /** The newest finished run that was made for the question of this id; null when it is missing. */
  readAnswer(question: string): Promise<RunRecord | null>;
  /** The runs for that question, ended or not, the newest first. */
  listAsked(question: string): Promise<readonly number[]>;
  /** Medians of every run of a suite, the oldest first; without quarantined trials. */
  readHistory(order: HistoryOrder): Promise<readonly NightValue[]>;
  /** The newest first. */
  listRuns(): Promise<readonly ListedRun[]>;
  /** Stores a finding of a stored run as an untriaged anomaly, and gives its id: N1. */
  saveAnomaly(facts: AnomalyFacts): Promise<string>;
  /** The newest first. */
  listAnomalies(): Promise<readonly Anomaly[]>;
  /** Errors: `unknown-anomaly`. */
  readAnomaly(id: string): Promise<Anomaly>;
  /** Errors: `unknown-anomaly`. */
  changeAnomaly(id: string, change: AnomalyChange): Promise<void>;
  /** Stores comparisons of commits, each once, and gives how many are new. */
  addCommitResults(results: readonly CommitResult[]): Promise<number>;
  /** By name. */
  listCommitResults(): Promise<readonly CommitResult[]>;
  /** Waits for calls in flight. */
  close(): Promise<void>;
}

/**
 * Opens the database, or makes it with its folder, and brings an older one up to date.
 * Errors: `newer-database`, `older-database`, `bad-database`, `cannot-write`, `disk-full`.
 */
export async function openStore(path: string): Promise<Store> {
  return createStore(await connectMigrated(path));
}

/** A store on a connection that is migrated. */
export function createStore(connection: Connection): Store {
  return {
    path: connection.path,
    createRun: (facts) => connection.transaction('write', () => insertRun(connection, facts)),
    addJobs: (runId, jobs) =>
      connection.transaction('write', () => insertJobs(connection, runId, jobs)),
    readSetting: (runId) => connection.transaction('read', () => selectSetting(connection, runId)),
    takeOver: (runId, claiming) =>
      connection.transaction('write', () => takeOver(connection, runId, claiming)),
    finishRun: (runId, status, finishedAt) =>
      connection.transaction('write', async () => {
        const changed = await connection.all(
          'UPDATE run SET status = ?, finished_at = ? WHERE id = ? RETURNING id',
          [status, finishedAt, runId],
        );
        if (changed.length === 0) throw unknownRun(connection, runId);
        await keepSummary(connection, runId);
      }),
    readIdentity: (runId) =>
      connection.transaction('read', async () => {
        const identity = await selectIdentity(connection, runId);
        if (identity === null) throw unknownRun(connection, runId);
        return identity;
      }),
    importRuns: (runs) =>
      connection.transaction('write', () => insertAllImported(connection, runs)),
    counts: (runId) =>
      connection.transaction('read', async () => {
        const counts = (await selectCounts(connection, runId)).get(runId);
        if (counts === undefined) throw unknownRun(connection, runId);
        return counts;
      }),
    deviceCounts: (runId) =>
      connection.transaction('read', () => selectDeviceCounts(connection, runId)),
    recentTimes: () => connection.transaction('read', () => selectRecentTimes(connection)),
    readRun: (id) => connection.transaction('read', () => selectRecord(connection, id)),
    readNewTrials: (runId, after) =>
      connection.transaction('read', () => selectNewTrials(connection, runId, after)),
    readPlan: (id) => connection.transaction('read', () => selectPlan(connection, id)),
    readTrial: (id) => connection.transaction('read', () => selectTrialRecord(connection, id)),
    readAnswer: (question) =>
      connection.transaction('read', async () => {
        const run = await selectAnswer(connection, question);
        return run === null ? null : selectRecord(connection, run);
      }),
    listAsked: (question) =>
      connection.transaction('read', () => selectAsked(connection, question)),
    readHistory: (order) => connection.transaction('read', () => selectHistory(connection, order)),
    listRuns: () =>
      connection.transaction('read', async () => {
        const counts = await selectCounts(connection, null);
        const runs = await selectRuns(connection, 'all');
        return runs.map((run) => ({ ...run, counts: counts.get(run.id) ?? noCells }));
      }),
    ...trialCalls(connection),
    ...anomalyCalls(connection),
    ...commitCalls(connection),
    close: () => connection.close(),
  };
}

function trialCalls(connection: Connection): Pick<Store, 'writeTrial' | 'keepStage'> {
  return {
    writeTrial: (runId, trial, news) =>
      connection.transaction('write', async () => {
        await insertTrials(connection, runId, [trial]);
        if (news !== undefined) await keepStage(connection, runId, news);
      }),
    keepStage: (runId, news) =>
      connection.transaction('write', () => keepStage(connection, runId, news)),
  };
}

function commitCalls(
  connection: Connection,
): Pick<Store, 'addCommitResults' | 'listCommitResults'> {
  return {
    addCommitResults: (results) =>
      connection.transaction('write', () => insertCommitResults(connection, results)),
    listCommitResults: () => connection.transaction('read', () => selectCommitResults(connection)),
  };
}

type AnomalyCalls = Pick<Store, 'saveAnomaly' | 'listAnomalies' | 'readAnomaly' | 'changeAnomaly'>;

function anomalyCalls(connection: Connection): AnomalyCalls {
  return {
    saveAnomaly: (facts) => connection.transaction('write', () => insertAnomaly(connection, facts)),
    listAnomalies: () => connection.transaction('read', () => selectAnomalies(connection, 'all')),
    readAnomaly: (id) =>
      connection.transaction('read', async () => {
        const [anomaly] = await selectAnomalies(connection, id);
        if (anomaly === undefined) throw await unknownAnomaly(connection, id);
        return anomaly;
      }),
    changeAnomaly: (id, change) =>
      connection.transaction('write', async () => {
        const changed = await updateAnomaly(connection, id, change);
        if (!changed) throw await unknownAnomaly(connection, id);
      }),
  };
}

async function selectRecord(
  connection: Connection,
  id: number | 'latest',
  those = trialsOfRun,
): Promise<RunRecord | null> {
  const [run] = await selectRuns(connection, id);
  if (run === undefined) return null;
  const presences = await selectPresences(connection, run.id);
  const jobs = await selectJobs(connection, run.id);
  const trials = await selectTrials(connection, run.id, jobs, those);
  const question = await selectQuestion(connection, run.id);
  return { run, presences, jobs, trials, ...(question === null ? {} : { question }) };
}

/** Numbers of trials grow in the order in which trials were stored. */
async function selectNewTrials(
  connection: Connection,
  runId: number,
  after: number,
): ReturnType<Store['readNewTrials']> {
  const those = `${trialsOfRun} AND trial.id > ${String(Math.trunc(after))}`;
  const record = await selectRecord(connection, runId, those);
  const [row] = await connection.all<{ newest: number | null }>(
    `SELECT max(id) AS newest FROM trial WHERE id IN (${trialsOfRun})`,
    [runId],
  );
  return record === null ? null : { record, newest: row?.newest ?? after };
}

async function selectPlan(connection: Connection, id: number): ReturnType<Store['readPlan']> {
  const presences = await selectPresences(connection, id);
  const jobs = await selectJobs(connection, id);
  return presences.length === 0 ? null : { presences, jobs };
}

async function selectTrialRecord(connection: Connection, id: number): Promise<RunRecord | null> {
  const [place] = await connection.all<{ run: number; ordinal: number }>(
    `SELECT cell.run_id AS run, cell.ordinal FROM trial JOIN cell ON cell.id = trial.cell_id
     WHERE trial.id = ?`,
    [id],
  );
  const [run] = place === undefined ? [] : await selectRuns(connection, place.run);
  if (place === undefined || run === undefined) return null;
  const planned = await selectJobs(connection, run.id);
  const jobs = planned.filter(({ ordinal }) => ordinal === place.ordinal);
  const presences = await selectPresences(connection, run.id);
  return { run, presences, jobs, trials: await selectTrials(connection, id, jobs, trialItself) };
}

function unknownRun(connection: Connection, runId: number): FarmError {
  return new FarmError('unknown-run', {
    what: `${connection.path} has no run ${String(runId)}.`,
    next: 'Use one of the runs that the database has, or `latest`.',
  });
}

async function unknownAnomaly(connection: Connection, seen: string): Promise<FarmError> {
  const known = (await selectAnomalies(connection, 'all')).map(({ id }) => id);
  if (known.length > 0) return unknownName('unknown-anomaly', { kind: 'anomaly', seen, known });
  return new FarmError('unknown-anomaly', {
    what: `There is no anomaly "${seen}": none is saved in ${connection.path}.`,
    next: `Save one: ${npxCrossfarm} compare A B --save "what it is"`,
  });
}

import type { History } from '../../model/history.ts';
import type { Connection } from '../connection.ts';
import { connectMigrated } from '../migrate.ts';
import { selectAnswer } from '../read-run.ts';
import { selectLook } from '../run-setting.ts';
import { selectFilterValues } from './filter-values.ts';
import { selectDevices, selectPlacedTargets } from './places.ts';
import {
  selectCellPage,
  selectCountedRun,
  selectProgress,
  selectRunPage,
  selectSuiteHistory,
} from './runs.ts';
import { selectPool, selectSeries } from './series.ts';
import { selectTrial, selectTrialPage, selectTrialReadings, selectTrialSamples } from './trials.ts';

/**
 * Opens a database to be read from, brought up to date; a farm may go on writing to it.
 * Errors: those of `openStore`.
 */
export async function openHistory(path: string): Promise<History> {
  return createHistory(await connectMigrated(path));
}

/** The history on a connection that is migrated. */
function createHistory(connection: Connection): History {
  const read = <Result>(work: () => Promise<Result>): Promise<Result> =>
    connection.transaction('read', work);
  return {
    lastChange: () => read(() => selectLastChange(connection)),
    filterValues: () => read(() => selectFilterValues(connection)),
    runs: (status, page) => read(() => selectRunPage(connection, status, page)),
    run: (id) => read(() => selectCountedRun(connection, id)),
    cells: (run, page) => read(() => selectCellPage(connection, run, page)),
    progress: (run) => read(() => selectProgress(connection, run)),
    look: (run) => read(() => selectLook(connection, run)),
    series: (filter, page) => read(() => selectSeries(connection, filter, page)),
    trials: (filter, page) => read(() => selectTrialPage(connection, filter, page)),
    trial: (id) => read(() => selectTrial(connection, id)),
    samples: (trial) => read(() => selectTrialSamples(connection, trial)),
    readings: (trial) => read(() => selectTrialReadings(connection, trial)),
    suiteHistory: (suite) => read(() => selectSuiteHistory(connection, suite)),
    devices: () => read(() => selectDevices(connection)),
    answeredBy: (question) => read(() => selectAnswer(connection, question)),
    targets: () => read(() => selectPlacedTargets(connection)),
    pooled: (wanted) => read(() => selectPool(connection, wanted)),
    close: () => connection.close(),
  };
}

/** Counts another connection's changes, which is enough: a reader of the history writes nothing. */
async function selectLastChange(connection: Connection): Promise<string> {
  const [row] = await connection.all<{ data_version: number }>('PRAGMA data_version');
  return String(row?.data_version ?? 0);
}

import { existsSync } from 'node:fs';
import { FarmError } from '../../errors.ts';
import { openStore } from '../../store/store.ts';
import type { Caller, MeasuringCaller } from '../caller.ts';
import { readRecord } from '../records.ts';
import { cannotResume, continueRun, readStoredSetting, refuseRunning } from './continue-run.ts';
import { countOutcomes } from './count-outcomes.ts';
import type { RunResult } from './execute-plan.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

export interface ResumeOptions {
  readonly database: string;
  /** Of the page server; 0 is that of the run. */
  readonly port: number;
  /** As `MeasuringOptions` has it. */
  readonly wait?: boolean | undefined;
  /** Also a run whose farm cannot be seen from here. */
  readonly takeOver: boolean;
}

/** How a run ended, now or before. */
export interface ResumedRun extends Omit<RunResult, 'trials'> {
  /** All of its cells had an outcome already. */
  readonly wasFinished: boolean;
}

/**
 * Does the cells of a run that have no outcome: of the newest one that is not finished when none is
 * named. Null, with a message, when the run is unknown.
 * @throws FarmError
 */
export async function resumeRun(
  which: number | 'latest' | null,
  options: ResumeOptions,
  caller: MeasuringCaller,
): Promise<ResumedRun | null> {
  const { database, takeOver } = options;
  const id = which ?? (await newestResumable(database, caller));
  if (id === null) return null;
  const record = await readRecord(id, database);
  const { run } = record;
  if (run.status === 'finished') {
    const store = await openStore(database);
    const counted = countOutcomes(store, run.id, record.presences);
    const outcomes = await counted.finally(() => store.close());
    const all = `all of its ${String(outcomes.cells.planned)} cells have an outcome`;
    caller.say(`Nothing to resume: run ${String(run.id)} is finished, and ${all}.`);
    return { run: run.id, ...outcomes, interrupted: false, wasFinished: true };
  }
  const stored = await readStoredSetting(run.id, database);
  if (stored === null) throw cannotResume(record, 'it was imported, or made by an older farm');
  const command = `${npxCrossfarm} continue ${String(run.id)} --take-over`;
  refuseRunning(record, stored.farm, takeOver ? null : command);
  return { ...(await continueRun({ record, stored }, options, caller)), wasFinished: false };
}

/**
 * Null, with a message, when no run is unfinished. @throws FarmError `unknown-run` in an empty
 * database.
 */
async function newestResumable(database: string, { say }: Caller): Promise<number | null> {
  if (!existsSync(database)) {
    throw new FarmError('unknown-run', {
      what: `No run was found: ${database} does not exist.`,
      next: `Make one: ${npxCrossfarm} run`,
    });
  }
  const store = await openStore(database);
  try {
    const runs = await store.listRuns();
    const unfinished = runs.filter(({ status }) => status !== 'finished').map(({ id }) => id);
    for (const id of unfinished) {
      const setting = await store.readSetting(id);
      if (setting !== null && !setting.document.endsEarly) return id;
    }
    say(
      unfinished.length === 0
        ? `Nothing to resume: every run in ${database} is finished.`
        : `Nothing to resume: the runs that did not finish (${unfinished.join(', ')}) cannot be gone on with; ${npxCrossfarm} continue <run> says why.`,
    );
    return null;
  } finally {
    await store.close();
  }
}

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import type { RunRecord } from '../model/run.ts';
import { openStore, type Store } from '../store/store.ts';
import { chooseListener } from '../app/run/execute-plan.ts';
import { deviceCellsOf } from '../app/run/count-outcomes.ts';
import {
  cannotResume,
  goOnWith,
  readStoredSetting,
  refuseWhatGoesOn,
} from '../app/run/continue-run.ts';
import { note, print, type Io, type Runner } from './io.ts';
import {
  parsePort,
  parseRun,
  withDatabase,
  withJson,
  type DatabaseOption,
  type JsonOption,
} from './options.ts';
import { readRecord } from '../app/records.ts';
import { verdictOf } from './run.ts';

interface Options extends DatabaseOption, JsonOption {
  readonly port: number;
  /** Also a run whose farm cannot be seen from here. */
  readonly takeOver: boolean;
}

export function declare(command: Command, run: Runner): void {
  command
    .argument('[run]', 'number of a stored run (default: the newest that is not finished)')
    .addHelpText('after', help);
  withDatabase(command);
  withJson(command, 'print events as JSON lines; the last is run-finished')
    .option('--port <number>', 'port of the page server (default: that of the run)', parsePort, 0)
    .option('--take-over', 'also a run of a container or machine that is gone', false)
    .action((which: string | undefined, options: Options) =>
      run((io) => resume(which ?? null, options, io)),
    );
}

const help = `
Plan, order, measurement, pages and probes are those of the run. Devices are looked for anew; the
cells of one that is gone, or has another version now, are skipped with that reason.`;

/** Cells without outcome → trials → store. */
async function resume(which: string | null, options: Options, io: Io): Promise<ExitCode> {
  const id = which === null ? await newestResumable(options.database, io) : parseRun(which);
  if (id === null) return exitCodes.fine;
  const record = await readRecord(id, options.database);
  const { run } = record;
  if (run.status === 'finished') return tellFinished(record, options, io);
  const stored = await readStoredSetting(run.id, options.database);
  if (stored === null) throw cannotResume(record, 'it was imported, or made by an older farm');
  const takeOver = `farm resume ${String(run.id)} --take-over`;
  refuseWhatGoesOn(record, stored.farm, options.takeOver ? null : takeOver);
  const listener = chooseListener(options.json, io);
  const { cells, interrupted } = await goOnWith({ record, stored }, { ...options, io, listener });
  if (!options.json) print(io, `see it: npx farm report ${String(run.id)}`);
  return verdictOf(cells, interrupted);
}

/** Null, and told why, when there is none. @throws FarmError `unknown-run` when there is no run at all. */
async function newestResumable(database: string, io: Io): Promise<number | null> {
  if (!existsSync(database)) {
    throw new FarmError('unknown-run', {
      what: `There is no run in ${database}: it does not exist.`,
      next: 'Make one: farm run',
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
    note(
      io,
      unfinished.length === 0
        ? `Nothing to resume: every run in ${database} is finished.`
        : `Nothing to resume: the runs that did not finish (${unfinished.join(', ')}) cannot be gone on with; farm resume <run> says why.`,
    );
    return null;
  } finally {
    await store.close();
  }
}

async function tellFinished(
  { run, presences }: RunRecord,
  options: Options,
  io: Io,
): Promise<ExitCode> {
  const store = await openStore(options.database);
  const { cells, devices } = await countAll(store, run.id, presences).finally(() => store.close());
  const all = `all of its ${String(cells.planned)} cells have an outcome`;
  note(io, `Nothing to resume: run ${String(run.id)} is finished, and ${all}.`);
  if (options.json)
    chooseListener(true, io).onRunEnded?.({ run: run.id, cells, devices, interrupted: false });
  return exitCodes.fine;
}

async function countAll(store: Store, run: number, presences: RunRecord['presences']) {
  const devices = await deviceCellsOf(store, run, presences);
  return { cells: await store.counts(run), devices };
}

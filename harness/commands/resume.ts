import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { loadDriver } from '../../drivers/index.ts';
import { findBenchmark, loadCatalog } from '../catalog/catalog.ts';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import type { Benchmark } from '../model/case.ts';
import { jobsToDo, type Plan } from '../model/plan.ts';
import type { Machine, RunRecord, RunSetting } from '../model/run.ts';
import { benchmarksOf, planRest } from '../plan/rest.ts';
import { isOfDeadFarm, readFarmMark } from '../session/farm-mark.ts';
import { describeMachine } from '../setup/machine.ts';
import { findDevices } from '../setup/presence.ts';
import { openStore } from '../store/store.ts';
import { carryOut, chooseListener, runInProgress } from './carry-out.ts';
import { note, print, type Io, type Runner } from './io.ts';
import {
  parsePort,
  parseRun,
  withDatabase,
  withJson,
  type DatabaseOption,
  type JsonOption,
} from './options.ts';
import { readRecord } from './records.ts';
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
    .option('--port <number>', 'port of the page server; 0 is any free one', parsePort, 0)
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
  const stored = await readSetting(run.id, options.database);
  if (stored === null) throw cannotResume(record, 'it was imported, or made by an older farm');
  refuseWhatGoesOn(record, stored.farm, options);
  refuseWhatCannotGoOn(record, stored.document);
  const plan = await planAnew(record, stored.document);
  tellAboutRest(record, plan, io);
  const { pages, deadlineMs: deadline, probes, probe } = stored.document;
  const { cells, interrupted } = await carryOut(plan, {
    suite: run.suite,
    command: run.command,
    options: { ...options, pages, deadline, probes, probe },
    io,
    listener: chooseListener(options.json, io),
    resumes: { run: run.id, before: stored.farm },
  });
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

async function readSetting(
  run: number,
  database: string,
): Promise<{ readonly farm: string; readonly document: RunSetting } | null> {
  const store = await openStore(database);
  try {
    return await store.readSetting(run);
  } finally {
    await store.close();
  }
}

async function tellFinished({ run }: RunRecord, options: Options, io: Io): Promise<ExitCode> {
  const store = await openStore(options.database);
  const cells = await store.counts(run.id).finally(() => store.close());
  const all = `all of its ${String(cells.planned)} cells have an outcome`;
  note(io, `Nothing to resume: run ${String(run.id)} is finished, and ${all}.`);
  if (options.json)
    chooseListener(true, io).onRunEnded?.({ run: run.id, cells, interrupted: false });
  return exitCodes.fine;
}

/** An interrupted run has been let go by its farm; one that still says `running` may be dead. */
function refuseWhatGoesOn({ run }: RunRecord, farm: string, { takeOver }: Options): void {
  if (run.status === 'interrupted' || isOfDeadFarm(farm)) return;
  const { pid, host, here } = readFarmMark(farm);
  if (here) throw runInProgress(run.id, `farm process ${pid}`);
  if (takeOver) return;
  throw new FarmError('run-in-progress', {
    what: `Run ${String(run.id)} was begun by farm process ${pid} of another machine or container (${host}), and whether that still lives cannot be seen from here.`,
    next: `If it does not: farm resume ${String(run.id)} --take-over`,
  });
}

function refuseWhatCannotGoOn(record: RunRecord, setting: RunSetting): void {
  if (record.question !== undefined || setting.endsEarly) {
    throw cannotResume(record, 'it plans block by block, until it is decided');
  }
  const here = describeMachine();
  const { machine } = record.run;
  if (!isSameMachine(machine, here)) {
    throw cannotResume(
      record,
      `it was measured on ${machine.hostname} (${String(machine.logicalCores)} cores, ${machine.cpuModel}), and this is ${here.hostname} (${String(here.logicalCores)} cores, ${here.cpuModel})`,
    );
  }
}

function isSameMachine(one: Machine, other: Machine): boolean {
  return (['hostname', 'architecture', 'cpuModel', 'logicalCores'] as const).every(
    (fact) => one[fact] === other[fact],
  );
}

function cannotResume({ run }: RunRecord, because: string): FarmError {
  return new FarmError('bad-argument', {
    what: `Run ${String(run.id)} cannot be resumed: ${because}. What it has stored stays.`,
    next: `Make it anew: ${run.command}`,
  });
}

/** The same plan, with the devices and pages of today. */
async function planAnew(record: RunRecord, setting: RunSetting): Promise<Plan> {
  const catalog = await loadCatalog(setting.pages);
  const benchmarks = benchmarksOf(record).map((then) => {
    const now = findBenchmark(catalog, then.id);
    refuseOtherVersion(record, then, now);
    return now;
  });
  const devices = record.presences.map(({ device }) => device);
  const presences = await findDevices(devices, loadDriver);
  return planRest(record, { setting, presences, benchmarks });
}

function refuseOtherVersion(record: RunRecord, then: Benchmark, now: Benchmark): void {
  if (then.version === now.version) return;
  throw cannotResume(
    record,
    `${then.id} is version ${String(now.version)} now, and the run measured version ${String(then.version)}, which are never pooled`,
  );
}

function tellAboutRest({ run, trials }: RunRecord, plan: Plan, io: Io): void {
  const rest = jobsToDo(plan);
  note(
    io,
    `going on with run ${String(run.id)}: ${String(trials.length)} of ${String(plan.jobs.length)} cells have an outcome, ${String(rest.length)} are to be done`,
  );
  for (const presence of plan.presences) {
    if (presence.status === 'found') continue;
    const cells = rest.filter(({ deviceId }) => deviceId === presence.device.id).length;
    if (cells === 0) continue;
    note(
      io,
      `${presence.device.id}: ${presence.reason}; its ${String(cells)} cells are skipped (${presence.remedy})`,
    );
  }
}

import { dirname, join, resolve } from 'node:path';
import type { ChosenWindow } from '../../analysis/chosen-window.ts';
import { type Io, note, print } from '../../cli/io.ts';
import type { DatabaseOption, JsonOption, PagesOption, ProbeOptions } from '../../cli/options.ts';
import { FarmError } from '../../errors.ts';
import { type Job, jobsOfRound, jobsToDo, type Plan } from '../../model/plan.ts';
import type { Question } from '../../model/question.ts';
import type { CellCounts, RunRecord, RunSetting, SeriesTest } from '../../model/run.ts';
import type { Trial } from '../../model/trial.ts';
import { farmVersion } from '../../project.ts';
import type { RunListener } from '../../run/listener.ts';
import { guardListener } from '../../run/progress/guard.ts';
import { jsonLines } from '../../run/progress/json-lines.ts';
import { openScreen, terminalProgress } from '../../run/progress/terminal.ts';
import { type Equipment, runPlan } from '../../run/runner.ts';
import { farmMark } from '../../session/farm-mark.ts';
import { describeMachine } from '../../setup/machine.ts';
import { openStore, type RunFacts, type Store } from '../../store/store.ts';
import { measurementOf } from '../compare/block-watch.ts';
import { deviceCellsOf } from './count-outcomes.ts';
import { publicOriginsOf } from './remote-sessions.ts';
import { type EquipmentOptions, withEquipment } from './equipment.ts';
import { guestFoldersOf } from './external-pages.ts';
import { PatientWriting } from './retry-on-lock.ts';

export interface MeasuringOptions extends DatabaseOption, JsonOption, PagesOption, ProbeOptions {
  readonly port: number;
  /** Of one trial, in milliseconds. */
  readonly deadline: number;
}

export interface CarryOut {
  readonly suite: string;
  /** The command that repeats the run. */
  readonly command: string;
  readonly options: MeasuringOptions;
  readonly io: Io;
  readonly listener: RunListener;
  /** What the run is to answer; stored with it. */
  readonly question?: Question;
  /** What a night asks with the run; stored with it. */
  readonly test?: SeriesTest;
  /** Asked after each trial, with all trials so far; true ends the run there. */
  readonly enough?: (trials: readonly Trial[]) => boolean;
  /** Asked once, when the first round is over: the window of the trials after it. */
  readonly window?: (trials: readonly Trial[]) => ChosenWindow | null;
  /** A stored run to go on with, instead of a new one, and who carried it out until now. */
  readonly resumes?: { readonly record: RunRecord; readonly before: string };
  /** What the run takes that is there already. */
  readonly lent?: Pick<EquipmentOptions, 'server' | 'driverOf' | 'limits'>;
}

export interface Carried {
  readonly run: number;
  readonly cells: CellCounts;
  readonly interrupted: boolean;
  /** Kept only when the run may end early, those from before included; else they are in the store. */
  readonly trials: readonly Trial[];
}

/** Where sessions keep their profiles while they live: beside the database. */
export function sessionsFolder(database: string): string {
  return join(dirname(database), 'sessions');
}

/** Plan → trials → store. What is stored stays, however the run ends. */
export async function carryOut(plan: Plan, order: CarryOut): Promise<Carried> {
  const { options, io, listener } = order;
  const guests = guestFoldersOf(plan);
  const say = (sentence: string): void => {
    note(io, sentence);
  };
  const writing = new PatientWriting({ signal: io.signal, say });
  const store = await writing.write(() => openStore(options.database));
  const equipmentOptions = {
    ...options,
    directory: sessionsFolder(options.database),
    guests,
    publicOrigins: publicOriginsOf(plan.presences),
    ...order.lent,
    signal: io.signal,
    say,
  };
  try {
    return await withEquipment(equipmentOptions, async (equipment) => {
      const run = await writing.write(() => beginRun(store, plan, order));
      listener.onRunStarted?.({ run, plan: { ...plan, jobs: jobsToDo(plan) } });
      const kept = order.enough === undefined ? [] : [...(order.resumes?.record.trials ?? [])];
      const tools = {
        ...{ ...equipment, ...tracesOf(options, run), listener },
        measurementOf: measurementOf(plan, kept, order),
      };
      await storeTrials(runPlan(plan, tools), { store, run, plan, order, writing, kept });
      const interrupted = io.signal.aborted;
      const status = interrupted ? 'interrupted' : 'finished';
      await writing.write(() => store.finishRun(run, status, new Date().toISOString()));
      const cells = await store.counts(run);
      const devices = await deviceCellsOf(store, run, plan.presences);
      listener.onRunEnded?.({ run, cells, devices, interrupted });
      return { run, cells, interrupted, trials: kept };
    });
  } finally {
    await store.close();
  }
}

/** @throws FarmError `run-in-progress` when another farm went on with it meanwhile. */
async function beginRun(store: Store, plan: Plan, order: CarryOut): Promise<number> {
  const { resumes } = order;
  if (resumes === undefined) {
    return store.createRun({ ...runFacts(plan, order), jobs: plannedJobs(plan, order) });
  }
  const { record, before } = resumes;
  const { id } = record.run;
  if (await store.takeOver(id, { farm: farmMark(), before, command: order.command })) return id;
  throw runInProgress(id, 'another farm process');
}

/** The refusal to go on with a run that somebody else carries out. */
export function runInProgress(run: number, by: string): FarmError {
  return new FarmError('run-in-progress', {
    what: `Run ${String(run)} is being carried out by ${by}.`,
    next: 'Wait until that has ended, or end it with Ctrl-C; what it has stored stays.',
  });
}

/** Traces lie beside the database, and are named relative to it. */
function tracesOf({ database, probe }: MeasuringOptions, run: number): Pick<Equipment, 'traces'> {
  if (probe?.includes('trace') !== true) return {};
  return { traces: { root: resolve(dirname(database)), run } };
}

interface Storing {
  readonly store: Store;
  readonly run: number;
  readonly plan: Plan;
  readonly order: CarryOut;
  readonly writing: PatientWriting;
  /** Takes the trials of a run that may end early. */
  readonly kept: Trial[];
}

async function storeTrials(
  trials: AsyncGenerator<Trial>,
  { store, run, plan, order, writing, kept }: Storing,
): Promise<void> {
  const { enough } = order;
  const addJobs = (jobs: readonly Job[]): Promise<void> =>
    writing.write(() => store.addJobs(run, jobs));
  const write = (trial: Trial): Promise<void> => writing.write(() => store.writeTrial(run, trial));
  const planned = new Set(plannedJobs(plan, order).map(({ ordinal }) => ordinal));
  for await (const trial of trials) {
    const jobs = unplannedJobs(plan, trial, planned);
    if (jobs.length > 0) await addJobs(jobs);
    for (const { ordinal } of jobs) planned.add(ordinal);
    await write(trial);
    if (enough) kept.push(trial);
    if (enough?.(kept)) {
      for (const left of leftOfRound(plan, kept)) await write(left);
      break;
    }
  }
}

/** A run may end in the middle of a round, and every planned cell has an outcome. */
function leftOfRound(plan: Plan, kept: readonly Trial[]): readonly Trial[] {
  const last = kept.at(-1);
  if (last === undefined) return [];
  const done = new Set(kept.map(({ job }) => job.ordinal));
  return jobsOfRound(plan, last.job.block)
    .filter(({ ordinal }) => !done.has(ordinal))
    .map((job) => ({
      job,
      outcome: {
        kind: 'skipped',
        reason: 'the run ended before its turn',
        remedy: 'a larger --budget',
      },
      browser: null,
      failedAttempts: [],
      startedAt: new Date().toISOString(),
      wallMs: 0,
    }));
}

/**
 * The cells that a run has before the first trial. One that may end early plans them round by round,
 * so that none is left without outcome.
 */
function plannedJobs(plan: Plan, { enough, resumes }: CarryOut): readonly Job[] {
  return resumes?.record.jobs ?? (enough ? jobsOfRound(plan, 0) : plan.jobs);
}

/**
 * Cells to be added before this trial can be stored: those of its round, or the repeat that it is,
 * which the runner planned when the trial before it was quarantined.
 */
function unplannedJobs(plan: Plan, { job }: Trial, planned: ReadonlySet<number>): readonly Job[] {
  if (planned.has(job.ordinal)) return [];
  const round = jobsOfRound(plan, job.block).filter(({ ordinal }) => !planned.has(ordinal));
  return round.length > 0 ? round : [job];
}

function runFacts(plan: Plan, order: CarryOut): Omit<RunFacts, 'jobs'> {
  const { suite, command, question } = order;
  return {
    setting: { farm: farmMark(), document: settingOf(plan, order) },
    suite,
    seed: plan.seed,
    isolation: plan.isolation,
    command,
    farmVersion: farmVersion(),
    machine: describeMachine(),
    startedAt: new Date().toISOString(),
    presences: plan.presences,
    ...(question === undefined ? {} : { question }),
  };
}

function settingOf(plan: Plan, { options, enough, test }: CarryOut): RunSetting {
  const { pages, port, deadline, probes, probe = [] } = options;
  return {
    measurement: plan.measurement,
    repeatQuarantined: plan.repeatQuarantined,
    ...(plan.allowContention === true && { allowContention: true }),
    endsEarly: enough !== undefined,
    ...(test !== undefined && { test }),
    pages: resolve(pages),
    ...(port !== 0 && { port }),
    deadlineMs: deadline,
    probes,
    probe,
  };
}

/** Events as JSON lines, or progress for a person: a live status on a terminal, lines elsewhere. */
export function chooseListener(json: boolean, io: Io): RunListener {
  const complain = (sentence: string): void => {
    note(io, sentence);
  };
  if (json) {
    return guardListener(
      jsonLines((line) => {
        print(io, line);
      }),
      complain,
    );
  }
  const live = io.stderr.isTTY;
  return guardListener(terminalProgress(openScreen(io.stderr, live), live), complain);
}

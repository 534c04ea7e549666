import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ChosenWindow } from '../../analysis/chosen-window.ts';
import { FarmError } from '../../errors.ts';
import { presetNote, findPreset } from '../../model/case.ts';
import { type Job, jobsToDo, type Plan } from '../../model/plan.ts';
import type { Question } from '../../model/question.ts';
import type { OptInProbe } from '../../model/reading.ts';
import type { OwnPages, RunRecord, RunSetting, SeriesTest } from '../../model/run.ts';
import type { Trial } from '../../model/trial.ts';
import type { MeasurementName } from '../../plan/catalog/measurement.ts';
import { farmVersion, sessionsFolder } from '../../project.ts';
import { profileProbe } from '../../probes/trace.ts';
import { firstCells, measurementByRound, planTrials } from '../../run/rounds.ts';
import type { Look, RunListener } from '../../run/listener.ts';
import { type Equipment, runPlan } from '../../run/runner.ts';
import { isChromiumAsRoot } from '../../session/chromium-sandbox.ts';
import { farmMark } from '../../session/farm-mark.ts';
import { trustOwnWork } from '../../setup/consent.ts';
import { describeMachine } from '../../setup/machine.ts';
import { requireSound } from '../../store/database-file.ts';
import { openStore, type RunFacts, type Store } from '../../store/store.ts';
import type { MeasuringCaller, Caller } from '../caller.ts';
import { locateScripts, profileMaker } from '../extensions.ts';
import { joinListeners } from '../follow.ts';
import { isOverTls, type TlsOptions } from '../tls/certificate.ts';
import { countOutcomes, type RunOutcomes } from './count-outcomes.ts';
import { type EquipmentOptions, withEquipment } from './equipment.ts';
import { externalFolders } from './external-pages.ts';
import { requireLanCertificate } from './lan-server.ts';
import { listPublicOrigins } from './reachable-pages.ts';
import { Stage } from './run-stage.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { wasLocked } from '../../store/failures.ts';

/** Options of every command that measures. */
export interface MeasuringOptions extends TlsOptions {
  /** The file in which runs are stored. */
  readonly database: string;
  /** The folder of benchmark pages. */
  readonly pages: string;
  /** Of the page server; 0 is any free one. */
  readonly port: number;
  /** Of one trial, in milliseconds. */
  readonly deadline: number;
  /** How each trial is measured; by the rules of its suite when left out. */
  readonly measurement?: MeasurementName | undefined;
  /**
   * True if it waits for another farm that measures on this machine, instead of refusing; it waits
   * when left out.
   */
  readonly wait?: boolean | undefined;
  /** False switches off the probes that watch every trial. */
  readonly probes: boolean;
  /** Others, by name; none when left out. */
  readonly probe?: readonly OptInProbe[];
}

export interface RunOrder {
  readonly suite: string;
  /** The command that repeats the run. */
  readonly command: string;
  readonly options: MeasuringOptions;
  /** The question that the run is to answer; stored with it. */
  readonly question?: Question;
  /** The test that a night makes with the run; stored with it. */
  readonly test?: SeriesTest;
  /** The pages of one's own that it measures; stored with it. */
  readonly ownPages?: OwnPages | undefined;
  /** Asked after each trial, with all trials so far; true ends the run there. */
  readonly enough?: (trials: readonly Trial[]) => boolean;
  /**
   * Asked before the first trial, and after each one that is not the last: how the run stands and
   * when it is expected to end; null if nothing has changed.
   */
  readonly look?: (trials: readonly Trial[]) => Look | null;
  /** Asked before each trial: why it is left out of the run, if it is. */
  readonly reasonToLeaveOut?: (job: Job) => string | null;
  /** The window of later rounds, from the trials of the first; null where it stays. */
  readonly window?: (trials: readonly Trial[]) => ChosenWindow | null;
  /** Existing or unusual equipment, where devices are reached by other means. */
  readonly lent?: Pick<EquipmentOptions, 'server' | 'driverOf' | 'limits'>;
  /** A stored run that goes on, instead of a new one: its plan knows what is done. */
  readonly resumes?: {
    readonly record: RunRecord;
    /** Mark of the farm that carried it out before. */
    readonly before: string;
  };
}

/** How the execution of a plan ended. */
export interface RunResult extends RunOutcomes {
  readonly run: number;
  readonly interrupted: boolean;
  /** All of the run, where it may end early; none otherwise, for they may be many. */
  readonly trials: readonly Trial[];
}

/** Executes a plan, and stores each trial as it ends. Stored trials stay, at any end of the run. */
export async function executePlan(
  plan: Plan,
  order: RunOrder,
  caller: MeasuringCaller,
): Promise<RunResult> {
  const { options } = order;
  const externals = externalFolders(plan);
  await requireLanCertificate(plan.presences, options);
  const retry = new RetryOnLock(caller);
  await retry.write(() => requireSound(options.database));
  const isNew = !existsSync(options.database);
  const store = await retry.write(() => openStore(options.database));
  if (isNew) trustOwnWork(options.database);
  const { loadDriver, signal, say } = caller;
  const equipmentOptions = {
    ...options,
    directory: sessionsFolder(options.database),
    externals,
    publicOrigins: listPublicOrigins(plan.presences),
    waitsForQuiet: findPreset(plan.measurement) === undefined,
    ...(loadDriver !== undefined && { loadDriver }),
    ...order.lent,
    signal,
    say,
  };
  const begun: number[] = [];
  try {
    return await withEquipment(equipmentOptions, (equipment) =>
      storeRun(plan, { order, caller, equipment, store, retry, begun }),
    );
  } finally {
    for (const run of begun) executedHere.delete(run);
    await store.close();
  }
}

/** Runs that this process executes now, of whatever database. */
const executedHere = new Set<number>();

/** False for a run that this process has given up, though the database may not say so: its disk was full. */
export function isExecutedHere(run: number): boolean {
  return executedHere.has(run);
}

interface Execution {
  readonly order: RunOrder;
  readonly caller: MeasuringCaller;
  readonly equipment: Omit<Equipment, 'listener'>;
  readonly store: Store;
  readonly retry: RetryOnLock;
  /** Takes the number of the run. */
  readonly begun: number[];
}

async function storeRun(
  plan: Plan,
  { order, caller, equipment, store, retry, begun: runs }: Execution,
): Promise<RunResult> {
  const { signal } = caller;
  const { enough, reasonToLeaveOut, window, resumes, look } = order;
  const mayEndEarly = endsEarly(order);
  const stage = new Stage(plan, { endsEarly: mayEndEarly, look });
  const listener = joinListeners(stage.listener, caller.listener ?? {});
  const cells = resumes?.record.jobs ?? firstCells(plan, mayEndEarly);
  // For the time left alone: an unreadable database does not stop a measurement.
  const lately = await store.recentTimes().catch(() => new Map<string, number>());
  const run = await retry.write(() => beginRun(store, { plan, order, cells }));
  runs.push(run);
  executedHere.add(run);
  tellStart({ ...caller, listener }, plan, { run, mayEndEarly: hasRule(order), lately });
  const trialsBefore = listTrialsBefore(order);
  const trials = enough === undefined ? [] : [...trialsBefore];
  const begun = stage.look(trials, listener);
  await retry.write(() => store.keepStage(run, stage.news(begun)));
  const tools = {
    ...equipment,
    ...(await openTraces(order.options, run)),
    locateScripts,
    listener,
    reasonToLeaveOut,
    trialsBefore,
    measurementOf: measurementByRound(plan, trials, { window, listener }),
  };
  const lookToo = (sofar: readonly Trial[]): boolean => {
    if (enough?.(sofar) === true) return true;
    const seen = stage.look(sofar, listener);
    // The run goes on, even if its page shows it a block later.
    if (seen !== null) store.keepStage(run, stage.news(seen)).catch(() => undefined);
    return false;
  };
  const steps = planTrials(plan, runPlan(plan, tools), {
    cells,
    enough: enough && lookToo,
    sofar: trials,
  });
  for await (const { added, trial } of steps) {
    if (added.length > 0) await retry.write(() => store.addJobs(run, added));
    await retry.write(() => store.writeTrial(run, trial, stage.news()));
  }
  const interrupted = signal.aborted;
  const status = interrupted ? 'interrupted' : 'finished';
  await retry.write(() => store.finishRun(run, status, new Date().toISOString()));
  const outcomes = await countOutcomes(store, run, plan.presences);
  listener.onRunEnded?.({ run, ...outcomes, interrupted });
  return { run, ...outcomes, interrupted, trials };
}

/** Of a run that goes on. */
function listTrialsBefore({ resumes }: RunOrder): readonly Trial[] {
  return resumes?.record.trials ?? [];
}

type RunStart = Omit<Parameters<NonNullable<RunListener['onRunStarted']>>[0], 'plan'>;

function tellStart({ listener, say }: MeasuringCaller, plan: Plan, start: RunStart): void {
  listener?.onRunStarted?.({ ...start, plan: { ...plan, jobs: jobsToDo(plan) } });
  const preset = findPreset(plan.measurement);
  if (preset !== undefined) say(presetNote(preset));
}

/** A rule ends it, of which a look says how it stands. */
function hasRule(order: RunOrder): boolean {
  return endsEarly(order) && order.look !== undefined;
}

function endsEarly({ enough }: RunOrder): boolean {
  return enough !== undefined;
}

interface NewRun {
  readonly plan: Plan;
  readonly order: RunOrder;
  readonly cells: readonly Job[];
}

/** @throws FarmError `run-in-progress` when another farm went on with it meanwhile. */
async function beginRun(store: Store, { plan, order, cells }: NewRun): Promise<number> {
  const { resumes } = order;
  if (resumes === undefined) return store.createRun({ ...runFacts(plan, order), jobs: cells });
  const { record, before } = resumes;
  const { id } = record.run;
  if (await store.takeOver(id, { farm: farmMark(), before, command: order.command })) return id;
  throw runInProgress(id, 'another farm process');
}

/** The refusal to continue a run that another farm executes. */
export function runInProgress(run: number, by: string): FarmError {
  return new FarmError('run-in-progress', {
    what: `Run ${String(run)} is being carried out by ${by}.`,
    next: 'Wait until that has ended, or end it with Ctrl-C; what it has stored stays.',
  });
}

/** Traces lie next to the database, and are named relative to it. */
async function openTraces(
  { database, probe = [] }: MeasuringOptions,
  run: number,
): Promise<Pick<Equipment, 'traces'>> {
  const folder = { root: resolve(dirname(database)), run };
  const keepsTraces = probe.includes('trace');
  if (!probe.includes(profileProbe)) return keepsTraces ? { traces: folder } : {};
  const makeProfile = await profileMaker();
  return { traces: { ...folder, makeProfile, ...(!keepsTraces && { onlyProfiles: true }) } };
}

function runFacts(plan: Plan, order: RunOrder): Omit<RunFacts, 'jobs'> {
  const { suite, command, question } = order;
  return {
    setting: { farm: farmMark(), document: settingOf(plan, order) },
    suite,
    seed: plan.seed,
    isolation: plan.isolation,
    preset: findPreset(plan.measurement),
    command,
    farmVersion: farmVersion(),
    machine: describeMachine(plan.presences.some(isChromiumAsRoot)),
    startedAt: new Date().toISOString(),
    presences: plan.presences,
    ...(question === undefined ? {} : { question }),
  };
}

function settingOf(plan: Plan, order: RunOrder): RunSetting {
  const { options, test, ownPages } = order;
  const { pages, port, deadline, probes, probe = [] } = options;
  return {
    measurement: plan.measurement,
    repeatQuarantined: plan.repeatQuarantined,
    ...(plan.allowContention === true && { allowContention: true }),
    endsEarly: endsEarly(order),
    ...(test !== undefined && { test }),
    pages: resolve(pages),
    ...(ownPages !== undefined && { ownPages }),
    ...(port !== 0 && { port }),
    ...(isOverTls(options) && { tls: true }),
    deadlineMs: deadline,
    probes,
    probe,
  };
}

interface LockPatience {
  /** How long a lock is waited for in all, in milliseconds. */
  readonly lockMs: number;
  /** The same after Ctrl-C, which should not take minutes. */
  readonly lastMs: number;
  /** Between two tries, each of which waits at the database for some seconds by itself. */
  readonly pauseMs: number;
}

const usualPatience: LockPatience = { lockMs: 600_000, lastMs: 60_000, pauseMs: 1_000 };

/**
 * Writes to the store again while another process has it locked: a trial that was measured is worth
 * minutes of waiting. A message says it once; the run measures nothing meanwhile.
 */
export class RetryOnLock {
  #said = false;
  readonly #caller: Caller;
  readonly #patience: LockPatience;

  constructor(caller: Caller, patience: LockPatience = usualPatience) {
    this.#caller = caller;
    this.#patience = patience;
  }

  /** @throws what `act` throws, a lock only when it lasted for longer than there is patience. */
  async write<T>(act: () => Promise<T>): Promise<T> {
    const began = performance.now();
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (!wasLocked(error) || performance.now() - began >= this.#patienceMs()) throw error;
        this.#sayOnce();
      }
      await pause(this.#patience.pauseMs);
    }
  }

  #patienceMs(): number {
    const { lockMs, lastMs } = this.#patience;
    return this.#caller.signal.aborted ? lastMs : lockMs;
  }

  #sayOnce(): void {
    if (this.#said) return;
    this.#said = true;
    const { lockMs } = this.#patience;
    this.#caller.say(
      `another process has the database locked; nothing is measured until the last trial is stored, for at most ${String(Math.round(lockMs / 60_000))} minutes`,
    );
  }
}

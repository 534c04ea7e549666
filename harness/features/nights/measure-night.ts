import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { loadDriver } from '../../../drivers/index.ts';
import { FarmError, unknownName } from '../../core/errors.ts';
import type { Suite } from '../../core/model/case.ts';
import type { Device, Presence } from '../../core/model/device.ts';
import type { Plan } from '../../core/model/plan.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { describeUnrestricted } from '../../core/plan/catalog/selection.ts';
import { selectDevices } from '../../core/plan/inventory/inventory.ts';
import { makePlan } from '../../core/plan/plan.ts';
import type { RunListener } from '../../core/run/listener.ts';
import { isOfDeadFarm, readFarmMark } from '../../core/session/farm-mark.ts';
import { findDevices } from '../../core/setup/presence.ts';
import type { Caller, MeasuringCaller } from '../../core/app/caller.ts';
import { loadDevices } from '../../core/app/builds/build-devices.ts';
import { readRecord, withStore } from '../../core/app/records.ts';
import { continueRun, readStoredSetting } from '../../core/app/run/continue-run.ts';
import { executePlan, runInProgress, type RunResult } from '../../core/app/run/execute-plan.ts';
import {
  chooseArms,
  chooseSuite,
  refuseNothing,
  runCommand,
  type RunOptions,
  withDeadline,
} from '../../core/app/run/run-suite.ts';
import { chooseTwin, twinOf } from './aa-lane.ts';
import { ageMs } from './continue-night.ts';
import type { NightDocument } from './night-document.ts';
import type { MeasuringNotes } from './night.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

interface NightRun extends Planning {
  readonly notes: MeasuringNotes;
  /** The night as a farm that died has left it; null for a new one. */
  readonly goesOn: NightDocument | null;
  /** Waits before a run that was broken off is continued; tests do not wait. */
  readonly rest?: Retrying<RunResult>['rest'];
}

/**
 * Every case of the suite on every device, and one target a second time; of a night that is
 * continued, what its run has left. A run that the disk or a lock of the database broke off is
 * continued after a rest, as long as there is time.
 * @throws FarmError `run-interrupted` when it did not end, and any error that kept it from
 * beginning; what is stored stays.
 */
export async function measureNight(night: NightRun): Promise<void> {
  const { options, caller, goesOn, rest } = night;
  const begun = goesOn === null ? null : await findRunOf(goesOn, options.database);
  if (begun !== null) night.notes.begun(begun.run.id, begun.jobs.length);
  if (begun?.run.status === 'finished') return;
  let run = begun?.run.id ?? null;
  const remember = (id: number): void => {
    run = id;
  };
  const first = begun === null ? await prepareRun(night, remember) : continueAgain(begun.run.id);
  const time = AbortSignal.timeout(timeLeft(night));
  const { say } = caller;
  const signal = AbortSignal.any([caller.signal, time]);
  const how: Measuring = { options, caller: { ...caller, signal } };
  const { interrupted } = await retryLater(() => first(how), {
    again: () => {
      const goOn = run === null ? null : continueAgain(run);
      return goOn === null ? null : () => goOn(how);
    },
    signal,
    say,
    ...(rest !== undefined && { rest }),
  });
  if (interrupted) throw runInterrupted(options, time.aborted && !caller.signal.aborted);
}

/** The budget is that of the night, however many farms it takes. */
function timeLeft({ options, goesOn }: NightRun): number {
  const used = goesOn === null ? 0 : ageMs(goesOn, new Date());
  return Math.max(0, options.budget - used);
}

interface Measuring {
  readonly options: NightRunOptions;
  readonly caller: MeasuringCaller;
}

type Measure = (how: Measuring) => Promise<RunResult>;

async function prepareRun(night: NightRun, begun: (run: number) => void): Promise<Measure> {
  const { plan, suite, command } = await planNight(night);
  return ({ options, caller }) => {
    const listener = {
      ...caller.listener,
      onRunStarted: (event: Parameters<NonNullable<RunListener['onRunStarted']>>[0]) => {
        begun(event.run);
        night.notes.begun(event.run, plan.jobs.length);
        caller.listener?.onRunStarted?.(event);
      },
    };
    const order = { suite: suite.id, command, options: withDeadline(suite, options) };
    return executePlan(plan, order, { ...caller, listener });
  };
}

/**
 * The run of a night whose farm died; null when it had begun none. That farm may have died between
 * storing a run and noting its number, so that the mark alone says whose it is.
 * @throws FarmError `run-in-progress` when a person has resumed it meanwhile.
 */
async function findRunOf(
  { run, goneOn }: NightDocument,
  database: string,
): Promise<RunRecord | null> {
  const dead = new Set(goneOn.map(({ farm }) => farm));
  const id = run ?? (existsSync(database) ? await findUnnoted(dead, database) : null);
  if (id === null) return null;
  const record = await readRecord(id, database);
  const farm = (await readStoredSetting(id, database))?.farm ?? '';
  if (record.run.status === 'running' && !dead.has(farm) && !isOfDeadFarm(farm)) {
    throw runInProgress(id, `farm process ${readFarmMark(farm).pid}`);
  }
  return record;
}

async function findUnnoted(dead: ReadonlySet<string>, database: string): Promise<number | null> {
  return withStore(database, async (store) => {
    for (const { id, status } of await store.listRuns()) {
      if (status !== 'running') continue;
      if (dead.has((await store.readSetting(id))?.farm ?? '')) return id;
    }
    return null;
  });
}

/** No other farm can have taken the run meanwhile: this one, which owns it, is alive. */
function continueAgain(run: number): Measure {
  return async ({ options, caller }) => {
    const { database } = options;
    const record = await readRecord(run, database);
    const stored = await readStoredSetting(run, database);
    if (stored === null) throw new TypeError('a run that a night began has a setting');
    return continueRun({ record, stored }, options, caller);
  };
}

function runInterrupted({ budget }: NightRunOptions, late: boolean): FarmError {
  return new FarmError('run-interrupted', {
    what: late
      ? `The run took longer than its budget of ${String(Math.round(budget / 1000))} s, and was ended.`
      : 'The run was interrupted.',
    next: late
      ? `Give it more with --budget, or less to do: ${npxCrossfarm} continue does the rest now.`
      : `${npxCrossfarm} continue does the rest.`,
  });
}

export interface NightRunOptions extends RunOptions {
  /** The target that is measured against itself; in turn when left out, none when false. */
  readonly aa?: string | false;
  /** Milliseconds for the whole run. */
  readonly budget: number;
}

interface Planning {
  readonly options: NightRunOptions;
  readonly caller: MeasuringCaller;
  readonly notes: Pick<MeasuringNotes, 'found'>;
  /** Targets that were measured against themselves before, the newest first. */
  readonly before: readonly string[];
}

interface PlannedNight {
  readonly plan: Plan;
  readonly suite: Suite;
  /** The command that repeats the run. */
  readonly command: string;
}

/**
 * Every case of the suite on every device, and one target a second time.
 * @throws FarmError `no-device`, and what keeps a suite or a device from being found.
 */
async function planNight({ options, caller, notes, before }: Planning): Promise<PlannedNight> {
  const { suite, devices } = await whatIsAsked(options);
  const found = await findDevices(devices, caller.loadDriver ?? loadDriver);
  notes.found(found);
  refuseNothing(found);
  describeUnrestricted(suite, options.param).forEach(caller.say);
  const twin = pickTwin(found, options, before);
  const presences = twin === null ? found : [...found, twinOf(twin)];
  const plan = makePlan({
    ...suite,
    blocks: suite.trials,
    seed: options.seed ?? randomInt(2 ** 32),
    presences,
    arms: chooseArms(presences, suite, caller.say),
    ...(options.repeat ? {} : { repeatQuarantined: false }),
  });
  const lane = twin === null ? '--no-aa' : `--aa ${twin.device.id}`;
  return { plan, suite, command: `${runCommand(options, plan, 'nightly')} ${lane}` };
}

/**
 * The suite and the devices that the options name.
 * @throws FarmError for names that there are not, and for files that cannot be read.
 */
export async function whatIsAsked(
  options: NightRunOptions,
): Promise<{ readonly suite: Suite; readonly devices: readonly Device[] }> {
  const suite = await chooseSuite(options);
  const inventory = await loadDevices(options, options.device);
  const devices = selectDevices(inventory, options.device, suite.hosts);
  const { aa } = options;
  const known = devices.map(({ id }) => id);
  if (typeof aa === 'string' && !known.includes(aa)) {
    throw unknownName('unknown-device', { kind: 'device', seen: aa, known });
  }
  return { suite, devices };
}

function pickTwin(
  presences: readonly Presence[],
  { aa }: NightRunOptions,
  before: readonly string[],
): ReturnType<typeof chooseTwin> {
  if (aa === false) return null;
  if (aa === undefined) return chooseTwin(presences, before);
  return chooseTwin(
    presences.filter(({ device }) => device.id === aa),
    [],
  );
}

const minuteMs = 60_000;

/** Making room, or a program that holds the database, mostly takes less than an hour. */
const restsMs: readonly number[] = [1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs);

/** Its signal ends the rests: what is not done by then stays undone. */
interface Retrying<T> extends Caller {
  /** Continues the run; null before one began. */
  readonly again: () => (() => Promise<T>) | null;
  readonly rest?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Does something that may fail for want of a disk, and tries again after a rest, longer each time.
 * Other failures are not tried again.
 * @throws the last failure.
 */
export async function retryLater<T>(
  first: () => Promise<T>,
  { again, say, signal, rest = restUnlessAborted }: Retrying<T>,
): Promise<T> {
  let work = first;
  for (const ms of restsMs) {
    try {
      return await work();
    } catch (error) {
      const next = mayPass(error) ? again() : null;
      if (next === null || signal.aborted) throw error;
      say(`${(error as Error).message} The run goes on in ${String(ms / minuteMs)} min.`);
      await rest(ms, signal);
      if (signal.aborted) throw error;
      work = next;
    }
  }
  return work();
}

function mayPass(error: unknown): boolean {
  return error instanceof FarmError && ['cannot-write', 'disk-full'].includes(error.code);
}

async function restUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  // It rejects when it is aborted, which the caller checks next.
  await pause(ms, undefined, { signal }).catch(() => undefined);
}

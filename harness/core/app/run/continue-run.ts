import { setTimeout as rest } from 'node:timers/promises';
import { loadDriver } from '../../../../drivers/index.ts';
import { comparisonSuite } from '../../analysis/run-pairs.ts';
import { FarmError } from '../../errors.ts';
import { isOwnPage } from '../../model/case-label.ts';
import type { Benchmark } from '../../model/case.ts';
import type { Device, Presence } from '../../model/device.ts';
import { jobsToDo, type Plan } from '../../model/plan.ts';
import { isSameMachine, type RunRecord, type RunSetting } from '../../model/run.ts';
import { findBenchmark, loadCatalog } from '../../plan/catalog/catalog.ts';
import { listBenchmarks, planRest, type Rest } from '../../plan/rest.ts';
import { farmMark, isOfDeadFarm, readFarmMark } from '../../session/farm-mark.ts';
import { whereabouts } from '../../setup/appium.ts';
import { describeMachine } from '../../setup/machine.ts';
import { type DriverLoader, findDevices } from '../../setup/presence.ts';
import type { StoredSetting } from '../../store/run-setting.ts';
import { openStore } from '../../store/store.ts';
import type { Caller, MeasuringCaller } from '../caller.ts';
import { pagesAgain } from '../extensions.ts';
import { readRecord } from '../records.ts';
import { requireTrustedDatabase } from '../trust.ts';
import {
  executePlan,
  isExecutedHere,
  runInProgress,
  type RunOrder,
  type RunResult,
} from './execute-plan.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

/** A stored run that can go on. */
export interface UnfinishedRun {
  readonly record: RunRecord;
  readonly stored: StoredSetting;
}

export interface ContinueOptions {
  readonly database: string;
  /** Of the page server; 0 is that of the run. */
  readonly port: number;
  /** As `MeasuringOptions` has it. */
  readonly wait?: boolean | undefined;
}

/**
 * Does the cells of a run that have no outcome, as it was executed until now. The caller checks
 * that no other farm does.
 * @throws FarmError `bad-argument` when the devices here must not be pooled with those of the run,
 * and the errors of its execution.
 */
export async function continueRun(
  { record, stored }: UnfinishedRun,
  asked: ContinueOptions,
  caller: MeasuringCaller,
): Promise<RunResult> {
  refuseUncontinuable(record, stored.document);
  requireTrustedDatabase(asked.database, listDevices(record), stored.document);
  const order = continuedOrder({ record, stored }, asked);
  return withRest(record, stored.document, {
    caller,
    use: (rest) => {
      const plan = planRest(record, rest);
      for (const sentence of describeRest(record, plan)) caller.say(sentence);
      return executePlan(plan, order, caller);
    },
  });
}

/** Gives a run that goes on the options that it began with. */
export function continuedOrder(
  { record, stored }: UnfinishedRun,
  { database, port, wait }: ContinueOptions,
): RunOrder {
  const { pages, deadlineMs: deadline, probes, probe, port: before = 0, tls } = stored.document;
  const { suite, command } = record.run;
  return {
    suite,
    command,
    options: {
      database,
      pages,
      deadline,
      probes,
      probe,
      wait,
      tls,
      port: port === 0 ? before : port,
    },
    resumes: { record, before: stored.farm },
  };
}

/** Reads how a run was made. Null for one that was imported, or that an older farm made. */
export async function readStoredSetting(
  run: number,
  database: string,
): Promise<StoredSetting | null> {
  const store = await openStore(database);
  try {
    return await store.readSetting(run);
  } finally {
    await store.close();
  }
}

/** Reads a stored run of this machine that no farm executes now. @throws FarmError */
export async function readUnfinished(
  which: number | 'latest',
  { database, takeOver }: { readonly database: string; readonly takeOver?: boolean },
): Promise<UnfinishedRun> {
  const record = await readRecord(which, database);
  const { id } = record.run;
  const stored = await readStoredSetting(id, database);
  if (stored === null) throw cannotResume(record, 'it was imported, or made by an older farm');
  const further = `${continueCommand(id)} --take-over`;
  refuseRunning(record, stored.farm, takeOver === true ? null : further);
  refuseOtherMachine(record);
  return { record, stored };
}

function refuseUncontinuable(record: RunRecord, setting: RunSetting): void {
  if (record.question !== undefined || setting.endsEarly) {
    const { id, suite } = record.run;
    throw cannotResume(
      record,
      'it plans block by block, until it is decided',
      ...(suite === comparisonSuite ? [`Go on with it: ${continueCommand(id)}`] : []),
    );
  }
  refuseOtherMachine(record);
}

/** Gives the command that continues a run of `farm compare`. */
function continueCommand(run: number): string {
  return `${npxCrossfarm} continue ${String(run)}`;
}

/** @throws FarmError `bad-argument` */
function refuseOtherMachine(record: RunRecord): void {
  const here = describeMachine();
  const { machine } = record.run;
  if (!isSameMachine(machine, here)) {
    throw cannotResume(
      record,
      `it was measured on ${machine.hostname} (${String(machine.logicalCores)} cores, ${machine.cpuModel}), and this is ${here.hostname} (${String(here.logicalCores)} cores, ${here.cpuModel})`,
    );
  }
}

export function cannotResume(
  { run }: RunRecord,
  because: string,
  next = `Make it anew: ${run.command}`,
): FarmError {
  return new FarmError('bad-argument', {
    what: `Run ${String(run.id)} cannot be resumed: ${because}. What it has stored stays.`,
    next,
  });
}

/**
 * Refuses a run that another farm may execute. An interrupted one has been let go by its farm; one that still says `running` may be dead.
 * @param takeOver the command that does not ask further where its farm cannot be seen; null in it.
 */
export function refuseRunning({ run }: RunRecord, farm: string, takeOver: string | null): void {
  if (run.status !== 'running' || isOfDeadFarm(farm)) return;
  if (farm === farmMark() && !isExecutedHere(run.id)) return;
  const { pid, host, here } = readFarmMark(farm);
  if (here) throw runInProgress(run.id, `farm process ${pid}`);
  if (takeOver === null) return;
  throw new FarmError('run-in-progress', {
    what: `Run ${String(run.id)} was started by farm process ${pid} of another machine or container (${host}), and whether that still lives cannot be seen from here.`,
    next: `If it does not: ${takeOver}`,
  });
}

/**
 * Finds what a run needs to go on, as it is now: its devices, and its pages, which may be there only
 * until `use` has ended.
 * @throws FarmError `bad-argument` when a benchmark has another version, or a page of one's own changed.
 */
export async function withRest<T>(
  record: RunRecord,
  setting: RunSetting,
  { caller, use }: UsingRest<T>,
): Promise<T> {
  const { signal, say, loadDriver: load = loadDriver } = caller;
  const catalog = await loadCatalog(setting.pages);
  const then = listBenchmarks(record);
  const ofFarm = then.filter(({ id }) => !isOwnPage(id));
  const known = ofFarm.map((benchmark) => {
    const now = findBenchmark(catalog, benchmark.id);
    refuseOtherVersion(record, benchmark, now);
    return now;
  });
  const presences = await awaitRemote(await findDevices(listDevices(record), load), {
    before: record.presences,
    loadDriver: load,
    signal,
    say,
  });
  const useWith = (own: readonly Benchmark[]): Promise<T> =>
    use({ setting, presences, benchmarks: [...known, ...own] });
  if (ofFarm.length === then.length) return useWith([]);
  const { ownPages } = setting;
  if (ownPages === undefined) {
    throw cannotResume(record, 'it measured pages of your own, and an older farm stored no place');
  }
  return (await pagesAgain())(record, ownPages, { caller, use: useWith });
}

interface UsingRest<T> {
  readonly caller: MeasuringCaller;
  readonly use: (rest: Rest) => Promise<T>;
}

export function listDevices({ presences }: RunRecord): readonly Device[] {
  return presences.map(({ device }) => device);
}

function refuseOtherVersion(record: RunRecord, then: Benchmark, now: Benchmark): void {
  if (then.version === now.version) return;
  throw cannotResume(
    record,
    `${then.id} is version ${String(now.version)} now, and the run measured version ${String(then.version)}, which are never pooled`,
  );
}

function describeRest({ run, trials }: RunRecord, plan: Plan): readonly string[] {
  const rest = jobsToDo(plan);
  const skipped = plan.presences.flatMap((presence) => {
    if (presence.status === 'found') return [];
    const cells = rest.filter(({ deviceId }) => deviceId === presence.device.id).length;
    if (cells === 0) return [];
    const { device, reason, remedy } = presence;
    return [`${device.id}: ${reason}; its ${String(cells)} cells are skipped (${remedy})`];
  });
  const whole = `going on with run ${String(run.id)}: ${String(trials.length)} of ${String(plan.jobs.length)} cells have an outcome, ${String(rest.length)} are to be done`;
  return [whole, ...skipped];
}

export interface Awaiting extends Caller {
  /** Devices as they were found when the run began. */
  readonly before: readonly Presence[];
  readonly loadDriver: DriverLoader;
  /** How long is waited for them, in milliseconds. */
  readonly patienceMs?: number;
  readonly everyMs?: number;
}

/**
 * Looks again for devices behind a remote server that are missing now and were there when the run
 * began: what interrupted the run may also have interrupted the server, which is restarting. A
 * server that stays away costs its patience once, not once for each device.
 */
export async function awaitRemote(
  presences: readonly Presence[],
  { before, loadDriver, signal, say, patienceMs = 20_000, everyMs = 1_000 }: Awaiting,
): Promise<readonly Presence[]> {
  const there = new Set(
    before.filter(({ status }) => status === 'found').map(({ device }) => device.id),
  );
  const isAwaited = ({ status, device }: Presence): boolean =>
    status === 'missing' && there.has(device.id) && whereabouts(device).server !== undefined;
  const names = presences.filter(isAwaited).map(({ device }) => device.id);
  if (names.length === 0) return presences;
  say(
    `${names.join(', ')}: was there when the run began; waiting up to ${String(patienceMs / 1000)} s`,
  );
  const until = performance.now() + patienceMs;
  let now = presences;
  while (now.some(isAwaited) && performance.now() + everyMs <= until && !signal.aborted) {
    await rest(everyMs, undefined, { signal }).catch(() => undefined);
    const awaited = now.filter(isAwaited).map(({ device }) => device);
    const seen = new Map(
      (await findDevices(awaited, loadDriver)).map((one) => [one.device.id, one]),
    );
    now = now.map((one) => seen.get(one.device.id) ?? one);
  }
  return now;
}

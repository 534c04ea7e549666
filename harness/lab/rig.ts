import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDriver } from '../../drivers/index.ts';
import type { Pair } from '../core/analysis/pairs.ts';
import { isCompleted } from '../core/analysis/series.ts';
import { findBenchmark, loadCatalog } from '../core/plan/catalog/catalog.ts';
import { expandCases, type Choices } from '../core/plan/catalog/expansion.ts';
import {
  type EquipmentOptions,
  type OpenEquipment,
  withEquipment,
} from '../core/app/run/equipment.ts';
import { loadInventory, selectDevices } from '../core/plan/inventory/inventory.ts';
import type { Case, MeasurementRules, SegmentRules } from '../core/model/case.ts';
import type { Presence } from '../core/model/device.ts';
import type { Plan } from '../core/model/plan.ts';
import { disturbedIn } from '../core/model/trial-value.ts';
import type { Trial } from '../core/model/trial.ts';
import { makePlan } from '../core/plan/plan.ts';
import { defaultInventory, pagesFolder } from '../core/project.ts';
import { runPlan } from '../core/run/runner.ts';
import { findDevices } from '../core/setup/presence.ts';
import '../features.ts';

/** Rules of a short case, whose trials are dominated by launching the browser. */
const shortRules: SegmentRules = {
  minGranules: 100,
  settled: { ms: 400, calls: 120 },
  window: { ms: 150, iterations: 3 },
  maxMs: 2_000,
};

/** Provides real browsers without a store: the results of a bench are not kept. */
export async function withRig<T>(
  work: (equipment: OpenEquipment) => Promise<T>,
  more: Pick<EquipmentOptions, 'externals'> = {},
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'crossfarm-bench-'));
  const over = new AbortController();
  const interrupt = (): void => {
    over.abort(new Error('The bench was interrupted.'));
  };
  process.once('SIGINT', interrupt);
  const options = {
    pages: pagesFolder(),
    port: 0,
    deadline: 60_000,
    probes: true,
    directory,
    signal: over.signal,
    say: () => undefined,
    ...more,
  };
  try {
    const found = await withEquipment(options, work);
    over.signal.throwIfAborted();
    return found;
  } finally {
    process.off('SIGINT', interrupt);
    await rm(directory, { recursive: true, force: true });
  }
}

/** Finds the available devices among the default ones or the named ones. */
export async function foundDevices(ids: readonly string[] = []): Promise<readonly Presence[]> {
  const devices = selectDevices(await loadInventory(defaultInventory()), ids);
  const presences = await findDevices(devices, loadDriver);
  return presences.filter((presence) => presence.status === 'found');
}

/** Returns one case of the control page. */
export async function controlCase(choices: Choices): Promise<Case> {
  const control = findBenchmark(await loadCatalog(pagesFolder()), 'control');
  const [one] = expandCases(control, choices);
  if (one === undefined) throw new TypeError('control has no case');
  return one;
}

interface Experiment {
  readonly pair: Pair;
  readonly plan: Plan;
}

interface Sizes {
  readonly seed: number;
  readonly blocks: number;
  readonly measurement?: MeasurementRules;
  /** Number of blocks that are shuffled together. */
  readonly firstRound?: number;
}

/**
 * Plans one browser under two names, each with a case: an A/A comparison if the cases are equal.
 */
export function planTwins(
  presence: Presence,
  cases: { readonly a: Case; readonly b: Case },
  { seed, blocks, measurement = shortRules, firstRound }: Sizes,
): Experiment {
  const twins = (['a', 'b'] as const).map((name): Presence => {
    const device = { ...presence.device, id: `${presence.device.id}@${name}` };
    if (presence.status === 'missing') throw new TypeError(`${device.id} is missing`);
    return { ...presence, device, target: { ...presence.target, device } };
  });
  const metric = cases.a.benchmark.metrics[0];
  if (metric === undefined) throw new TypeError('no metric');
  const pair: Pair = {
    a: { deviceId: `${presence.device.id}@a`, case: cases.a },
    b: { deviceId: `${presence.device.id}@b`, case: cases.b },
    metric,
  };
  const plan = makePlan({
    seed,
    blocks,
    isolation: 'session',
    measurement,
    ...(firstRound !== undefined && { firstRound }),
    presences: twins,
    arms: [pair.a, pair.b],
  });
  return { pair, plan };
}

/**
 * Runs a plan block by block until `enough` returns true; the equipment may differ for each job.
 */
export async function runBlocks(
  plan: Plan,
  equipmentOf: (deviceId: string) => OpenEquipment,
  enough: (trials: readonly Trial[]) => boolean,
): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  for (let block = 0; block < plan.blocks; block += 1) {
    for (const job of plan.jobs.filter((one) => one.block === block)) {
      const equipment = { ...equipmentOf(job.deviceId), listener: {} };
      for await (const trial of runPlan({ ...plan, jobs: [job] }, equipment)) trials.push(trial);
    }
    if (enough(trials)) break;
  }
  return trials;
}

/** The share of each trial's iterations that are excluded because the machine ran slower. */
export function disturbedShares(trials: readonly Trial[]): readonly number[] {
  return trials.filter(isCompleted).map(({ outcome: { result } }) => {
    return disturbedIn(result).size / Math.max(1, result.samples[0]?.timed.length ?? 0);
  });
}

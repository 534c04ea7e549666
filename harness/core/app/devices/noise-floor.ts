import { randomInt } from 'node:crypto';
import { loadDriver } from '../../../../drivers/index.ts';
import { decidePair } from '../../analysis/decide.ts';
import type { Pair } from '../../analysis/pairs.ts';
import { shareOfChoice } from '../../analysis/machine-speed.ts';
import { isCompleted } from '../../analysis/series.ts';
import { findBenchmark, loadCatalog } from '../../plan/catalog/catalog.ts';
import { expandCases } from '../../plan/catalog/expansion.ts';
import { defaultMeasurement } from '../../plan/catalog/measurement.ts';
import type { MeasurementRules } from '../../model/case.ts';
import type { FoundDevice, Presence } from '../../model/device.ts';
import type { Trial } from '../../model/trial.ts';
import { makePlan } from '../../plan/plan.ts';
import { pagesFolder } from '../../project.ts';
import { defaultLimits } from '../../run/limits.ts';
import { smallestBlocks } from '../../analysis/stats/mixture-test.ts';
import { defaultAlpha, defaultMargin } from '../../analysis/stats/verdict.ts';
import { selectDevices } from '../../plan/inventory/inventory.ts';
import { findDevices } from '../../setup/presence.ts';
import type { MeasuringCaller } from '../caller.ts';
import { loadDevices } from '../builds/build-devices.ts';
import { executePlan, type RunOrder } from '../run/execute-plan.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';
import { pickTls, type TlsOptions } from '../tls/certificate.ts';

/** Result of a browser measured against itself. */
export interface NoiseFloor {
  readonly device: string;
  readonly blocks: number;
  /** Interval of the ratio of the browser with itself. */
  readonly low: number | null;
  readonly high: number | null;
  /** Half width of that interval: a difference below it would not have been seen; a share. */
  readonly smallestVisible: number | null;
  readonly granuleUs: number | null;
  readonly isolated: boolean | null;
}

export interface NoiseFloorOptions extends TlsOptions {
  readonly database: string;
  /** The devices file. */
  readonly inventory: string;
  /** Ids; every device that is automatic when empty. */
  readonly device: readonly string[];
  readonly blocks: number;
  /** True if a quarantined trial is repeated. */
  readonly repeat: boolean;
  /**
   * True if it waits for another farm that measures on this machine, instead of ending; it waits
   * when left out.
   */
  readonly wait?: boolean;
}

/** How one browser is measured against itself, where that is not the usual way. */
export interface TwinOptions extends TlsOptions {
  /** Milliseconds after which no further trial begins; unlimited when left out. */
  readonly budget?: number;
  readonly measurement?: MeasurementRules;
  /** Equipment of a device that joined: its trials share a session. */
  readonly lent?: RunOrder['lent'];
  /** The command that repeats it; the doctor's when left out. */
  readonly command?: string;
}

export interface NoiseFloorCaller extends MeasuringCaller {
  /** Takes the id of each device before it is measured. */
  readonly onDevice?: (id: string) => void;
}

/** Measures each found browser against itself, one after the other, so that none disturbs another. */
export async function measureNoiseFloors(
  options: NoiseFloorOptions,
  caller: NoiseFloorCaller,
): Promise<readonly NoiseFloor[]> {
  const devices = selectDevices(await loadDevices(options, options.device), options.device);
  const presences = await findDevices(devices, caller.loadDriver ?? loadDriver);
  const floors: NoiseFloor[] = [];
  for (const presence of presences) {
    if (presence.status === 'missing') continue;
    if (caller.signal.aborted) break;
    caller.onDevice?.(presence.device.id);
    floors.push(await measureNoiseFloor(presence, options, caller));
  }
  return floors;
}

/** Measures one browser against itself under a second name, in blocks, on the control page. */
export async function measureNoiseFloor(
  presence: FoundDevice,
  options: Pick<NoiseFloorOptions, 'database' | 'blocks' | 'repeat' | 'wait'> & TwinOptions,
  caller: MeasuringCaller,
): Promise<NoiseFloor> {
  const { id } = presence.device;
  const { budget = Infinity, measurement = defaultMeasurement, lent } = options;
  const twins = [renamed(presence, `${id}@a`), renamed(presence, `${id}@b`)] as const;
  const pair = await pairOfTwins(twins);
  const plan = makePlan({
    seed: randomInt(2 ** 32),
    isolation: lent === undefined ? 'session' : 'page',
    blocks: Math.max(options.blocks, smallestBlocks(defaultAlpha * shareOfChoice)),
    measurement,
    presences: twins,
    arms: [pair.a, pair.b],
    ...(options.repeat ? {} : { repeatQuarantined: false }),
  });
  const { database, wait } = options;
  const usual = { port: 0, deadline: defaultLimits.trialMs, probes: true, pages: pagesFolder() };
  const end = performance.now() + budget;
  const leftMs = (): number => end - performance.now();
  const order = {
    suite: 'doctor',
    command:
      options.command ??
      `${npxCrossfarm} devices doctor --device ${id} --blocks ${String(plan.blocks)}`,
    options: { database, wait, ...pickTls(options), ...usual },
    enough: () => leftMs() <= 0,
    ...(budget < Infinity && {
      look: () => ({ found: null, lines: [], blocks: null, budgetMs: Math.max(0, leftMs()) }),
    }),
    ...(lent !== undefined && { lent }),
  };
  const { trials } = await executePlan(plan, order, caller);
  return { device: id, ...floorOf(trials, pair), ...clockOf(trials) };
}

function renamed(presence: Presence, id: string): Presence {
  const device = { ...presence.device, id };
  return presence.status === 'found'
    ? { ...presence, device, target: { ...presence.target, device } }
    : { ...presence, device };
}

async function pairOfTwins([a, b]: readonly [Presence, Presence]): Promise<Pair> {
  const control = findBenchmark(await loadCatalog(pagesFolder()), 'control');
  const [one] = expandCases(control, { rounds: 300_000 });
  const [metric] = control.metrics;
  if (one === undefined || metric === undefined) throw new TypeError('control measures nothing');
  return {
    a: { deviceId: a.device.id, case: one },
    b: { deviceId: b.device.id, case: one },
    metric,
  };
}

function floorOf(
  trials: readonly Trial[],
  pair: Pair,
): Pick<NoiseFloor, 'blocks' | 'low' | 'high' | 'smallestVisible'> {
  const told = decidePair(trials, pair, { margin: defaultMargin, alpha: defaultAlpha });
  if (told.kind !== 'decided-on')
    return { blocks: 0, low: null, high: null, smallestVisible: null };
  const { blocks, low, high } = told.decision;
  const halfWidth = low === null || high === null ? null : (Math.log(high) - Math.log(low)) / 2;
  return { blocks, low, high, smallestVisible: halfWidth };
}

function clockOf(trials: readonly Trial[]): Pick<NoiseFloor, 'granuleUs' | 'isolated'> {
  const clock = trials.find(isCompleted)?.outcome.result.clock;
  return { granuleUs: clock?.granuleUs ?? null, isolated: clock?.isolated ?? null };
}

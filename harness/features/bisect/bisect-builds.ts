import { randomInt } from 'node:crypto';
import { type Decision, defaultAlpha, defaultMargin } from '../../core/analysis/stats/verdict.ts';
import { errorText, FarmError } from '../../core/errors.ts';
import type { Case } from '../../core/model/case.ts';
import type { Presence } from '../../core/model/device.ts';
import { loadCatalog } from '../../core/plan/catalog/catalog.ts';
import type { Choices } from '../../core/plan/catalog/expansion.ts';
import { chooseRules } from '../../core/plan/catalog/measurement.ts';
import { selectDevice } from '../../core/plan/inventory/inventory.ts';
import { loadTrustedInventory } from '../../core/app/trust.ts';
import { parseSelector } from '../../core/setup/builds/selector.ts';
import {
  buildsFolder,
  compareVersions,
  listBuilds,
  type StoredBuild,
} from '../../core/setup/build-store.ts';
import {
  type BuildRange,
  type Candidate,
  candidate,
  findRange,
  presentBuild,
} from '../../core/app/builds/build-range.ts';
import { isOfAll } from '../../core/app/builds/builds.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { compareDefaults } from '../../core/app/defaults.ts';
import type { MeasuringOptions } from '../../core/app/run/execute-plan.ts';
import {
  type BisectionOutcome,
  bisect,
  type BuildVerdict,
  findHalf,
  standing,
  countSteps,
} from './bisection.ts';
import { checkMaxBlocks, fewestBlocks } from '../../core/app/run/block-watch.ts';
import { buildNames, type BuildSides, measurePair } from '../compare/build-pair.ts';
import { compareCommand } from '../compare/options.ts';
import { oneCase } from '../compare/compare-devices.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

export interface BisectOptions extends MeasuringOptions {
  /** The devices file. */
  readonly inventory: string;
  readonly bench: string;
  readonly param: Choices;
  /** Version from before the change; the oldest that is here when left out. */
  readonly from?: string;
  /** Version from after it; the newest that is here when left out. */
  readonly to?: string;
  /** Most bytes of the store of builds. */
  readonly keepBuilds?: number;
  /** For each step. */
  readonly maxBlocks: number;
}

/** One build, measured with the oldest. */
export interface BisectionStep {
  readonly build: string;
  /** That of the oldest. */
  readonly against: string;
  readonly verdict: BuildVerdict;
  /** Null where the build could not be used. */
  readonly run: number | null;
  readonly decision: Decision | null;
  readonly stopped: string | null;
  /** Measures the two together again. */
  readonly command: string | null;
  readonly ms: number;
}

/** Outcome of a bisection. */
export interface BisectionResult {
  readonly found: BisectionOutcome;
  /** Builds that were looked through, the oldest first. */
  readonly builds: readonly string[];
  readonly steps: readonly BisectionStep[];
  readonly interrupted: boolean;
}

export interface BisectBuildsCaller extends MeasuringCaller {
  /** Takes each step as it ends. */
  readonly onStep?: (step: BisectionStep) => void;
}

/**
 * Finds between which two builds a difference came.
 * @param ids one device, whose kept builds are searched, or the first and last of a range of builds
 * to fetch: `chromium@103` and `chromium@153`; they are fetched when their turn comes
 * @throws FarmError
 */
export async function bisectBuilds(
  [id, other]: readonly [string, string?],
  options: BisectOptions,
  caller: BisectBuildsCaller,
): Promise<BisectionResult> {
  const one = await oneCase(await loadCatalog(options.pages), options.bench, options.param);
  const range =
    other === undefined
      ? await buildsHere(id, options)
      : await buildsBetween([id, other], options, caller);
  const { builds } = range;
  checkMaxBlocks(options.maxBlocks, caller, fewestBlocks(computeAlpha(builds)));
  const steps: BisectionStep[] = [];
  const found = await bisect({
    builds: builds.length,
    signal: caller.signal,
    ask: async (index) => {
      const sought = steps[0]?.decision ?? null;
      const step = await measureStep(index, { ...range, one, sought, options, caller });
      steps.push(step);
      caller.onStep?.(step);
      return step.verdict;
    },
  });
  const names = builds.map(({ name }) => name);
  return { found, builds: names, steps, interrupted: caller.signal.aborted };
}

/** The builds of a device's browser that are here, between two versions. */
async function buildsHere(
  id: string,
  { inventory, database, from, to }: BisectOptions,
): Promise<BuildRange> {
  const device = selectDevice(await loadTrustedInventory(inventory), id);
  const { browser, version: wanted } = device;
  const folder = buildsFolder(database);
  const isOurs = ({ product, version }: StoredBuild): boolean =>
    product === browser && (wanted === undefined || `${version}.`.startsWith(`${wanted}.`));
  const stored = (await listBuilds(folder)).filter(isOurs);
  stored.sort((one, other) => compareVersions(one.version, other.version));
  const known = stored.map(({ version }) => version);
  const place = (version: string | undefined, otherwise: number): number => {
    if (version === undefined) return otherwise;
    const index = known.findIndex((one) => `${one}.`.startsWith(`${version}.`));
    if (index >= 0) return index;
    throw new FarmError('bad-argument', {
      what: `${id} has no local build ${version}.`,
      next: known.length === 0 ? 'There is none.' : `Here are ${known.join(', ')}.`,
    });
  };
  const builds = stored.slice(place(from, 0), place(to, stored.length - 1) + 1);
  if (builds.length >= 2) {
    const named = builds.map((build) =>
      candidate(device, build.version, () => Promise.resolve(build)),
    );
    return { device, builds: named };
  }
  throw new FarmError('bad-argument', {
    what: `There are not two builds of ${browser} to look between: ${known.length === 0 ? `none is in ${folder}` : known.join(', ')}.`,
    next: `Name two that registries have: ${npxCrossfarm} bisect ${browser}@… ${browser}@… (${npxCrossfarm} engines list). ${npxCrossfarm} nightly keeps the builds that it measures.`,
  });
}

/** Every build that is here or that a registry has, from one to the other. */
async function buildsBetween(
  ends: readonly [string, string],
  options: BisectOptions,
  caller: MeasuringCaller,
): Promise<BuildRange> {
  const [older, newer] = [parseSelector(ends[0]), parseSelector(ends[1])];
  // Each end has to be there, and says what is nearest where it is not.
  await findRange([older, newer], options, caller);
  const range = parseSelector(`${older.name}@${older.from}..${newer.from}`);
  return findRange([range], options, caller);
}

/** Error rate of one step: all steps together have that of one comparison. */
function computeAlpha(builds: readonly Candidate[]): number {
  return defaultAlpha / countSteps(builds.length);
}

interface Stepping extends BuildRange {
  readonly one: Case;
  /** How the newest differs from the oldest; null until that was measured. */
  readonly sought: Decision | null;
  readonly options: BisectOptions;
  readonly caller: MeasuringCaller;
}

async function measureStep(index: number, stepping: Stepping): Promise<BisectionStep> {
  const { builds, sought, caller } = stepping;
  const [build = '', against = ''] = [builds[index]?.name, builds[0]?.name];
  const began = performance.now();
  const told = { build, against };
  const sides = await sidesFor(index, stepping);
  if (typeof sides === 'string') {
    const nothing = { run: null, decision: null, command: null };
    return { ...told, ...nothing, verdict: 'unusable', stopped: sides, ms: 0 };
  }
  const order = findOrder([build, against], stepping);
  const { run, decision, stopped } = await measurePair(sides, order, caller);
  const verdict = decision === null ? 'undecided' : standing(decision, sought);
  const ms = performance.now() - began;
  return { ...told, verdict, run, decision, stopped, command: order.command, ms };
}

function findOrder(
  [a, b]: readonly [string, string],
  { builds, one, sought, options }: Stepping,
): Parameters<typeof measurePair>[1] {
  const seed = randomInt(2 ** 32);
  const { maxBlocks } = options;
  const margin = sought === null ? defaultMargin : findHalf(sought);
  const errorRate = computeAlpha(builds);
  const asked = { bench: one.benchmark.id, param: one.parameters, margin, errorRate };
  const command = compareCommand({ a, b }, { ...compareDefaults, ...options, ...asked }, seed);
  return {
    maxBlocks,
    seed,
    command,
    options,
    margin,
    measurement: chooseRules(options.measurement),
    alpha: errorRate,
    isOpen: (decision) => standing(decision, sought) === 'undecided',
  };
}

/**
 * Both sides of a step, or why its build cannot be used: such a build is left out. A bisection
 * needs the oldest and the newest.
 */
async function sidesFor(
  index: number,
  { device, one, builds, caller }: Stepping,
): Promise<BuildSides | string> {
  const names = buildNames(device.id);
  const [metric] = one.benchmark.metrics;
  if (metric === undefined) throw new TypeError('a benchmark measures something');
  const [oldest, build] = [builds[0], builds[index]];
  if (oldest === undefined || build === undefined)
    throw new RangeError('a step is one of the builds');
  const before = await presentBuild(device, oldest, { name: names.before, caller });
  let after: Presence;
  try {
    after = await presentBuild(device, build, { name: names.after, caller });
  } catch (error) {
    if (isOfAll(error) || index === builds.length - 1) throw error;
    return errorText(error);
  }
  return {
    pair: {
      a: { deviceId: names.after, case: one },
      b: { deviceId: names.before, case: one },
      metric,
    },
    presences: [after, before],
  };
}

import { randomInt } from 'node:crypto';
import { loadDriver } from '../../../drivers/index.ts';
import { type Decision, defaultAlpha, type Verdict } from '../../analysis/stats/verdict.ts';
import { FarmError, unknownName } from '../../errors.ts';
import { type Case, caseName } from '../../model/case.ts';
import type { Device, Presence } from '../../model/device.ts';
import { type Catalog, loadCatalog } from '../../plan/catalog/catalog.ts';
import type { Choices } from '../../plan/catalog/expansion.ts';
import { defaultMeasurement, selectCases } from '../../plan/catalog/selection.ts';
import { loadInventory, selectDevice } from '../../plan/inventory/inventory.ts';
import { type KeptBuild, listKeptBuilds } from '../../setup/kept-builds.ts';
import { findDevice } from '../../setup/presence.ts';
import type { MeasuringCaller } from '../caller.ts';
import { buildNames } from './build-pair.ts';
import type { MeasuringOptions } from '../run/execute-plan.ts';
import { type Bisected, bisect, type BuildVerdict, stepsOf } from './bisection.ts';
import { checkMaxBlocks, fewestBlocks } from './block-watch.ts';
import { findBuild, keptFolder } from './build-pair.ts';
import { buildCommand } from './compare-command.ts';
import { type BuildSides, measurePair } from './measure-pair.ts';

export interface BisectOptions extends MeasuringOptions {
  /** The devices file. */
  readonly inventory: string;
  readonly bench: string;
  readonly param: Choices;
  /** Version from before the change; the oldest that is kept when left out. */
  readonly from?: string;
  /** Version from after it; the newest that is kept when left out. */
  readonly to?: string;
  /** For each step. */
  readonly maxBlocks: number;
}

/** One build, measured beside the oldest. */
export interface BisectionStep {
  readonly version: string;
  /** That of the oldest. */
  readonly against: string;
  readonly verdict: BuildVerdict;
  readonly run: number;
  readonly decision: Decision | null;
  readonly stopped: string | null;
}

/** Outcome of a bisection. */
export interface BisectionResult {
  readonly found: Bisected;
  /** Versions that were looked through, the oldest first. */
  readonly builds: readonly string[];
  readonly steps: readonly BisectionStep[];
  readonly interrupted: boolean;
}

interface BisectCaller extends MeasuringCaller {
  /** Takes each step as it ends. */
  readonly onStep?: (step: BisectionStep) => void;
}

/** Finds between which two kept builds of a device's browser a difference came. @throws FarmError */
export async function bisectBuilds(
  id: string,
  options: BisectOptions,
  caller: BisectCaller,
): Promise<BisectionResult> {
  const device = selectDevice(await loadInventory(options.inventory), id);
  const one = await bisectedCase(await loadCatalog(options.pages), options);
  const builds = await chooseBuilds(device, options);
  checkMaxBlocks(options.maxBlocks, caller, fewestBlocks(alphaOf(builds)));
  const steps: BisectionStep[] = [];
  const found = await bisect({
    builds: builds.length,
    signal: caller.signal,
    ask: async (index) => {
      const sought = steps[0]?.decision?.verdict ?? null;
      const step = await measureStep(index, { device, one, builds, sought, options, caller });
      steps.push(step);
      caller.onStep?.(step);
      return step.verdict;
    },
  });
  const versions = builds.map(({ version }) => version);
  return { found, builds: versions, steps, interrupted: caller.signal.aborted };
}

async function bisectedCase(catalog: Catalog, { bench, param }: BisectOptions): Promise<Case> {
  const { cases } = await selectCases(catalog, {
    suite: null,
    benchmarks: [bench],
    choices: param,
  });
  const [first, second] = cases;
  if (first !== undefined && second === undefined) return first;
  throw new FarmError('bad-argument', {
    what: `A bisection takes one case, and these parameters span ${String(cases.length)}: ${cases.slice(0, 3).map(caseName).join('; ')} …`,
    next: 'Give each parameter one value: --param name=value',
  });
}

/** The builds between the two ends, oldest version first. */
async function chooseBuilds(
  { id, browser, version: wanted }: Device,
  { database, from, to }: BisectOptions,
): Promise<readonly KeptBuild[]> {
  const folder = keptFolder(database);
  const isOurs = ({ product, version }: KeptBuild): boolean =>
    product === browser && (wanted === undefined || `${version}.`.startsWith(`${wanted}.`));
  const kept = (await listKeptBuilds(folder)).filter(isOurs);
  kept.sort((one, other) => compareVersions(one.version, other.version));
  const known = kept.map(({ version }) => version);
  const place = (version: string | undefined, otherwise: number): number => {
    if (version === undefined) return otherwise;
    const index = known.indexOf(version);
    if (index >= 0) return index;
    throw unknownName('bad-argument', { kind: `kept build of ${id}`, seen: version, known });
  };
  const builds = kept.slice(place(from, 0), place(to, kept.length - 1) + 1);
  if (builds.length >= 2) return builds;
  throw new FarmError('bad-argument', {
    what: `There are not two builds of ${browser} to look between: ${known.length === 0 ? `none is kept in ${folder}` : known.join(', ')}.`,
    next: 'farm nightly keeps the builds that it measures; two builds elsewhere: farm compare --a-executable … --b-executable …',
  });
}

/** By their numbers: 9.1 before 10.0. */
function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

/** Error rate of one step: all steps together have that of one comparison. */
function alphaOf(builds: readonly KeptBuild[]): number {
  return defaultAlpha / stepsOf(builds.length);
}

interface Stepping {
  readonly device: Device;
  readonly one: Case;
  readonly builds: readonly KeptBuild[];
  /** How the newest differs from the oldest; null until that was measured. */
  readonly sought: Verdict | null;
  readonly options: BisectOptions;
  readonly caller: MeasuringCaller;
}

async function measureStep(index: number, stepping: Stepping): Promise<BisectionStep> {
  const { device, builds, sought, options, caller } = stepping;
  const sides = await sidesFor(index, stepping);
  const seed = randomInt(2 ** 32);
  const { maxBlocks } = options;
  const command = buildCommand(sides, { deviceId: device.id, options, maxBlocks, seed });
  const order = { maxBlocks, seed, command, options, measurement: defaultMeasurement };
  const alpha = alphaOf(builds);
  const { run, decision, stopped } = await measurePair(sides, { ...order, alpha }, caller);
  const [version = '', against = ''] = [builds[index]?.version, builds[0]?.version];
  return { version, against, verdict: verdictOf(decision, sought), run, decision, stopped };
}

async function sidesFor(index: number, { device, one, builds }: Stepping): Promise<BuildSides> {
  const names = buildNames(device.id);
  const [metric] = one.benchmark.metrics;
  if (metric === undefined) throw new TypeError('a benchmark measures something');
  return {
    pair: {
      a: { deviceId: names.after, case: one },
      b: { deviceId: names.before, case: one },
      metric,
    },
    presences: [
      await present(device, builds[index], names.after),
      await present(device, builds[0], names.before),
    ],
  };
}

async function present(
  device: Device,
  build: KeptBuild | undefined,
  name: string,
): Promise<Presence> {
  if (build === undefined) throw new RangeError('a step is one of the builds');
  const { product, version, executable } = build;
  const target = { device, browser: { name: product, version }, executable };
  const presence = await findBuild(target, executable, name);
  if (presence !== null) return presence;
  const seen = await findDevice({ ...device, executable }, await loadDriver(device.driver));
  const why = seen.status === 'missing' ? seen.reason : `it is ${seen.target.browser.version}`;
  throw new FarmError('no-device', {
    what: `The copy of ${product} ${version} at ${executable} cannot be used: ${why}.`,
    next: 'Leave it out with --from and --to, or remove its folder.',
  });
}

/** A difference the other way round is not the one that is looked for. */
function verdictOf(decision: Decision | null, sought: Verdict | null): BuildVerdict {
  if (decision === null || decision.verdict === 'undecided') return 'undecided';
  if (decision.verdict === 'equivalent') return 'as-the-oldest';
  return sought === null || decision.verdict === sought ? 'as-the-newest' : 'as-the-oldest';
}

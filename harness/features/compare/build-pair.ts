import { decisionIn } from '../../core/analysis/decide.ts';
import { whyNotCounted } from '../../core/analysis/busy-machine.ts';
import { type Pair } from '../../core/analysis/pairs.ts';
import type { IsOpen } from '../../core/analysis/stopping.ts';
import { comparisonSuite } from '../../core/analysis/run-pairs.ts';
import type { MeasurementRules } from '../../core/model/case.ts';
import type { Presence, Target } from '../../core/model/device.ts';
import { firstRoundBlocks, type Plan } from '../../core/model/plan.ts';
import type { SeriesTest } from '../../core/model/run.ts';
import { makePlan } from '../../core/plan/plan.ts';
import { planFurther, planRest } from '../../core/plan/rest.ts';
import { defaultMargin, type Decision } from '../../core/analysis/stats/verdict.ts';
import { watchBlocks } from '../../core/app/run/block-watch.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import {
  executePlan,
  type MeasuringOptions,
  type RunOrder,
} from '../../core/app/run/execute-plan.ts';
import { compareCommand, type CompareOptions, furtherCommand } from './options.ts';
import type { UnfinishedRun } from '../../core/app/run/continue-run.ts';
import { loadDriver } from '../../../drivers/index.ts';
import { listBuilds, type StoredBuild } from '../../core/setup/build-store.ts';
import { type DriverLoader, findDevice } from '../../core/setup/presence.ts';

/** Two builds of one device, each under the name that it has in their comparison. */
interface BuildPair {
  readonly after: Presence;
  readonly before: Presence;
}

interface WantedPair {
  readonly after: Target;
  readonly before: Target;
  readonly names: { readonly after: string; readonly before: string };
  /** Folder of the copies that were kept. */
  readonly kept: string;
  /** Loads the driver of a device; one of the farm's own when left out. */
  readonly loadDriver?: DriverLoader | undefined;
}

/**
 * Finds both builds where they lay, or else both as copies that were kept. Never one of each: a
 * system's package starts with its own flags and settings, its copy is started without them.
 *
 * @returns a sentence about the build that is missing, where one is.
 */
export async function findBuildPair(wanted: WantedPair): Promise<BuildPair | string> {
  const { after, before, names, loadDriver: load = loadDriver } = wanted;
  const asNew = { name: names.after, load };
  const asOld = { name: names.before, load };
  const newHere = await findBuild(after, after.executable, asNew);
  const oldHere = await findBuild(before, before.executable, asOld);
  if (newHere !== null && oldHere !== null) return { after: newHere, before: oldHere };
  const builds = await listBuilds(wanted.kept);
  const newCopy = await findCopy(after, builds, asNew);
  const oldCopy = await findCopy(before, builds, asOld);
  if (newCopy !== null && oldCopy !== null) return { after: newCopy, before: oldCopy };
  if (oldHere === null && oldCopy === null) return missing('old', before);
  if (newHere === null && newCopy === null) return missing('new', after);
  return 'of one of the two builds only a copy is left, of the other none: they would not start in the same way';
}

/** How a build is looked for, and the id that it gets. */
interface Role {
  readonly name: string;
  readonly load: DriverLoader;
}

async function findCopy(
  target: Target,
  builds: readonly StoredBuild[],
  role: Role,
): Promise<Presence | null> {
  const { browser } = target;
  const build = builds.find(
    ({ product, version }) => product === browser.name && version === browser.version,
  );
  return build === undefined ? null : findBuild(target, build.executable, role);
}

/** The very build that a night had, at this path and under another name; null where it is not there. */
async function findBuild(
  { device, browser }: Target,
  executable: string,
  { name, load }: Role,
): Promise<Presence | null> {
  const asked = { ...device, id: name, name: `${device.name} ${browser.version}` };
  // A browser of another machine has no executable, and one build alone.
  const presence = await findDevice(
    executable === '' ? asked : { ...asked, executable },
    await load(device.driver),
  );
  const isIt = presence.status === 'found' && presence.target.browser.version === browser.version;
  return isIt ? presence : null;
}

function missing(which: 'old' | 'new', { browser, executable }: Target): string {
  const where = executable === '' ? 'there' : `at ${executable}`;
  return `the ${which} build, ${browser.name} ${browser.version}, is no longer ${where}, and no copy of it was kept`;
}

/** The names of a device whose builds from before and after a change run in one comparison. */
export function buildNames(deviceId: string): { readonly before: string; readonly after: string } {
  return { before: `${deviceId}@before`, after: `${deviceId}@after` };
}

/** Two builds of one device, on one case. */
export interface BuildSides {
  readonly pair: Pair;
  /** After, before: the sides a and b of the pair. */
  readonly presences: readonly [Presence, Presence];
}

export interface MeasureOrder {
  /** Error rate of the sequential test. */
  readonly alpha: number;
  /** As `DecisionRules` has it. */
  readonly margin?: number;
  /** As `Rules` has it. */
  readonly isOpen?: IsOpen;
  readonly budgetMs?: number;
  readonly maxBlocks: number;
  readonly measurement: MeasurementRules;
  readonly seed: number;
  /** The command that repeats it. */
  readonly command: string;
  readonly options: MeasuringOptions;
  /** The test that a night makes with it; stored, so that a later night recognises it. */
  readonly test?: SeriesTest;
  /** A stored run of the same sides, which gets `maxBlocks` more, instead of a new one. */
  readonly goesOn?: UnfinishedRun;
}

export interface MeasuredPair {
  readonly run: number;
  /** Null when the two gave no block in common. */
  readonly decision: Decision | null;
  /** Why it ended before it was decided, or why most blocks do not count; null when it was decided, or its time was over. */
  readonly stopped: string | null;
  readonly interrupted: boolean;
}

/** Measures two builds in blocks, as `farm compare` does it, until it is decided. */
export async function measurePair(
  sides: BuildSides,
  order: MeasureOrder,
  caller: MeasuringCaller,
): Promise<MeasuredPair> {
  const { pair } = sides;
  const { alpha, margin = defaultMargin, isOpen, budgetMs, options, test, goesOn } = order;
  const rules = { margin, alpha };
  const plan = planPair(sides, order);
  const watch = watchBlocks(plan, [pair], { ...rules, isOpen, budget: budgetMs });
  const runOrder = {
    suite: comparisonSuite,
    options,
    enough: watch.enough,
    look: watch.look,
    window: watch.window,
    ...(test !== undefined && { test }),
    ...(goesOn === undefined
      ? { command: order.command }
      : resuming(goesOn, { blocks: plan.blocks, margin: rules.margin })),
  };
  const { run, trials, interrupted } = await executePlan(plan, runOrder, caller);
  const standing = watch.standing();
  return {
    run,
    decision: decisionIn(watch.decide(trials)),
    stopped: standing.kind === 'vanished' ? standing.reason : whyNotCounted(trials, pair),
    interrupted,
  };
}

/** Of a run that goes on, the first round is there: it gets single blocks alone. */
function planPair(
  { pair, presences }: BuildSides,
  { maxBlocks: blocks, measurement, seed, goesOn }: MeasureOrder,
): Plan {
  const arms = [pair.a, pair.b];
  if (goesOn === undefined) {
    const firstRound = firstRoundBlocks;
    return makePlan({
      seed,
      isolation: 'session',
      blocks,
      firstRound,
      measurement,
      presences,
      arms,
    });
  }
  const { record, stored } = goesOn;
  const benchmarks = [pair.a.case.benchmark];
  const sofar = planRest(record, { setting: stored.document, presences, benchmarks });
  return planFurther(sofar, { arms, blocks });
}

function resuming(
  { record, stored }: UnfinishedRun,
  whole: Parameters<typeof furtherCommand>[1],
): Pick<RunOrder, 'command' | 'resumes'> {
  return {
    command: furtherCommand(record.run.command, whole),
    resumes: { record, before: stored.farm },
  };
}

interface BuildCommand {
  /** Id in the inventory. */
  readonly deviceId: string;
  readonly options: MeasuringOptions & Pick<CompareOptions, 'inventory'>;
  readonly maxBlocks: number;
  readonly seed: number;
}

/** Gives the command that compares the two builds again. */
export function buildCommand(
  { pair, presences }: BuildSides,
  { deviceId, options, maxBlocks, seed }: BuildCommand,
): string {
  const [newer, older] = presences.map((presence) =>
    presence.status === 'found' ? presence.target.executable : '',
  );
  const given: CompareOptions = {
    ...options,
    bench: pair.a.case.benchmark.id,
    param: pair.a.case.parameters,
    aParam: {},
    bParam: {},
    aFlag: [],
    bFlag: [],
    ...(newer ? { aExecutable: newer } : {}),
    ...(older ? { bExecutable: older } : {}),
    margin: defaultMargin,
    maxBlocks,
    repeat: true,
  };
  return compareCommand({ a: deviceId, b: deviceId }, given, seed);
}

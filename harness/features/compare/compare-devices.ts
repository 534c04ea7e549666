import { decisionIn } from '../../core/analysis/decide.ts';
import { randomInt } from 'node:crypto';
import { defaultAlpha } from '../../core/analysis/stats/verdict.ts';
import { comparisonSuite } from '../../core/analysis/run-pairs.ts';
import { loadCatalog, type Catalog } from '../../core/plan/catalog/catalog.ts';
import { chooseRules } from '../../core/plan/catalog/measurement.ts';
import { makePlan } from '../../core/plan/plan.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { executePlan } from '../../core/app/run/execute-plan.ts';
import { checkFirstRound, watchBlocks } from '../../core/app/run/block-watch.ts';
import { compareCommand, type CompareOptions, type Sides } from './options.ts';
import { type Comparison, concludeComparison } from './conclude.ts';
import { describeLook } from './look-text.ts';
import { loadDriver } from '../../../drivers/index.ts';
import type { Pair } from '../../core/analysis/pairs.ts';
import type { Choices } from '../../core/plan/catalog/expansion.ts';
import { selectCases } from '../../core/plan/catalog/selection.ts';
import { FarmError } from '../../core/errors.ts';
import { onCores, selectDevice } from '../../core/plan/inventory/inventory.ts';
import { caseName, listHosts, type Case } from '../../core/model/case.ts';
import { findHost, movedBy, type Device, type Presence } from '../../core/model/device.ts';
import type { OwnPages } from '../../core/model/run.ts';
import { findDevices } from '../../core/setup/presence.ts';
import { loadDevices } from '../../core/app/builds/build-devices.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

/** Loads the two devices of a comparison, each with its side's changes. */
export async function loadSides(names: Sides, options: CompareOptions): Promise<readonly Device[]> {
  const inventory = await loadDevices(options, [names.a, names.b]);
  const pick = (id: string): Device => selectDevice(inventory, id);
  const twins = names.a === names.b;
  return [
    ...sideDevice(pick(names.a), twins ? 'a' : null, {
      flags: options.aFlag,
      executable: options.aExecutable,
      driver: options.aDriver,
      cores: options.aCores ?? options.cores,
    }),
    ...sideDevice(pick(names.b), twins ? 'b' : null, {
      flags: options.bFlag,
      executable: options.bExecutable,
      driver: options.bDriver,
      cores: options.bCores ?? options.cores,
    }),
  ];
}

/** @throws FarmError when one of the two is missing. */
async function findSides(
  devices: readonly Device[],
  { loadDriver: load = loadDriver }: Pick<MeasuringCaller, 'loadDriver'>,
): Promise<readonly Presence[]> {
  const presences = await findDevices(devices, load);
  for (const presence of presences) {
    if (presence.status === 'found') continue;
    throw new FarmError('no-device', {
      what: `${presence.device.id} cannot be compared: ${presence.reason}.`,
      next: presence.remedy,
    });
  }
  return presences;
}

interface SideChange {
  readonly flags: readonly string[];
  readonly executable: string | undefined;
  readonly driver: string | undefined;
  readonly cores: number | undefined;
}

/** A device with this side's changes; the same device on both sides gets two names. */
function sideDevice(declared: Device, twin: string | null, change: SideChange): readonly Device[] {
  const device = change.driver === undefined ? declared : movedBy(declared, change.driver);
  const cores = change.cores === undefined ? '' : `on ${String(change.cores)} core(s)`;
  const side = {
    ...device,
    id: twin === null ? device.id : `${device.id}@${twin}`,
    name: [device.name, twin === null ? '' : `(${twin})`, ...change.flags, cores]
      .filter(Boolean)
      .join(' '),
    flags: [...device.flags, ...change.flags],
    ...(change.executable === undefined ? {} : { executable: change.executable }),
  };
  return onCores([side], change.cores);
}

/** Makes what is compared: one case a side, by the first metric. @throws FarmError when that cannot be. */
async function makePair(
  catalog: Catalog,
  presences: readonly Presence[],
  options: CompareOptions,
): Promise<Pair> {
  const [a, b] = presences;
  if (a === undefined || b === undefined) throw new TypeError('a comparison has two sides');
  const caseA = await oneCase(catalog, options.aBench ?? options.bench, {
    ...options.param,
    ...options.aParam,
  });
  const caseB = await oneCase(catalog, options.bBench ?? options.bench, {
    ...options.param,
    ...options.bParam,
  });
  refuseWrongHost(caseA, a.device);
  refuseWrongHost(caseB, b.device);
  const metric = caseA.benchmark.metrics[0];
  if (metric === undefined || caseB.benchmark.metrics[0]?.unit !== metric.unit) {
    throw new FarmError('bad-argument', {
      what: `${caseA.benchmark.id} and ${caseB.benchmark.id} have no metric in common.`,
      next: 'Compare benchmarks whose first metric has one unit.',
    });
  }
  const sides = {
    a: { deviceId: a.device.id, case: caseA },
    b: { deviceId: b.device.id, case: caseB },
  };
  return { ...sides, metric };
}

function refuseWrongHost(one: Case, { id, browser }: Device): void {
  if (listHosts(one).includes(findHost(browser))) return;
  throw new FarmError('bad-argument', {
    what: `${caseName(one)} cannot run on ${id}, which is a ${findHost(browser)}.`,
    next: 'Choose another device, or other parameters.',
  });
}

/** Finds the one case that these choices name. @throws FarmError `bad-argument` when they span several. */
export async function oneCase(catalog: Catalog, bench: string, choices: Choices): Promise<Case> {
  const { cases } = await selectCases(catalog, { suite: null, benchmarks: [bench], choices });
  const [first, second] = cases;
  if (first !== undefined && second === undefined) return first;
  throw new FarmError('bad-argument', {
    what: `A comparison takes one case a side, and these parameters span ${String(cases.length)}: ${cases.slice(0, 3).map(caseName).join('; ')} …`,
    next: `Give each parameter one value; ${npxCrossfarm} run measures many cases.`,
  });
}

/**
 * Compares two sides, block by block, until the verdict is there or the budget is gone.
 * @throws FarmError
 */
export async function compare(
  names: Sides,
  options: CompareOptions,
  caller: MeasuringCaller,
): Promise<Comparison> {
  const firstRound = checkFirstRound(options, caller);
  const catalog = await loadCatalog(options.pages);
  const presences = await findSides(await loadSides(names, options), caller);
  const pair = await makePair(catalog, presences, options);
  const command = (seed: number): string => compareCommand(names, options, seed);
  return measureSides({ presences, pair, firstRound, command }, options, caller);
}

interface ReadySides {
  readonly presences: readonly Presence[];
  readonly pair: Pair;
  readonly firstRound: number;
  /** The command that repeats it with this seed. */
  readonly command: (seed: number) => string;
  /** Pages of one's own, as they are stored with the run. */
  readonly ownPages?: OwnPages;
}

/** Measures two sides until they are decided. */
export async function measureSides(
  { presences, pair, firstRound, command: commandWith, ownPages }: ReadySides,
  options: CompareOptions,
  caller: MeasuringCaller,
): Promise<Comparison> {
  const plan = makePlan({
    seed: options.seed ?? randomInt(2 ** 32),
    isolation: 'session',
    blocks: options.maxBlocks,
    firstRound,
    measurement: chooseRules(options.measurement),
    presences,
    arms: [pair.a, pair.b],
    ...(options.repeat ? {} : { repeatQuarantined: false }),
  });
  const command = commandWith(plan.seed);
  const watch = watchBlocks(plan, [pair], {
    ...options,
    alpha: options.errorRate ?? defaultAlpha,
    say: caller.say,
    describe: (table) => describeLook(table, { presences, margin: options.margin }),
  });
  const { enough, look, window } = watch;
  const order = { suite: comparisonSuite, command, options, ownPages, enough, look, window };
  const { run, trials, interrupted } = await executePlan(plan, order, caller);
  const { margin, precision, database, save } = options;
  const decision = decisionIn(watch.decide(trials));
  const measured = { run, trials, interrupted, plan, pair, decision, command, margin, precision };
  const ending = {
    stopped: watch.standing(),
    ended: interrupted ? ('interrupted' as const) : watch.ending(trials),
    continues: false,
  };
  return concludeComparison({ ...measured, ...ending }, { database, save });
}

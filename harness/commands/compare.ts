import { randomInt } from 'node:crypto';
import { Option, type Command } from 'commander';
import { loadDriver } from '../../drivers/index.ts';
import { decidePair, type Pair, type PairDecision } from '../analysis/decisions.ts';
import { endsBlock, standingOf, type Standing } from '../analysis/sequential.ts';
import { loadCatalog, type Catalog } from '../catalog/catalog.ts';
import { defaultMeasurement, selectCases } from '../catalog/selection.ts';
import type { Choices } from '../catalog/expansion.ts';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import { loadInventory, selectDevices } from '../inventory/inventory.ts';
import { caseName, hostsOf, type Case } from '../model/case.ts';
import { hostOf, type Device, type Presence } from '../model/device.ts';
import type { Plan } from '../model/plan.ts';
import { isQuarantined, type Trial } from '../model/trial.ts';
import { makePlan } from '../plan/plan.ts';
import { findDevices } from '../setup/presence.ts';
import { defaultAlpha, defaultMargin, type Decision, type Verdict } from '../stats/verdict.ts';
import { smallestBlocks } from '../stats/mixture-test.ts';
import type { MeasuringOptions } from './carry-out.ts';
import { compareCommand } from './compare-command.ts';
import { comparisonJson, describeDecision } from './decision-text.ts';
import { print, printJson, type Io, type Runner } from './io.ts';
import {
  collectParameters,
  parseCount,
  parseSeconds,
  parseSeed,
  parseShare,
  withDatabase,
  withInventory,
  withJson,
  withPages,
  withTrialOptions,
  withProbes,
  type InventoryOption,
} from './options.ts';
import { nothingToSave, parseSentence, saveAnomaly } from './save-anomaly.ts';

export interface CompareOptions extends InventoryOption, MeasuringOptions {
  readonly bench: string;
  readonly param: Choices;
  readonly aParam: Choices;
  readonly bParam: Choices;
  readonly aBench?: string;
  readonly bBench?: string;
  readonly aFlag: readonly string[];
  readonly bFlag: readonly string[];
  readonly aExecutable?: string;
  readonly bExecutable?: string;
  readonly aDriver?: string;
  readonly bDriver?: string;
  readonly margin: number;
  readonly maxBlocks: number;
  readonly budget?: number;
  /** Whether a quarantined trial is done once more. */
  readonly repeat: boolean;
  readonly seed?: number;
  readonly expect?: Verdict;
  /** What the finding is, to keep it as an anomaly. */
  readonly save?: string;
}

export function declare(command: Command, run: Runner): void {
  command
    .argument('<a>', 'device')
    .argument('<b>', 'device that a is compared with; may be the same')
    .addHelpText('after', examples);
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withProbes(command);
  withJson(command, 'print { verdict, ratio, low, high, blocks, margin, seed, command }')
    .option('--bench <id>', 'the benchmark', 'fib')
    .option('--param <name=value>', 'parameters of both sides', collectParameters, {});
  for (const side of ['a', 'b']) declareSide(command, side);
  command
    .option(
      '--margin <share>',
      'what does not matter, such as 2% or 0.02',
      parseShare,
      defaultMargin,
    )
    .option('--max-blocks <number>', 'give up after so many blocks', parseCount, 100)
    .option('--budget <seconds>', 'give up after this long', parseSeconds)
    .addOption(
      new Option('--expect <verdict>', 'exit with 1 when the verdict is another').choices([
        'faster',
        'slower',
        'equivalent',
      ]),
    )
    .option('--save <sentence>', 'keep a difference as an anomaly: what it is', parseSentence)
    .option('--seed <number>', 'seed of the order', parseSeed)
    .option('--no-repeat', 'do no trial once more that the machine’s state spoilt')
    .action((a: string, b: string, options: CompareOptions) =>
      run((io) => compare({ a, b }, options, io)),
    );
}

function declareSide(command: Command, side: string): void {
  const collect = (text: string, sofar: readonly string[]): readonly string[] => [...sofar, text];
  command
    .option(`--${side}-param <name=value>`, `parameters of ${side} alone`, collectParameters, {})
    .option(`--${side}-bench <id>`, `another benchmark for ${side}`)
    .option(`--${side}-flag <flag>`, `launch flag of ${side}, may be repeated`, collect, [])
    .option(`--${side}-executable <path>`, `another build for ${side}`)
    .option(`--${side}-driver <name>`, `another driver for ${side}`);
}

const examples = `
Examples:
  farm compare chromium firefox --param function=asyncFib --param n=18
  farm compare chromium chromium --b-flag=--js-flags=--single-threaded-gc --param n=20
  farm compare chromium chromium --a-executable /opt/old/chrome --b-executable /opt/new/chrome
  farm compare chromium chromium --bench control --a-param extraPercent=10   (finds 10 %)`;

export interface Sides {
  readonly a: string;
  readonly b: string;
}

/** Two sides, in blocks, until the verdict is there or the budget is gone. */
async function compare(names: Sides, options: CompareOptions, io: Io): Promise<ExitCode> {
  refuseTooFew(options.maxBlocks);
  const { carryOut, chooseListener } = await import('./carry-out.ts');
  const catalog = await loadCatalog(options.pages);
  const presences = await findSides(names, options);
  const pair = await makePair(catalog, presences, options);
  const seed = options.seed ?? randomInt(2 ** 32);
  const plan = makePlan({
    seed,
    isolation: 'session',
    blocks: options.maxBlocks,
    measurement: defaultMeasurement,
    presences,
    lanes: [pair.a, pair.b],
    ...(options.repeat ? {} : { repeatQuarantined: false }),
  });
  const command = compareCommand(names, options, seed);
  const watch = watchBlocks(plan, pair, options);
  const { run, interrupted, trials } = await carryOut(plan, {
    suite: 'compare',
    command,
    options,
    io,
    listener: options.json ? {} : chooseListener(false, io),
    enough: watch.enough,
  });
  const rules = { margin: options.margin, alpha: defaultAlpha };
  const decision = decisionOf(decidePair(trials, pair, rules));
  const counted = trials.some(isQuarantined)
    ? decisionOf(decidePair(trials, pair, { ...rules, quarantined: 'counted' }))
    : null;
  const { save: sentence, database } = options;
  const finding = { pair, decision, run, measurement: defaultMeasurement, presences, database };
  const anomaly = sentence === undefined ? null : await saveAnomaly({ ...finding, sentence });
  const stopped = watch.standing();
  const told = { decision, counted, pair, trials, seed, command, run, stopped, anomaly };
  if (options.json) printJson(io, comparisonJson(told, options.margin));
  else print(io, describeDecision(told, options.margin));
  if (sentence !== undefined && anomaly === null) throw nothingToSave(decision);
  return verdictCode(decision, { options, interrupted, stopped: watch.standing() });
}

function decisionOf(decided: PairDecision): Decision | null {
  return decided.kind === 'decided-on' ? decided.decision : null;
}

interface BlockWatch {
  enough(trials: readonly Trial[]): boolean;
  standing(): Standing;
}

/** Looks after every block: that is allowed, the test is made for it. */
function watchBlocks(plan: Plan, pair: Pair, { margin, budget }: CompareOptions): BlockWatch {
  const startedAt = performance.now();
  let standing: Standing = { kind: 'go-on' };
  return {
    standing: () => standing,
    enough(trials) {
      const last = trials.at(-1);
      if (last === undefined || !endsBlock(plan, last)) return false;
      standing = standingOf(trials, [pair], { margin, alpha: defaultAlpha });
      const blocks = last.job.block + 1;
      const elapsed = performance.now() - startedAt;
      const another = elapsed + elapsed / blocks;
      return standing.kind !== 'go-on' || (budget !== undefined && another > budget);
    },
  };
}

function refuseTooFew(maxBlocks: number): void {
  const least = smallestBlocks(defaultAlpha);
  if (maxBlocks >= least) return;
  throw new FarmError('bad-argument', {
    what: `${String(maxBlocks)} blocks cannot decide anything.`,
    next: `The test needs at least ${String(least)} blocks: --max-blocks ${String(least)} or more.`,
  });
}

async function findSides(names: Sides, options: CompareOptions): Promise<readonly Presence[]> {
  const inventory = await loadInventory(options.inventory);
  const pick = (id: string): Device => selectDevices(inventory, [id])[0] as Device;
  const twins = names.a === names.b;
  const devices = [
    sideDevice(pick(names.a), twins ? 'a' : null, {
      flags: options.aFlag,
      executable: options.aExecutable,
      driver: options.aDriver,
    }),
    sideDevice(pick(names.b), twins ? 'b' : null, {
      flags: options.bFlag,
      executable: options.bExecutable,
      driver: options.bDriver,
    }),
  ];
  const presences = await findDevices(devices, loadDriver);
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
}

/** A device with this side's changes; the same device on both sides gets two names. */
function sideDevice(device: Device, twin: string | null, change: SideChange): Device {
  return {
    ...device,
    id: twin === null ? device.id : `${device.id}@${twin}`,
    name: [device.name, twin === null ? '' : `(${twin})`, ...change.flags]
      .filter(Boolean)
      .join(' '),
    flags: [...device.flags, ...change.flags],
    ...(change.executable === undefined ? {} : { executable: change.executable }),
    driver: change.driver ?? device.driver,
  };
}

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
  if (hostsOf(one).includes(hostOf(browser))) return;
  throw new FarmError('bad-argument', {
    what: `${caseName(one)} cannot run on ${id}, which is a ${hostOf(browser)}.`,
    next: 'Choose another device, or other parameters.',
  });
}

async function oneCase(catalog: Catalog, bench: string, choices: Choices): Promise<Case> {
  const { cases } = await selectCases(catalog, { suite: null, benchmarks: [bench], choices });
  const [first, second] = cases;
  if (first !== undefined && second === undefined) return first;
  throw new FarmError('bad-argument', {
    what: `A comparison takes one case a side, and these parameters span ${String(cases.length)}: ${cases.slice(0, 3).map(caseName).join('; ')} …`,
    next: 'Give each parameter one value; farm run measures many cases.',
  });
}

interface Ending {
  readonly options: CompareOptions;
  readonly interrupted: boolean;
  readonly stopped: Standing;
}

function verdictCode(
  decision: Decision | null,
  { options, interrupted, stopped }: Ending,
): ExitCode {
  if (interrupted || stopped.kind === 'vanished' || decision === null) return exitCodes.unfinished;
  const { expect } = options;
  return expect !== undefined && decision.verdict !== expect ? exitCodes.refuted : exitCodes.fine;
}

import { randomInt } from 'node:crypto';
import { Option, type Command } from 'commander';
import { loadDriver } from '../../drivers/index.ts';
import { loadCatalog } from '../plan/catalog/catalog.ts';
import { comparisonsOf } from '../analysis/decisions.ts';
import { endsRound, standingOf } from '../analysis/sequential.ts';
import type { Choices } from '../plan/catalog/expansion.ts';
import { selectCases } from '../plan/catalog/selection.ts';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import { loadInventory, selectDevices } from '../plan/inventory/inventory.ts';
import type { Isolation, Suite } from '../model/case.ts';
import { describePassedOver, type Presence } from '../model/device.ts';
import type { Plan } from '../model/plan.ts';
import type { CellCounts } from '../model/run.ts';
import type { Trial } from '../model/trial.ts';
import type { Lane } from '../model/question.ts';
import { crossLanes, describeLeftOut, makePlan } from '../plan/plan.ts';
import { pagesFolder } from '../project.ts';
import { defaultLimits } from '../run/limits.ts';
import { defaultAlpha, defaultMargin } from '../analysis/stats/verdict.ts';
import { findDevices } from '../setup/presence.ts';
import type { MeasuringOptions } from '../app/run/execute-plan.ts';
import { note, print, type Io, type Runner } from './io.ts';
import {
  collectNames,
  collectParameters,
  parseCount,
  parseSeed,
  parseShare,
  probeArguments,
  withDatabase,
  withInventory,
  withJson,
  withPages,
  withTrialOptions,
  withProbes,
  type InventoryOption,
} from './options.ts';
import { circumstancesOf } from '../app/run/repeat-command.ts';

export interface RunOptions extends InventoryOption, MeasuringOptions {
  readonly suite: string | null;
  readonly bench: readonly string[];
  readonly device: readonly string[];
  readonly param: Choices;
  readonly trials?: number;
  readonly until?: string;
  readonly margin: number;
  readonly maxBlocks: number;
  readonly isolation?: string;
  /** Whether a quarantined trial is done once more, under isolation `session`. */
  readonly repeat: boolean;
  /** Whether trials of one machine may run at one time. */
  readonly allowContention?: boolean;
  readonly seed?: number;
}

/** What `run` does when nothing is said. */
export const runDefaults = {
  suite: null,
  bench: [],
  device: [],
  param: {},
  json: false,
  port: 0,
  deadline: defaultLimits.trialMs,
  probes: true,
  repeat: true,
  margin: defaultMargin,
  maxBlocks: 60,
  pages: pagesFolder(),
} as const;

export function declare(command: Command, run: Runner): void {
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withProbes(command);
  withJson(command, 'print events as JSON lines; the last is run-finished')
    .option('--suite <name>', 'a suite of pages/suites (default: quick)')
    .option('--bench <ids>', 'benchmarks: of the suite, or on their own', collectNames, [])
    .option(
      '--device <ids>',
      'only these devices; "all": every one (default: all automatic ones)',
      collectNames,
      [],
    )
    .option('--param <name=values>', 'such as n=20..24 or place=main,worker', collectParameters, {})
    .option('--trials <number>', 'blocks to run', parseCount)
    .addOption(
      new Option('--until <what>', 'add blocks until every comparison has a verdict').choices([
        'decided',
      ]),
    )
    .option('--margin <share>', 'what does not matter, with --until', parseShare, defaultMargin)
    .option('--max-blocks <number>', 'give up after so many, with --until', parseCount, 60)
    .option('--isolation <level>', 'session: a fresh browser for each trial; page: a fresh page')
    .option('--seed <number>', 'seed of the order, to repeat a run', parseSeed)
    .option('--no-repeat', 'do no trial once more that the machine’s state spoilt')
    .option('--allow-contention', 'all devices at one time, also on one machine: no measurement')
    .action((options: RunOptions) =>
      run((io) => measure({ ...options, suite: options.suite ?? null }, io)),
    );
}

/** Inventory and catalog → plan → trials → store. */
export async function measure(options: RunOptions, io: Io): Promise<ExitCode> {
  const { carryOut, chooseListener } = await import('../app/run/execute-plan.ts');
  const suite = await chooseSuite(options);
  const presences = await findDevices(
    selectDevices(await loadInventory(options.inventory), options.device, suite.hosts),
    loadDriver,
  );
  refuseNothing(presences);
  tellPassedOver(presences, io);
  const lanes = chooseLanes(presences, suite, io);
  const plan: Plan = {
    ...makePlan({
      ...suite,
      blocks: suite.trials,
      seed: options.seed ?? randomInt(2 ** 32),
      presences,
      lanes,
      ...(options.repeat ? {} : { repeatQuarantined: false }),
    }),
    ...(options.allowContention === true && { allowContention: true }),
  };
  const { run, cells, interrupted } = await carryOut(plan, {
    suite: suite.id,
    command: commandOf(options, plan),
    options,
    io,
    listener: chooseListener(options.json, io),
    ...(options.until === undefined ? {} : { enough: untilDecided(plan, options) }),
  });
  if (!options.json) {
    print(io, `see it: npx farm report ${String(run)}`);
    const rest = interrupted && options.until === undefined;
    if (rest) print(io, `go on: npx farm resume ${String(run)}`);
  }
  return verdictOf(cells, interrupted);
}

/** Every case on every device against the same case on the first device that is found. */
function untilDecided(plan: Plan, { margin }: RunOptions): (trials: readonly Trial[]) => boolean {
  const pairs = comparisonsOf(plan);
  if (pairs.length === 0) {
    throw new FarmError('bad-argument', {
      what: 'There is nothing to decide: --until decided compares devices, and one was found.',
      next: 'Name two devices, or use farm compare for two sides of one.',
    });
  }
  return (trials) => {
    if (!endsRound(plan, trials)) return false;
    return standingOf(trials, pairs, { margin, alpha: defaultAlpha }).kind !== 'go-on';
  };
}

export async function chooseSuite(options: RunOptions): Promise<Suite> {
  const suite = await selectCases(await loadCatalog(options.pages), {
    suite: options.suite,
    benchmarks: options.bench,
    choices: options.param,
  });
  const isolation = options.isolation ?? suite.isolation;
  if (isolation !== 'session' && isolation !== 'page') {
    throw new FarmError('bad-argument', {
      what: `There is no isolation "${isolation}".`,
      next: 'It is session or page.',
    });
  }
  const trials = options.until === undefined ? (options.trials ?? suite.trials) : options.maxBlocks;
  return { ...suite, isolation, trials };
}

/** A file is read in no page, and a page is shown by no runtime: what cannot be is told, and not planned. */
export function chooseLanes(
  presences: readonly Presence[],
  { cases, id }: Suite,
  io: Io,
): readonly Lane[] {
  const lanes = crossLanes(presences, cases);
  const leftOut = describeLeftOut(presences, cases);
  if (lanes.length === 0) {
    throw new FarmError('bad-argument', {
      what: `Nothing of ${id} can run on the chosen devices: ${leftOut.join('; ')}.`,
      next: 'Choose other devices with --device; farm devices lists them.',
    });
  }
  for (const sentence of leftOut) note(io, sentence);
  return lanes;
}

/** By which driver a device is moved that names several, and why not by the others. */
function tellPassedOver(presences: readonly Presence[], io: Io): void {
  for (const presence of presences) {
    const { id, driver } = presence.device;
    for (const why of describePassedOver(presence)) note(io, `${id} is moved by ${driver}; ${why}`);
  }
}

export function refuseNothing(presences: readonly Presence[]): void {
  const missing = presences.filter((presence) => presence.status === 'missing');
  if (missing.length < presences.length) return;
  throw new FarmError('no-device', {
    what: `No device can be used: ${missing.map((one) => `${one.device.id} (${one.reason})`).join(', ')}.`,
    next: `Get one, then try again: ${missing[0]?.remedy ?? 'farm setup'}`,
  });
}

/** The command that repeats this run: every choice that was made, and the seed. */
export function commandOf(options: RunOptions, plan: Plan, command = 'run'): string {
  const parameters = Object.entries(options.param).map(
    ([name, values]) => `--param ${name}=${[values].flat().join(',')}`,
  );
  return [
    `npx farm ${command}`,
    options.suite === null
      ? options.bench.length > 0
        ? ''
        : '--suite quick'
      : `--suite ${options.suite}`,
    options.bench.length > 0 ? `--bench ${options.bench.join(',')}` : '',
    options.device.length > 0 ? `--device ${options.device.join(',')}` : '',
    ...parameters,
    options.until === undefined
      ? `--trials ${String(plan.blocks)}`
      : `--until decided --margin ${String(options.margin)} --max-blocks ${String(options.maxBlocks)}`,
    `--isolation ${plan.isolation satisfies Isolation}`,
    ...probeArguments(options),
    options.repeat ? '' : '--no-repeat',
    options.allowContention === true ? '--allow-contention' : '',
    ...circumstancesOf(options),
    `--seed ${String(plan.seed)}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** Of a run, or of one that was gone on with. */
export function verdictOf(cells: CellCounts, interrupted: boolean): ExitCode {
  if (interrupted) return exitCodes.unfinished;
  return cells.failed + cells.timedOut > 0 ? exitCodes.refuted : exitCodes.fine;
}

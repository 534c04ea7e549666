import { randomInt } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { loadDriver } from '../../drivers/index.ts';
import { loadCatalog } from '../catalog/catalog.ts';
import type { Choices } from '../catalog/expansion.ts';
import { selectCases } from '../catalog/selection.ts';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import { loadInventory, selectDevices } from '../inventory/inventory.ts';
import type { Isolation, Suite } from '../model/case.ts';
import type { Presence } from '../model/device.ts';
import type { Plan } from '../model/plan.ts';
import type { CellCounts } from '../model/run.ts';
import { crossLanes, makePlan } from '../plan/plan.ts';
import { guardListener } from '../progress/guard.ts';
import { jsonLines } from '../progress/json-lines.ts';
import { openScreen } from '../progress/screen.ts';
import { terminalProgress } from '../progress/terminal.ts';
import { farmVersion, pagesFolder } from '../project.ts';
import { defaultLimits } from '../runner/limits.ts';
import type { RunListener } from '../runner/listener.ts';
import { runPlan } from '../runner/runner.ts';
import { describeMachine } from '../setup/machine.ts';
import { findDevices } from '../setup/presence.ts';
import { openStore } from '../store/store.ts';
import { withEquipment, type EquipmentOptions } from './equipment.ts';
import { note, print, type Io, type Runner } from './io.ts';
import {
  collectNames,
  collectParameters,
  parseCount,
  parsePort,
  parseSeconds,
  parseSeed,
  withDatabase,
  withInventory,
  withJson,
  type DatabaseOption,
  type InventoryOption,
  type JsonOption,
} from './options.ts';

export interface RunOptions extends InventoryOption, DatabaseOption, JsonOption {
  readonly suite: string | null;
  readonly bench: readonly string[];
  readonly device: readonly string[];
  readonly param: Choices;
  readonly trials?: number;
  readonly isolation?: string;
  readonly seed?: number;
  readonly port: number;
  readonly deadline: number;
  readonly probes: boolean;
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
} as const;

export function declare(command: Command, run: Runner): void {
  withInventory(command);
  withDatabase(command);
  withJson(command, 'print events as JSON lines; the last is run-finished')
    .option('--suite <name>', 'a suite of pages/suites (default: quick)')
    .option('--bench <ids>', 'benchmarks: of the suite, or on their own', collectNames, [])
    .option('--device <ids>', 'only these devices (default: all automatic ones)', collectNames, [])
    .option('--param <name=values>', 'such as n=20..24 or place=main,worker', collectParameters, {})
    .option('--trials <number>', 'blocks to run', parseCount)
    .option('--isolation <level>', 'session: a fresh browser for each trial; page: a fresh page')
    .option('--seed <number>', 'seed of the order, to repeat a run', parseSeed)
    .option('--port <number>', 'port of the page server (default: any free one)', parsePort, 0)
    .option('--deadline <seconds>', 'for one trial', parseSeconds, defaultLimits.trialMs)
    .option('--no-probes', 'watch neither cores nor threads')
    .action((options: RunOptions) =>
      run((io) => measure({ ...options, suite: options.suite ?? null }, io)),
    );
}

/** Inventory and catalog → plan → trials → store. */
export async function measure(options: RunOptions, io: Io): Promise<ExitCode> {
  const suite = await chooseSuite(options);
  const presences = await findDevices(
    selectDevices(await loadInventory(options.inventory), options.device),
    loadDriver,
  );
  refuseNothing(presences);
  const plan = makePlan({
    ...suite,
    blocks: suite.trials,
    seed: options.seed ?? randomInt(2 ** 32),
    presences,
    lanes: crossLanes(presences, suite.cases),
  });
  const command = commandOf(options, plan);
  const { run, cells, interrupted } = await carryOut(plan, { suite, command, options, io });
  if (!options.json) print(io, `see it: npx farm report ${String(run)}`);
  return verdictOf(cells, interrupted);
}

async function chooseSuite(options: RunOptions): Promise<Suite> {
  const suite = await selectCases(await loadCatalog(pagesFolder()), {
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
  return { ...suite, isolation, trials: options.trials ?? suite.trials };
}

function refuseNothing(presences: readonly Presence[]): void {
  const missing = presences.filter((presence) => presence.status === 'missing');
  if (missing.length < presences.length) return;
  throw new FarmError('no-device', {
    what: `No device can be used: ${missing.map((one) => `${one.device.id} (${one.reason})`).join(', ')}.`,
    next: `Get one, then try again: ${missing[0]?.remedy ?? 'farm setup'}`,
  });
}

interface CarryOut {
  readonly suite: Suite;
  readonly command: string;
  readonly options: RunOptions;
  readonly io: Io;
}

interface Carried {
  readonly run: number;
  readonly cells: CellCounts;
  readonly interrupted: boolean;
}

async function carryOut(plan: Plan, { suite, command, options, io }: CarryOut): Promise<Carried> {
  const store = await openStore(options.database);
  try {
    return await withEquipment(equipmentOptions(options, io), async (equipment) => {
      const listener = chooseListener(options, io);
      const run = await store.createRun({
        suite: suite.id,
        seed: plan.seed,
        isolation: plan.isolation,
        command,
        farmVersion: farmVersion(),
        machine: describeMachine(),
        startedAt: new Date().toISOString(),
        presences: plan.presences,
        jobs: plan.jobs,
      });
      listener.onRunStarted?.({ run, plan });
      for await (const trial of runPlan(plan, { ...equipment, listener })) {
        await store.writeTrial(run, trial);
      }
      const interrupted = io.signal.aborted;
      const status = interrupted ? 'interrupted' : 'finished';
      await store.finishRun(run, status, new Date().toISOString());
      const cells = await store.counts(run);
      listener.onRunEnded?.({ run, cells, interrupted });
      return { run, cells, interrupted };
    });
  } finally {
    await store.close();
  }
}

function equipmentOptions(options: RunOptions, io: Io): EquipmentOptions {
  const { port, deadline, probes } = options;
  const directory = join(dirname(options.database), 'sessions');
  const say = (sentence: string): void => {
    note(io, sentence);
  };
  return { port, deadline, probes, directory, signal: io.signal, say };
}

function chooseListener(options: RunOptions, io: Io): RunListener {
  const complain = (sentence: string): void => {
    note(io, sentence);
  };
  if (options.json)
    return guardListener(
      jsonLines((line) => {
        print(io, line);
      }),
      complain,
    );
  const live = io.stderr.isTTY;
  return guardListener(terminalProgress(openScreen(io.stderr, live), live), complain);
}

/** The command that repeats this run: every choice that was made, and the seed. */
export function commandOf(options: RunOptions, plan: Plan): string {
  const parameters = Object.entries(options.param).map(
    ([name, values]) => `--param ${name}=${[values].flat().join(',')}`,
  );
  return [
    'npx farm run',
    options.suite === null
      ? options.bench.length > 0
        ? ''
        : '--suite quick'
      : `--suite ${options.suite}`,
    options.bench.length > 0 ? `--bench ${options.bench.join(',')}` : '',
    options.device.length > 0 ? `--device ${options.device.join(',')}` : '',
    ...parameters,
    `--trials ${String(plan.blocks)}`,
    `--isolation ${plan.isolation satisfies Isolation}`,
    options.probes ? '' : '--no-probes',
    `--seed ${String(plan.seed)}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function verdictOf(cells: CellCounts, interrupted: boolean): ExitCode {
  if (interrupted) return exitCodes.unfinished;
  return cells.failed + cells.timedOut > 0 ? exitCodes.refuted : exitCodes.fine;
}

import { randomInt } from 'node:crypto';
import { Option, type Command } from 'commander';
import type { Findings } from '../../reports/findings.ts';
import { decidePair, type PairDecision } from '../analysis/decisions.ts';
import { describeRun } from '../analysis/findings.ts';
import type { Standing } from '../analysis/sequential.ts';
import { loadCatalog } from '../catalog/catalog.ts';
import { defaultMeasurement } from '../catalog/selection.ts';
import type { Choices } from '../catalog/expansion.ts';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import { firstRoundBlocks, firstRoundOf } from '../model/plan.ts';
import { isQuarantined } from '../model/trial.ts';
import { makePlan } from '../plan/plan.ts';
import { farmVersion } from '../project.ts';
import { defaultAlpha, defaultMargin, type Decision, type Verdict } from '../stats/verdict.ts';
import type { MeasuringOptions } from './carry-out.ts';
import { watchBlocks } from './block-watch.ts';
import { compareCommand } from './compare-command.ts';
import { findSides, makePair } from './compare-sides.ts';
import { comparisonJson, describeDecision } from './decision-text.ts';
import { print, printJson, type Io, type Runner } from './io.ts';
import {
  collectParameters,
  parseCount,
  parseDuration,
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
import { refuseTooFew } from './fewest-blocks.ts';
import { readRecord } from './records.ts';
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
  /** A device whose build is compared under all its drivers, instead of two devices. */
  readonly drivers?: string;
  /** What the finding is, to keep it as an anomaly. */
  readonly save?: string;
}

export function declare(command: Command, run: Runner): void {
  command
    .argument('[a]', 'device')
    .argument('[b]', 'device that a is compared with; may be the same')
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
    .option(
      '--max-blocks <number>',
      'give up after so many blocks, those that were disturbed among them',
      parseCount,
      100,
    )
    .option('--budget <duration>', 'give up after this long', parseDuration)
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
    .option('--drivers <device>', 'instead: its build under every driver, against no automation')
    .action((a: string | undefined, b: string | undefined, options: CompareOptions) =>
      run((io) => chooseComparison([a, b], options, io)),
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
  farm compare chromium chromium --bench control --a-param extraPercent=10   (finds 10 %)
  farm compare --drivers chromium --param n=18                               (what drivers change)`;

export interface Sides {
  readonly a: string;
  readonly b: string;
}

async function chooseComparison(
  [a, b]: readonly (string | undefined)[],
  options: CompareOptions,
  io: Io,
): Promise<ExitCode> {
  const { drivers } = options;
  if (drivers !== undefined && a === undefined) {
    const { compareDrivers } = await import('./compare-drivers.ts');
    return compareDrivers(drivers, options, io);
  }
  if (drivers === undefined && a !== undefined && b !== undefined) {
    return compare({ a, b }, options, io);
  }
  throw new FarmError('bad-argument', {
    what: 'A comparison takes two devices, or one with --drivers.',
    next: 'Such as: farm compare chromium firefox, or farm compare --drivers chromium',
  });
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
    firstRound: firstRoundBlocks,
    measurement: defaultMeasurement,
    presences,
    lanes: [pair.a, pair.b],
    ...(options.repeat ? {} : { repeatQuarantined: false }),
  });
  const command = compareCommand(names, options, seed);
  const watch = watchBlocks(plan, [pair], { ...options, alpha: defaultAlpha });
  const { run, interrupted, trials } = await carryOut(plan, {
    suite: 'compare',
    command,
    options,
    io,
    listener: options.json ? {} : chooseListener(false, io),
    enough: watch.enough,
  });
  const rules = { margin: options.margin, alpha: defaultAlpha, ...firstRoundOf(plan.jobs) };
  const decision = decisionOf(decidePair(trials, pair, rules));
  const counted = trials.some(isQuarantined)
    ? decisionOf(decidePair(trials, pair, { ...rules, quarantined: 'counted' }))
    : null;
  const { save: sentence, database } = options;
  const finding = { pair, decision, run, measurement: defaultMeasurement, presences, database };
  const anomaly = sentence === undefined ? null : await saveAnomaly({ ...finding, sentence });
  const stopped = watch.standing();
  const findings = await storedFindings(run, database);
  const { whyText } = await import('../../reports/lead-text.ts');
  const why = await whyText(findings);
  const told = { decision, counted, pair, seed, command, run, stopped, anomaly, why };
  const columns = io.stdout.isTTY ? io.stdout.columns : Infinity;
  if (options.json) printJson(io, comparisonJson(told, options.margin));
  else print(io, describeDecision({ ...told, findings }, columns));
  if (sentence !== undefined && anomaly === null) throw nothingToSave(decision);
  return verdictCode(decision, { options, interrupted, stopped: watch.standing() });
}

/** What the report of the run will say, so that the same numbers are printed. */
async function storedFindings(run: number, database: string): Promise<Findings> {
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  return describeRun(await readRecord(run, database), writing);
}

function decisionOf(decided: PairDecision): Decision | null {
  return decided.kind === 'decided-on' ? decided.decision : null;
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

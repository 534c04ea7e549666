import { randomInt } from 'node:crypto';
import { type Command, Option } from 'commander';
import type { Findings } from '../../reports/findings.ts';
import { carryOversOf } from '../analysis/carry-over.ts';
import { usedWindow } from '../analysis/chosen-window.ts';
import {
  decidePair,
  type Pair,
  type PairDecision,
  runCircumstances,
} from '../analysis/decisions.ts';
import { describeRun } from '../analysis/findings.ts';
import type { Standing } from '../analysis/sequential.ts';
import { smallestBlocks } from '../analysis/stats/mixture-test.ts';
import {
  type Decision,
  defaultAlpha,
  defaultMargin,
  type Verdict,
} from '../analysis/stats/verdict.ts';
import { comparisonSuite } from '../analysis/verdicts.ts';
import { fewestBlocks, refuseTooFew, watchBlocks } from '../app/compare/block-watch.ts';
import { compareCommand } from '../app/compare/compare-command.ts';
import type { Carried, MeasuringOptions } from '../app/run/execute-plan.ts';
import { findSides, makePair } from '../app/compare/sides.ts';
import { readRecord } from '../app/records.ts';
import { nothingToSave, saveAnomaly } from '../app/anomalies.ts';
import { type ExitCode, exitCodes, FarmError } from '../errors.ts';
import { firstRoundBlocks, type Plan } from '../model/plan.ts';
import { isQuarantined } from '../model/trial.ts';
import { loadCatalog } from '../plan/catalog/catalog.ts';
import type { Choices } from '../plan/catalog/expansion.ts';
import { defaultMeasurement } from '../plan/catalog/selection.ts';
import { makePlan } from '../plan/plan.ts';
import { farmVersion } from '../project.ts';
import { type Io, print, printJson, type Runner } from './io.ts';
import {
  collectParameters,
  type InventoryOption,
  parseCount,
  parseDuration,
  parseRun,
  parseSeed,
  parseSentence,
  parseShare,
  withDatabase,
  withInventory,
  withJson,
  withPages,
  withProbes,
  withTrialOptions,
} from './options.ts';
import { comparisonJson, cpuTimeOfPair, describeDecision } from './text/decision-text.ts';

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
  /** A stored run to go on with, instead of a new one. */
  readonly continue?: number | 'latest';
  /** Also one whose farm cannot be seen from here. */
  readonly takeOver?: boolean;
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
    .option(
      '--budget <duration>',
      'give up after this long, and not before five blocks',
      parseDuration,
    )
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
    .option('--continue <run>', 'instead: go on with a stored comparison', parseRun)
    .option('--take-over', 'with --continue: also one of a machine that is gone', false)
    .action((a: string | undefined, b: string | undefined, options: CompareOptions) =>
      run((io) => chooseComparison([a, b], { options, given: givenTo(command) }, io)),
    );
}

function givenTo(command: Command): readonly string[] {
  return command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .map(({ long }) => long ?? '');
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
  farm compare --drivers chromium --param n=18                               (what drivers change)
  farm compare --continue 7 --max-blocks 50       (50 more blocks of run 7, and a verdict on all)

With --continue everything is as it was: sides, pages, margin, order. --max-blocks and --budget are
those of the further blocks, --margin may be another; the verdict is on all blocks together.`;

export interface Sides {
  readonly a: string;
  readonly b: string;
}

async function chooseComparison(
  [a, b]: readonly (string | undefined)[],
  { options, given }: Given,
  io: Io,
): Promise<ExitCode> {
  const { drivers, continue: which } = options;
  if (which !== undefined) {
    refuseOther([...[a, b].filter((side) => side !== undefined), ...given]);
    const { continueComparison } = await import('../app/compare/continue-comparison.ts');
    const asked = given.includes('--margin') ? options : { ...options, margin: undefined };
    return conclude(await continueComparison(which, asked, io), options, io);
  }
  if (drivers !== undefined && a === undefined) {
    const { compareDrivers } = await import('../app/compare/compare-drivers.ts');
    return compareDrivers(drivers, options, io);
  }
  if (drivers === undefined && a !== undefined && b !== undefined) {
    return conclude(await compare({ a, b }, options, io), options, io);
  }
  throw new FarmError('bad-argument', {
    what: 'A comparison takes two devices, or one with --drivers.',
    next: 'Such as: farm compare chromium firefox, or farm compare --drivers chromium',
  });
}

interface Given {
  readonly options: CompareOptions;
  /** Names of the options that were said. */
  readonly given: readonly string[];
}

/** What may be said of a run that goes on; everything else is as it was. */
const whenContinued: ReadonlySet<string> = new Set([
  ...['--continue', '--take-over', '--max-blocks', '--budget', '--margin'],
  ...['--database', '--json', '--port', '--expect', '--save'],
]);

/** @throws FarmError `bad-argument` for what is said anew of a run that goes on. */
function refuseOther(given: readonly string[]): void {
  const others = given.filter((name) => !whenContinued.has(name));
  if (others.length === 0) return;
  throw new FarmError('bad-argument', {
    what: `A comparison that goes on stays as it was, so ${others.join(', ')} cannot be said of it.`,
    next: `With --continue go ${[...whenContinued].slice(1).join(', ')}.`,
  });
}

/** Two sides, in blocks, until the verdict is there or the budget is gone. */
async function compare(names: Sides, options: CompareOptions, io: Io): Promise<Compared> {
  // Sides of two browsers are not alike, and take more.
  const least = names.a === names.b ? fewestBlocks() : smallestBlocks(defaultAlpha);
  refuseTooFew(options.maxBlocks, least);
  const { carryOut, chooseListener } = await import('../app/run/execute-plan.ts');
  const catalog = await loadCatalog(options.pages);
  const presences = await findSides(names, options);
  const pair = await makePair(catalog, presences, options);
  const plan = makePlan({
    seed: options.seed ?? randomInt(2 ** 32),
    isolation: 'session',
    blocks: options.maxBlocks,
    firstRound: firstRoundBlocks,
    measurement: defaultMeasurement,
    presences,
    lanes: [pair.a, pair.b],
    ...(options.repeat ? {} : { repeatQuarantined: false }),
  });
  const command = compareCommand(names, options, plan.seed);
  const watch = watchBlocks(plan, [pair], { ...options, alpha: defaultAlpha });
  const carried = await carryOut(plan, {
    suite: comparisonSuite,
    command,
    options,
    io,
    listener: options.json ? {} : chooseListener(false, io),
    enough: watch.enough,
    window: watch.window,
  });
  const { margin } = options;
  return { ...carried, plan, pair, command, margin, stopped: watch.standing(), continues: false };
}

/** Two sides as they were measured, in one go or in several. */
export interface Compared extends Pick<Carried, 'run' | 'interrupted' | 'trials'> {
  readonly plan: Pick<Plan, 'seed' | 'measurement' | 'presences' | 'jobs' | 'firstRound'>;
  readonly pair: Pair;
  /** Repeats all of it. */
  readonly command: string;
  readonly margin: number;
  readonly stopped: Standing;
  /** It went on with a stored run. */
  readonly continues: boolean;
}

/** Decides over all blocks, and tells. */
async function conclude(compared: Compared, options: CompareOptions, io: Io): Promise<ExitCode> {
  const { run, trials, pair, plan, margin, stopped, interrupted } = compared;
  const rules = { margin, alpha: defaultAlpha, ...runCircumstances(plan) };
  const decision = decisionOf(decidePair(trials, pair, rules));
  const counted = trials.some(isQuarantined)
    ? decisionOf(decidePair(trials, pair, { ...rules, quarantined: 'counted' }))
    : null;
  const { save: sentence, database } = options;
  const { seed, measurement, presences } = plan;
  const finding = { pair, decision, run, measurement, presences, database };
  const anomaly = sentence === undefined ? null : await saveAnomaly({ ...finding, sentence });
  const findings = await storedFindings(run, database);
  const { whyText } = await import('../../reports/lead-text.ts');
  const why = await whyText(findings);
  const carryOver = carryOversOf(trials, pair, { presences, msOf: (time) => Date.parse(time) });
  const cpuTime = cpuTimeOfPair(findings, pair);
  const window = usedWindow(plan, pair, trials);
  const beside = { why, carryOver, cpuTime, window };
  const told = { ...compared, decision, counted, seed, anomaly, ...beside };
  const columns = io.stdout.isTTY ? io.stdout.columns : Infinity;
  if (options.json) printJson(io, comparisonJson(told, margin));
  else print(io, describeDecision({ ...told, findings }, columns));
  if (sentence !== undefined && anomaly === null) throw nothingToSave(decision);
  return verdictCode(decision, { options, interrupted, stopped });
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

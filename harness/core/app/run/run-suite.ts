import { randomInt } from 'node:crypto';
import { loadDriver } from '../../../../drivers/index.ts';
import { listComparisons } from '../../analysis/run-pairs.ts';
import { defaultAlpha } from '../../analysis/stats/verdict.ts';
import { FarmError } from '../../errors.ts';
import type { Isolation, Suite } from '../../model/case.ts';
import { describePassedOver, type Presence } from '../../model/device.ts';
import type { Plan } from '../../model/plan.ts';
import type { OwnPages } from '../../model/run.ts';
import type { OptInProbe } from '../../model/reading.ts';
import type { Arm } from '../../model/question.ts';
import { loadCatalog } from '../../plan/catalog/catalog.ts';
import type { Choices } from '../../plan/catalog/expansion.ts';
import { describeUnrestricted, selectCases } from '../../plan/catalog/selection.ts';
import { chooseRules } from '../../plan/catalog/measurement.ts';
import { onCores, selectDevices } from '../../plan/inventory/inventory.ts';
import { crossArms, describeLeftOut, makePlan } from '../../plan/plan.ts';
import { findDevices } from '../../setup/presence.ts';
import type { MeasuringCaller } from '../caller.ts';
import { loadDevices } from '../builds/build-devices.ts';
import { watchBlocks } from './block-watch.ts';
import {
  executePlan,
  type MeasuringOptions,
  type RunOrder,
  type RunResult,
} from './execute-plan.ts';
import {
  readCircumstances,
  parameterArguments,
  probeArguments,
  shellWord,
} from './repeat-command.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

export interface RunOptions extends MeasuringOptions {
  /** The devices file. */
  readonly inventory: string;
  readonly suite: string | null;
  /** Of a suite of others: where it lies. */
  readonly from?: string;
  readonly bench: readonly string[];
  readonly device: readonly string[];
  /** Number of cores of every device; as `devices.json` says when left out. */
  readonly cores?: number;
  readonly param: Choices;
  readonly trials?: number;
  /** Adds blocks until every comparison has a verdict, and up to `maxBlocks`. */
  readonly until?: 'decided';
  readonly margin: number;
  readonly maxBlocks: number;
  readonly isolation?: string;
  /** Repeats an excluded trial once, under isolation `session`. */
  readonly repeat: boolean;
  /** Lets trials of one machine run at one time. */
  readonly allowContention?: boolean;
  readonly seed?: number;
}

/** Suites of others, which `run --from` measures where they lie. */
export interface OtherSuites {
  readonly names: () => Promise<readonly string[]>;
  readonly run: (options: OtherSuiteOptions, caller: MeasuringCaller) => Promise<RunResult>;
  /** Measures pages of one's own. */
  readonly runPages: (
    pages: readonly string[],
    options: OwnPageOptions,
    caller: MeasuringCaller,
  ) => Promise<RunResult>;
}

export interface OwnPageOptions extends RunOptions {
  /** Numbers of the pages, by name or as expressions; those that the pages offer when empty. */
  readonly measure: readonly string[];
  /** The folder at `/` of the pages' server. */
  readonly root?: string;
  /** Pages with errors are measured, too. */
  readonly despiteErrors: boolean;
}

/** A suite that lies in no folder of pages. */
export interface MadeSuite extends Suite {
  /** All opt-in probes; those of the options when left out. */
  readonly probe?: readonly OptInProbe[];
  /** Arguments of the command that say what is measured, instead of a suite. */
  readonly words?: readonly string[] | undefined;
  /** Pages of one's own, as they are stored with the run. */
  readonly ownPages?: OwnPages;
}

export interface OtherSuiteOptions extends RunOptions {
  readonly suite: string;
  /** A folder with a copy of the suite, or the URL of its page. */
  readonly from: string;
}

/**
 * Measures a suite, or chosen benchmarks, on devices.
 * @param made measured instead of what the options name
 * @throws FarmError
 */
export async function runSuite(
  options: RunOptions,
  caller: MeasuringCaller,
  made?: MadeSuite,
): Promise<RunResult> {
  const suite = await chooseSuite(options, made);
  const inventory = await loadDevices(options, options.device);
  const devices = onCores(selectDevices(inventory, options.device, suite.hosts), options.cores);
  const presences = await findDevices(devices, caller.loadDriver ?? loadDriver);
  refuseNothing(presences);
  describeUnrestricted(suite, options.param).forEach(caller.say);
  for (const sentence of describeDriverChoices(presences)) caller.say(sentence);
  const arms = chooseArms(presences, suite, caller.say);
  const plan: Plan = {
    ...makePlan({
      ...suite,
      blocks: suite.trials,
      seed: options.seed ?? randomInt(2 ** 32),
      presences,
      arms,
      ...(options.repeat ? {} : { repeatQuarantined: false }),
    }),
    ...(options.allowContention === true && { allowContention: true }),
  };
  const ending = options.until === 'decided' ? untilDecided(plan, options) : {};
  const { words, ownPages }: Partial<MadeSuite> = made ?? {};
  const command = runCommand({ ...options, words }, plan);
  const watching = withDeadline(suite, made === undefined ? options : withProbes(options, made));
  const order = { suite: suite.id, command, options: watching, ownPages };
  return executePlan(plan, { ...order, ...ending }, caller);
}

/** Every case on every device against the same case on the first device that is found. */
function untilDecided(
  plan: Plan,
  { margin }: RunOptions,
): Required<Pick<RunOrder, 'enough' | 'look'>> {
  const pairs = listComparisons(plan);
  if (pairs.length === 0) throw nothingToDecide();
  const { enough, look } = watchBlocks(plan, pairs, { margin, alpha: defaultAlpha });
  return { enough, look };
}

function nothingToDecide(): FarmError {
  return new FarmError('bad-argument', {
    what: 'There is nothing to decide: --until decided compares devices, and one was found.',
    next: `Name two devices, or use ${npxCrossfarm} compare for two sides of one.`,
  });
}

/**
 * Checks the options of a run whose pages are looked at first, before that is done.
 * @throws FarmError `bad-argument`, or `no-device`
 */
export function checkRun(options: RunOptions, presences: readonly Presence[]): void {
  readIsolation(options);
  refuseNothing(presences);
  const found = presences.filter(({ status }) => status === 'found');
  if (options.until === 'decided' && found.length < 2) throw nothingToDecide();
}

export async function chooseSuite(options: RunOptions, made?: Suite): Promise<Suite> {
  const suite =
    made ??
    (await selectCases(await loadCatalog(options.pages), {
      suite: options.suite,
      benchmarks: options.bench,
      choices: options.param,
    }));
  const isolation = readIsolation(options) ?? suite.isolation;
  const trials = options.until === undefined ? (options.trials ?? suite.trials) : options.maxBlocks;
  const measurement = chooseRules(options.measurement, suite.measurement);
  return { ...suite, isolation, trials, measurement };
}

/**
 * The isolation that was asked for; null where none was.
 * @throws FarmError `bad-argument`
 */
function readIsolation({ isolation }: Pick<RunOptions, 'isolation'>): Isolation | null {
  if (isolation === undefined) return null;
  if (isolation === 'session' || isolation === 'page') return isolation;
  throw new FarmError('bad-argument', {
    what: `Unknown isolation "${isolation}".`,
    next: 'It is session or page.',
  });
}

function withProbes(options: RunOptions, { probe }: MadeSuite): RunOptions {
  return probe === undefined ? options : { ...options, probe };
}

/** The deadline of the suite, where it is longer than the usual one. */
export function withDeadline<Options extends MeasuringOptions>(
  { deadlineMs = 0 }: Suite,
  options: Options,
): Options {
  return { ...options, deadline: Math.max(options.deadline, deadlineMs) };
}

/**
 * Pages cannot read files, and runtimes cannot show pages: impossible cases are left out with a
 * message.
 */
export function chooseArms(
  presences: readonly Presence[],
  { cases, id }: Suite,
  say: (sentence: string) => void,
): readonly Arm[] {
  const arms = crossArms(presences, cases);
  const leftOut = describeLeftOut(presences, cases);
  if (arms.length === 0) {
    throw new FarmError('bad-argument', {
      what: `Nothing of ${id} can run on the chosen devices: ${leftOut.join('; ')}.`,
      next: `Choose other devices with --device; ${npxCrossfarm} devices lists them.`,
    });
  }
  for (const sentence of leftOut) say(sentence);
  return arms;
}

/** By which driver a device is moved that names several, and why not by the others. */
function describeDriverChoices(presences: readonly Presence[]): readonly string[] {
  return presences.flatMap((presence) => {
    const { id, driver } = presence.device;
    return describePassedOver(presence).map((why) => `${id} is moved by ${driver}; ${why}`);
  });
}

export function refuseNothing(presences: readonly Presence[]): void {
  const missing = presences.filter((presence) => presence.status === 'missing');
  if (missing.length < presences.length) return;
  throw new FarmError('no-device', {
    what: `No device can be used: ${missing.map((one) => `${one.device.id} (${one.reason})`).join(', ')}.`,
    next: `Get one, then try again: ${missing[0]?.remedy ?? `${npxCrossfarm} devices setup`}`,
  });
}

/** The command that repeats this run: every choice that was made, and the seed. */
export function runCommand(
  options: RunOptions & Pick<MadeSuite, 'words'>,
  plan: Plan,
  command = 'run',
): string {
  return [
    `${npxCrossfarm} ${command}`,
    ...(options.words ?? [suiteArgument(options)]),
    options.from === undefined ? '' : `--from ${shellWord(options.from)}`,
    options.bench.length > 0 ? `--bench ${options.bench.join(',')}` : '',
    options.device.length > 0 ? `--device ${options.device.join(',')}` : '',
    options.cores === undefined ? '' : `--cores ${String(options.cores)}`,
    ...parameterArguments(options.param),
    options.until === undefined
      ? `--trials ${String(plan.blocks)}`
      : `--until decided --margin ${String(options.margin)} --max-blocks ${String(options.maxBlocks)}`,
    `--isolation ${plan.isolation satisfies Isolation}`,
    ...probeArguments(options),
    options.repeat ? '' : '--no-repeat',
    options.allowContention === true ? '--allow-contention' : '',
    ...readCircumstances(options),
    `--seed ${String(plan.seed)}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function suiteArgument({ suite, bench }: RunOptions): string {
  if (suite !== null) return `--suite ${suite}`;
  return bench.length > 0 ? '' : '--suite quick';
}

import { randomInt } from 'node:crypto';
import type { Command } from 'commander';
import pc from 'picocolors';
import { loadDriver } from '../../drivers/index.ts';
import { loadCatalog, type Catalog } from '../plan/catalog/catalog.ts';
import type { Choices } from '../plan/catalog/expansion.ts';
import { defaultMeasurement, selectCases } from '../plan/catalog/selection.ts';
import { exitCodes, FarmError, unknownName, type ExitCode } from '../errors.ts';
import { loadInventory, selectDevice } from '../plan/inventory/inventory.ts';
import { caseName, type Case } from '../model/case.ts';
import type { Device, Presence } from '../model/device.ts';
import { bisect, stepsOf, type Bisected, type BuildVerdict } from '../app/compare/bisection.ts';
import { buildNames } from '../app/nights/history-anomaly.ts';
import { listKeptBuilds, type KeptBuild } from '../setup/kept-builds.ts';
import { findDevice } from '../setup/presence.ts';
import { defaultAlpha, type Decision, type Verdict } from '../analysis/stats/verdict.ts';
import { buildCommand } from '../app/compare/compare-command.ts';
import { findBuild } from '../app/compare/build-pair.ts';
import { chooseListener, type MeasuringOptions } from '../app/run/execute-plan.ts';
import { fewestBlocks, refuseTooFew } from '../app/compare/block-watch.ts';
import { note, print, printJson, type Io, type Runner } from './io.ts';
import { measurePair, type BuildSides } from '../app/compare/measure-pair.ts';
import {
  collectParameters,
  parseCount,
  withDatabase,
  withInventory,
  withJson,
  withPages,
  withProbes,
  withTrialOptions,
  type InventoryOption,
} from './options.ts';
import { keptFolder } from '../app/nights/remeasure.ts';

interface Options extends InventoryOption, MeasuringOptions {
  readonly bench: string;
  readonly param: Choices;
  readonly from?: string;
  readonly to?: string;
  readonly maxBlocks: number;
}

export function declare(command: Command, run: Runner): void {
  command
    .argument('<device>', 'device whose kept builds are looked through')
    .addHelpText('after', help);
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withProbes(command);
  withJson(command, 'print { outcome, last, first, steps: [{ version, verdict, ratio, … }] }')
    .option('--bench <id>', 'the benchmark', 'fib')
    .option('--param <name=value>', 'its parameters', collectParameters, {})
    .option('--from <version>', 'the build from before the change (default: the oldest kept)')
    .option('--to <version>', 'the build from after it (default: the newest kept)')
    .option('--max-blocks <number>', 'give up on a step after so many blocks', parseCount, 60)
    .action((device: string, options: Options) => run((io) => narrow(device, options, io)));
}

const help = `
farm nightly keeps a copy of every build that it measures, as far as the room for them goes. Each
step measures one of them beside the oldest, in blocks, until the sequential test has decided.

Examples:
  farm bisect chromium --bench fib --param function=asyncFib --param n=20
  farm bisect chromium --bench control --from 156.0.8078.79 --to 158.0.8200.1`;

interface Step {
  readonly version: string;
  readonly verdict: BuildVerdict;
  readonly run: number;
  readonly decision: Decision | null;
  readonly stopped: string | null;
}

async function narrow(id: string, options: Options, io: Io): Promise<ExitCode> {
  refuseTooFew(options.maxBlocks);
  const device = selectDevice(await loadInventory(options.inventory), id);
  const one = await oneCase(await loadCatalog(options.pages), options);
  const builds = await chooseBuilds(device, options);
  refuseTooFew(options.maxBlocks, fewestBlocks(alphaOf(builds)));
  const steps: Step[] = [];
  const found = await bisect({
    builds: builds.length,
    signal: io.signal,
    ask: async (index) => {
      const sought = steps[0]?.decision?.verdict ?? null;
      const step = await measureStep(index, { device, one, builds, sought, options, io });
      steps.push(step);
      if (!options.json) note(io, describeStep(step, builds));
      return step.verdict;
    },
  });
  if (options.json) printJson(io, bisectedJson(found, builds, steps));
  else print(io, describe(found, builds));
  return found.kind === 'undecided' ? exitCodes.unfinished : exitCodes.fine;
}

async function oneCase(catalog: Catalog, { bench, param }: Options): Promise<Case> {
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
  { database, from, to }: Options,
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
  readonly options: Options;
  readonly io: Io;
}

async function measureStep(index: number, stepping: Stepping): Promise<Step> {
  const { device, builds, sought, options, io } = stepping;
  const sides = await sidesFor(index, stepping);
  const seed = randomInt(2 ** 32);
  const { maxBlocks } = options;
  const command = buildCommand(sides, { deviceId: device.id, options, maxBlocks, seed });
  const { run, decision, stopped } = await measurePair(sides, {
    ...{ maxBlocks, seed, command, options, io, measurement: defaultMeasurement },
    alpha: alphaOf(builds),
    listener: options.json ? {} : chooseListener(false, io),
  });
  const version = builds[index]?.version ?? '';
  return { version, verdict: verdictOf(decision, sought), run, decision, stopped };
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

function describeStep(
  { version, decision, stopped, run }: Step,
  builds: readonly KeptBuild[],
): string {
  const [oldest] = builds;
  const figures =
    decision === null
      ? (stopped ?? 'no block in common')
      : `${decision.verdict}, ${digits(decision.ratio)}× in ${String(decision.blocks)} blocks`;
  return `${version} against ${oldest?.version ?? ''}: ${figures} (run ${String(run)})`;
}

function describe(found: Bisected, builds: readonly KeptBuild[]): string {
  const version = (index: number): string => builds[index]?.version ?? '';
  switch (found.kind) {
    case 'no-difference':
      return `${version(0)} and ${version(builds.length - 1)} do not differ: there is nothing to look for.`;
    case 'narrowed':
      return `${pc.bold(`${version(found.last)} → ${version(found.first)}`)}: the difference came between these two builds.`;
    case 'undecided':
      return `Undecided: the difference lies between ${version(found.last)} and ${version(found.first)}, if there is one. More blocks may tell: --max-blocks`;
  }
}

/** The shape of `farm bisect --json`. */
function bisectedJson(
  found: Bisected,
  builds: readonly KeptBuild[],
  steps: readonly Step[],
): object {
  const ends = found.kind === 'no-difference' ? { last: 0, first: builds.length - 1 } : found;
  return {
    outcome: found.kind,
    last: builds[ends.last]?.version ?? null,
    first: builds[ends.first]?.version ?? null,
    builds: builds.map(({ version }) => version),
    steps: steps.map(({ version, verdict, run, decision, stopped }) => ({
      ...{ version, verdict, run, stopped },
      ratio: decision?.ratio ?? null,
      low: decision?.low ?? null,
      high: decision?.high ?? null,
      blocks: decision?.blocks ?? 0,
    })),
  };
}

function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

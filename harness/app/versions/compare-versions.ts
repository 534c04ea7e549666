import { randomInt } from 'node:crypto';
import { loadDriver } from '../../../drivers/index.ts';
import { runCircumstances } from '../../analysis/decisions.ts';
import { decideTable, type TableEntry, untilWorseBy } from '../../analysis/sequential.ts';
import { memoryProbe } from '../../probes/memory.ts';
import { defaultAlpha } from '../../analysis/stats/verdict.ts';
import { countingDisturbed } from '../../analysis/series.ts';
import { versionPairs, versionsSuite } from '../../analysis/verdicts.ts';
import { FarmError } from '../../errors.ts';
import { type Case, type MeasurementPreset, findPreset } from '../../model/case.ts';
import type { Plan } from '../../model/plan.ts';
import type { Presence } from '../../model/device.ts';
import { mainThreadWait } from '../../model/reading.ts';
import type { Trial } from '../../model/trial.ts';
import { selectBrowsers } from '../../plan/inventory/inventory.ts';
import { chooseRules } from '../../plan/catalog/measurement.ts';
import { makePlan } from '../../plan/plan.ts';
import { findDevices } from '../../setup/presence.ts';
import type { MeasuringCaller } from '../caller.ts';
import { loadDevices } from '../builds/build-devices.ts';
import { checkFirstRound, watchBlocks } from '../compare/block-watch.ts';
import { executePlan, type MeasuringOptions } from '../run/execute-plan.ts';
import { circumstancesOf, probeArguments, shellWord } from '../run/repeat-command.ts';
import { versionCases, versionsBenchmark, type Visit } from './benchmark.ts';
import { readInput } from './input.ts';
import { type Measure, parseMeasure, withUniqueNames } from './measures.ts';
import {
  accessArguments,
  type Access,
  type AccessOptions,
  letInTo,
  readAccess,
  withAccess,
} from './access.ts';
import { ableTo, type Conditions, throttled } from './conditions.ts';
import { lookAtVersions } from './pilot.ts';
import { readingOfSuite, suiteDeadlineMs } from './well-known.ts';
import { identicalToFirst, type Version, withVersions } from './resolve.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

export interface VersionsOptions extends MeasuringOptions, Conditions, AccessOptions {
  /** The devices file. */
  readonly inventory: string;
  /** Ids of devices; all browsers of the devices file that are found when empty. */
  readonly browsers: readonly string[];
  /** The page of each folder, ref or package. */
  readonly page?: string;
  /** The folder at `/` of the pages' server; the page's own, or the version, when left out. */
  readonly root?: string;
  /** False for folders without the headers that isolate their pages from other origins. */
  readonly isolation?: boolean;
  /** Whether `index.html` is the page at every address that names no file. */
  readonly spa?: boolean;
  /** A command of the user's shell that builds each git ref. */
  readonly build?: string;
  /** The submodules of each git ref are fetched, too. */
  readonly submodules?: boolean;
  /** What is read of the pages, as `parseMeasure` takes it; what they offer when empty. */
  readonly measure: readonly string[];
  /** Of globals and expressions: the unit, and whether more is better. */
  readonly unit: string;
  readonly higher: boolean;
  /** A well-known suite, of which the versions are copies: it says what is read, and how. */
  readonly suite?: string;
  /** An expression that begins the work of the pages. */
  readonly begin?: string;
  /** A JSON file or module with the list of steps that are done to the pages. */
  readonly input?: string;
  /** Answers of 400 and above that are a page all the same. */
  readonly acceptStatus?: readonly number[];
  /** Versions with errors are measured, too. */
  readonly despiteErrors?: boolean;
  /** A share: a smaller difference does not matter. */
  readonly margin: number;
  /** A share: of what is slower, whether it is so by more than that is to be shown, too. */
  readonly worseBy?: number | undefined;
  readonly maxBlocks: number;
  /** Milliseconds. */
  readonly budget?: number;
  /** Whether a quarantined trial is done once more. */
  readonly repeat: boolean;
  readonly seed?: number;
}

export interface VersionsComparison {
  readonly run: number;
  /** Left out where it was measured by the usual rules. */
  readonly preset?: MeasurementPreset | undefined;
  readonly versions: readonly string[];
  /** Browsers that were measured, and why the others were not. */
  readonly presences: readonly Presence[];
  /** Each metric of each version beside the first, in each browser. */
  readonly entries: readonly TableEntry[];
  readonly trials: readonly Trial[];
  /** No version measures anything itself, and nothing was asked for: how they load was compared. */
  readonly byDefault: boolean;
  readonly margin: number;
  readonly alpha: number;
  readonly seed: number;
  readonly command: string;
  readonly interrupted: boolean;
  /** Why no more blocks were measured; null when all is decided, or the budget is gone. */
  readonly stopped: string | null;
}

/**
 * Compares versions of a page with the first of them, in every browser, until all is decided or the
 * budget is gone.
 * @param names at least two HTML files, folders, URLs, versions of a package, or git refs
 * @throws FarmError
 */
export async function compareVersions(
  names: readonly string[],
  options: VersionsOptions,
  caller: MeasuringCaller,
): Promise<VersionsComparison> {
  const firstRound = checkFirstRound(options, caller);
  const whole = { ...withSuite(options), firstRound, access: readAccess(options) };
  return withVersions(names, whole, {
    caller,
    use: async (versions) =>
      measureVersions(await withAccess(versions, whole.access, whole.ca), whole, caller),
  });
}

type AskedOptions = VersionsOptions & { readonly asked: readonly Measure[] };

type WholeOptions = AskedOptions & { readonly firstRound: number; readonly access: Access };

/** The options with what their suite says; what its user says goes before it. */
function withSuite(options: VersionsOptions): AskedOptions {
  const { suite, measure, deadline } = options;
  if (suite === undefined) {
    return { ...options, asked: measure.map((text) => parseMeasure(text, options)) };
  }
  if (measure.length > 0) {
    throw new FarmError('bad-argument', {
      what: 'A suite defines what is measured, so --measure cannot be used with --suite.',
      next: 'Leave one of them out.',
    });
  }
  const reading = readingOfSuite(suite);
  return { ...reading, ...options, deadline: Math.max(deadline, suiteDeadlineMs) };
}

async function measureVersions(
  versions: readonly Version[],
  options: WholeOptions,
  caller: MeasuringCaller,
): Promise<VersionsComparison> {
  const names = versions.map(({ name }) => name);
  for (const name of identicalToFirst(versions)) {
    const unless = versions[0]?.kind === 'file' ? 'if nothing beside them differs, ' : '';
    const same = `${name} holds the same bytes as ${names[0] ?? ''}`;
    caller.say(`${same}: ${unless}this compares a page with itself`);
  }
  const presences = await findBrowsers(versions, options, caller);
  const found = presences.filter((presence) => presence.status === 'found');
  const [first] = found;
  if (first === undefined) throw noBrowser(presences);
  const { asked } = options;
  refuseOfUrls(versions, options);
  const probes = probesFor(asked, options);
  const visit = await visitOf(options);
  const offered = await lookAtVersions(
    { versions, asked, ...visit, despiteErrors: options.despiteErrors ?? false },
    { presence: first, options, caller },
  );
  const measures = withUniqueNames(offered.measures);
  const cases = versionCases(
    versionsBenchmark(offered.versions, { measures, ...visit, ...offered.course }),
  );
  const plan = planBlocks(cases, presences, options);
  const pairs = versionPairs(plan);
  const rules = { margin: options.margin, alpha: defaultAlpha };
  const watch = watchBlocks(plan, pairs, {
    ...rules,
    isOpen: untilWorseBy(options.worseBy ?? 0),
    budget: options.budget,
    judged: countingDisturbed,
  });
  const command = commandOf(versions, options, plan.seed);
  const watching = { ...options, ...probes };
  const order = { suite: versionsSuite, command, options: watching, enough: watch.enough };
  const { run, trials, interrupted } = await executePlan(plan, order, caller);
  const standing = watch.standing();
  return {
    ...rules,
    run,
    preset: findPreset(plan.measurement),
    versions: names,
    presences,
    entries: decideTable(countingDisturbed(trials), pairs, { ...rules, ...runCircumstances(plan) }),
    trials,
    byDefault: offered.byDefault,
    seed: plan.seed,
    command,
    interrupted,
    stopped: standing.kind === 'vanished' ? standing.reason : null,
  };
}

async function visitOf(options: VersionsOptions): Promise<Visit> {
  const { begin, network, warm, spa, isolation = true, input, acceptStatus = [] } = options;
  return {
    ...(acceptStatus.length > 0 && { acceptStatus }),
    ...(begin !== undefined && { begin }),
    ...(network !== undefined && { network }),
    ...(warm === true && { warm }),
    ...(spa === true && { spa }),
    ...(!isolation && { isolated: isolation }),
    ...(input !== undefined && { input: await readInput(input) }),
  };
}

/** A page at a URL comes from its own server. */
function refuseOfUrls(
  versions: readonly Version[],
  { network, isolation }: Pick<VersionsOptions, 'network' | 'isolation'>,
): void {
  if (isolation === false && versions.every(({ kind }) => kind === 'url')) {
    throw new FarmError('bad-argument', {
      what: '--no-isolation is about the farm’s own page server, and these pages come from others.',
      next: 'Leave it out: such pages have the headers of their servers.',
    });
  }
  const elsewhere = versions.find(({ kind }) => kind === 'url');
  if (network === undefined || elsewhere === undefined) return;
  throw new FarmError('bad-argument', {
    what: `--network is pretended by the farm's own page server, and ${elsewhere.name} comes from another.`,
    next: 'Give a folder with a copy of the page.',
  });
}

function planBlocks(
  cases: readonly Case[],
  presences: readonly Presence[],
  { seed, maxBlocks, firstRound, repeat, measurement }: WholeOptions,
): Plan {
  const found = presences.filter(({ status }) => status === 'found');
  return makePlan({
    seed: seed ?? randomInt(2 ** 32),
    isolation: 'session',
    blocks: maxBlocks,
    firstRound,
    measurement: chooseRules(measurement),
    presences,
    arms: found.flatMap(({ device }) => cases.map((one) => ({ deviceId: device.id, case: one }))),
    ...(repeat ? {} : { repeatQuarantined: false }),
  });
}

/** The probes that read what was asked for, and what others took from it, besides those that were named. */
function probesFor(
  asked: readonly Measure[],
  { probes, probe = [] }: Pick<VersionsOptions, 'probes' | 'probe'>,
): Pick<VersionsOptions, 'probe'> {
  const watched = asked.flatMap((one) => ('watched' in one ? [one.watched] : []));
  if (watched.includes('cpu-time') && !probes) {
    throw new FarmError('bad-argument', {
      what: 'CPU time is read by the probe of threads, and --no-probes leaves it out.',
      next: 'Leave out --no-probes, or --measure cpu.',
    });
  }
  const ofMemory = watched.some((one) => one !== 'cpu-time');
  return {
    probe: [
      ...new Set([
        ...probe,
        ...(ofMemory ? [memoryProbe] : []),
        ...(probes ? [mainThreadWait] : []),
      ]),
    ],
  };
}

async function findBrowsers(
  versions: readonly Version[],
  { inventory, database, browsers, input, ...conditions }: VersionsOptions,
  { loadDriver: load = loadDriver }: Pick<MeasuringCaller, 'loadDriver'>,
): Promise<readonly Presence[]> {
  const all = await findDevices(
    selectBrowsers(await loadDevices({ inventory, database }, browsers), browsers).map((device) =>
      throttled(device, conditions),
    ),
    load,
  );
  const able = all.map((one) => ableTo(one, { input, ...conditions }));
  const presences = await Promise.all(able.map((one) => letInTo(versions, one, load)));
  const missing = presences.find(({ status }) => status === 'missing');
  // One that was asked for by name is not left out in silence.
  if (browsers.length > 0 && missing?.status === 'missing') throw notFound(missing);
  return presences;
}

function notFound({ device, reason, remedy }: Extract<Presence, { status: 'missing' }>): FarmError {
  return new FarmError('no-device', {
    what: `${device.id} cannot be measured: ${reason}.`,
    next: remedy,
  });
}

function noBrowser(presences: readonly Presence[]): FarmError {
  const [first] = presences;
  if (first?.status === 'missing') return notFound(first);
  return new FarmError('no-device', {
    what: 'No browser is in the devices file.',
    next: `${npxCrossfarm} devices lists what there is; ${npxCrossfarm} setup installs browsers.`,
  });
}

function failOnOf({ worseBy }: Pick<VersionsOptions, 'worseBy'>): readonly string[] {
  if (worseBy === undefined) return [];
  return [`--fail-on slower${worseBy === 0 ? '' : `=${String(worseBy)}`}`];
}

/** The command that repeats it, order and all. */
function commandOf(versions: readonly Version[], options: WholeOptions, seed: number): string {
  const one = (name: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [`--${name} ${shellWord(value)}`];
  return [
    `${npxCrossfarm} compare ${versions.map(({ name }) => shellWord(name)).join(' ')}`,
    ...(options.browsers.length > 0 ? [`--browsers ${options.browsers.join(',')}`] : []),
    ...one('suite', options.suite),
    ...one('page', options.page),
    ...one('root', options.root),
    ...(options.spa === true ? ['--spa'] : []),
    ...one('build', options.build),
    ...accessArguments(versions, options),
    ...(options.submodules === true ? ['--submodules'] : []),
    ...options.measure.map((text) => `--measure ${shellWord(text)}`),
    ...one('begin', options.begin),
    ...one('input', options.input),
    ...one('network', options.network?.argument),
    ...(options.warm === true ? ['--warm'] : []),
    ...(options.acceptStatus ?? []).map((status) => `--accept-status ${String(status)}`),
    ...(options.despiteErrors === true ? ['--despite-errors'] : []),
    ...one('cpu-throttling', options.cpuThrottling?.toString()),
    ...(options.measure.length > 0 ? one('unit', options.unit) : []),
    ...(options.higher ? ['--higher'] : []),
    `--margin ${String(options.margin)}`,
    ...failOnOf(options),
    `--max-blocks ${String(options.maxBlocks)}`,
    ...probeArguments(options),
    ...(options.repeat ? [] : ['--no-repeat']),
    ...circumstancesOf(options),
    `--seed ${String(seed)}`,
  ].join(' ');
}

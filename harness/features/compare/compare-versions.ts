import { randomInt } from 'node:crypto';
import { loadDriver } from '../../../drivers/index.ts';
import { type TableEntry } from '../../core/analysis/decide.ts';
import { untilWorseBy } from '../../core/analysis/stopping.ts';
import { countingDisturbed } from '../../core/analysis/series.ts';
import { defaultAlpha } from '../../core/analysis/stats/verdict.ts';
import { versionPairs, versionsSuite } from '../../core/analysis/run-pairs.ts';
import { loadDevices } from '../../core/app/builds/build-devices.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { checkFirstRound, watchBlocks } from '../../core/app/run/block-watch.ts';
import { executePlan } from '../../core/app/run/execute-plan.ts';
import { FarmError } from '../../core/errors.ts';
import { type Case, type MeasurementPreset, findPreset } from '../../core/model/case.ts';
import type { Presence, MissingDevice } from '../../core/model/device.ts';
import { probeReading } from '../../core/model/measures.ts';
import type { Plan } from '../../core/model/plan.ts';
import { isDeclaredProbe, mainThreadWait } from '../../core/model/reading.ts';
import type { Trial } from '../../core/model/trial.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { chooseRules } from '../../core/plan/catalog/measurement.ts';
import { selectBrowsers } from '../../core/plan/inventory/inventory.ts';
import { makePlan } from '../../core/plan/plan.ts';
import { findDevices } from '../../core/setup/presence.ts';
import { type VersionsOptions, versionsCommand } from './options.ts';
import { type Access, readAccess } from './versions/access.ts';
import { versionCases, versionsBenchmark, type Visit } from './versions/benchmark.ts';
import { ableTo, throttled } from './versions/conditions.ts';
import { readInput } from './versions/input.ts';
import { describeLook } from './look-text.ts';
import { type Measure, parseMeasure, withUniqueNames } from './versions/measures.ts';
import { lookAtVersions } from './versions/pilot.ts';
import { identicalToFirst, type Version, withVersions } from './versions/resolve.ts';
import { letInTo, withAccess } from './versions/site-access.ts';
import { readingOfSuite, suiteDeadlineMs } from './versions/well-known.ts';

export interface VersionsComparison {
  readonly run: number;
  /** Left out where it was measured by the usual rules. */
  readonly preset?: MeasurementPreset | undefined;
  readonly versions: readonly string[];
  /** Browsers that were measured, and why the others were not. */
  readonly presences: readonly Presence[];
  /** Each metric of each version, compared with the first version, in each browser. */
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

/** The options, completed by those of their suite. */
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
  const [first] = presences.filter(({ status }) => status === 'found');
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
    onLook: (table, leftMs) =>
      caller.listener?.onLook?.({ lines: describeLook(table, { presences, ...rules }), leftMs }),
  });
  const command = versionsCommand(versions, options, plan.seed);
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
    entries: watch.decide(trials),
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
  const reading = asked.flatMap((one) => ('watched' in one ? [probeReading(one.watched)] : []));
  if (!probes && !reading.every(isDeclaredProbe)) {
    throw new FarmError('bad-argument', {
      what: 'CPU time is read by the probe of threads, and --no-probes leaves it out.',
      next: 'Leave out --no-probes, or --measure cpu.',
    });
  }
  return {
    probe: [
      ...new Set([
        ...probe,
        ...reading.filter(isDeclaredProbe),
        ...(probes ? [mainThreadWait] : []),
      ]),
    ],
  };
}

/** @throws FarmError `no-device` where a browser that was named cannot measure the versions. */
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

function notFound({ device, reason, remedy }: MissingDevice): FarmError {
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

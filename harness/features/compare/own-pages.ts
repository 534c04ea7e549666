import { loadDriver } from '../../../drivers/index.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { FarmError } from '../../core/errors.ts';
import type { Case } from '../../core/model/case.ts';
import { ownPageId } from '../../core/model/case-label.ts';
import type { Device, MissingDevice, Presence } from '../../core/model/device.ts';
import type { Trial } from '../../core/model/trial.ts';
import { probeReading } from '../../core/model/measures.ts';
import type {
  OwnPage as StoredPage,
  OwnPagePlaces,
  OwnPages as StoredPages,
} from '../../core/model/run.ts';
import { isDeclaredProbe, mainThreadWait } from '../../core/model/reading.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { findDevices } from '../../core/setup/presence.ts';
import type { PageOptions } from './options.ts';
import { type Access, accessArguments, readAccess } from './versions/access.ts';
import { versionCases, versionsBenchmark, type Visit } from './versions/benchmark.ts';
import { ableTo, throttled } from './versions/conditions.ts';
import { readInput } from './versions/input.ts';
import { type Measure, requireExpression, withUniqueNames } from './versions/measures.ts';
import { addressAt, readServer } from './versions/own-servers.ts';
import { announceLook, lookAtVersions, type OfferedVersions } from './versions/pilot.ts';
import {
  identicalToFirst,
  type NamedVersions,
  nameVersions,
  type Version,
  type VersionedPage,
  withFolders,
} from './versions/resolve.ts';
import { letInTo, withAccess } from './versions/site-access.ts';
import { describePage, pickPlaces } from './versions/stored-pages.ts';

/** Pages of one's own as cases, and the browsers to measure them in. */
export interface OwnPages {
  readonly versions: readonly Version[];
  /** Browsers that can measure them, and why the others cannot. */
  readonly presences: readonly Presence[];
  /** A case for each version. */
  readonly cases: readonly Case[];
  /** No page measures anything itself, and nothing was asked for: their load is measured. */
  readonly byDefault: boolean;
  readonly access: Access;
  /** Stored with their run, to find them again. */
  readonly stored: StoredPages;
  /** Probes that read what is measured, and what others took from it. */
  readonly probes: Pick<PageOptions, 'probe'>;
}

interface OwnPageOptions extends PageOptions, OwnPagePlaces {
  readonly asked: readonly Measure[];
  /** As `lookAtVersions` takes them. */
  readonly withLoad?: boolean;
  readonly looks?: Map<string, Trial>;
  readonly sharedBrowser?: boolean;
}

interface Using<T> {
  /** Loads the devices to measure in. */
  readonly devices: () => Promise<readonly Device[]>;
  /** True if they were named: one that cannot measure the pages is then not left out. */
  readonly areNamed: boolean;
  /** Checks what else there is to check, before a page is fetched or opened. */
  readonly check?: (presences: readonly Presence[]) => void;
  readonly caller: MeasuringCaller;
  readonly use: (pages: OwnPages) => Promise<T>;
}

/**
 * Makes pages of one's own cases: checks everything that can be checked before a page is fetched or
 * built, then opens each page once to see what there is to measure.
 * @throws FarmError `bad-argument`; `no-device` where a browser that was named cannot measure them
 */
export async function withOwnPages<T>(
  names: readonly string[],
  options: OwnPageOptions,
  { devices, areNamed, check, caller, use }: Using<T>,
): Promise<T> {
  const { asked, begin, despiteErrors = false, withLoad = false, looks } = options;
  const { sharedBrowser = false } = options;
  if (begin !== undefined) requireExpression(begin, '--begin');
  const access = readAccess(options);
  const probes = chooseProbes(asked, options);
  const named = await nameVersions(names, options, caller);
  const urls = await withAccess(listUrls(named, options), access, options.ca);
  refuseForUrls({ kinds: named.kinds, urls }, options);
  const visit = await readVisit(options);
  const presences = await findAble(await devices(), { urls, options, caller });
  const missing = presences.find(({ status }) => status === 'missing');
  if (areNamed && missing?.status === 'missing') throw notFound(missing);
  const first = presences.find(({ status }) => status === 'found');
  if (first === undefined) throw noBrowser(presences);
  check?.(presences);
  const exactOf = new Map<string, string>();
  const onExact = (name: string, exact: string): void => {
    exactOf.set(name, exact);
  };
  return withFolders(
    { ...named, urls },
    { ...options, onExact },
    {
      caller,
      use: async (placed, pages) => {
        const isServed = options.server !== undefined;
        const versions = isServed ? await withAccess(placed, access, undefined) : placed;
        describeIdentical(versions).forEach(caller.say);
        announceLook(versions, first).forEach(caller.say);
        const offers = [];
        for (const [index, one] of pages.entries()) {
          const offered = await lookAtVersions(
            {
              ...one,
              ...(isServed && { versions }),
              asked,
              ...visit,
              despiteErrors,
              withLoad,
              looks,
            },
            { presence: first, options, caller, sharedBrowser },
          );
          offers.push(makeCases(offered, one, { index, visit }));
        }
        const cases = offers.flatMap((one) => one.cases);
        const byDefault = offers.every((one) => one.byDefault);
        const described = offers.map((one) => one.described);
        const facts = { access, byDefault, pages: described, exactOf };
        const stored = describeStored(versions, options, facts);
        return use({ versions, presences, cases, byDefault, access, probes, stored });
      },
    },
  );
}

/** The cases of one page, and what describes it for its run. */
function makeCases(
  offered: OfferedVersions,
  one: VersionedPage,
  { index, visit }: { readonly index: number; readonly visit: Visit },
): Pick<OwnPages, 'cases' | 'byDefault'> & { readonly described: StoredPage } {
  const measures = withUniqueNames(offered.measures);
  const reading = { measures, page: one.page, ...visit, ...offered.course };
  const id = index === 0 ? ownPageId : `${ownPageId}-${String(index + 1)}`;
  const benchmark = { ...versionsBenchmark(offered.versions, reading), id };
  const described = describePage(benchmark, one, offered.sent);
  return { cases: versionCases(benchmark), byDefault: offered.byDefault, described };
}

interface StoredFacts extends Pick<StoredPages, 'byDefault' | 'pages'> {
  readonly access: Access;
  readonly exactOf: ReadonlyMap<string, string>;
}

function describeStored(
  versions: readonly Version[],
  options: OwnPageOptions,
  { access, exactOf, ...facts }: StoredFacts,
): StoredPages {
  return {
    from: options.from ?? process.cwd(),
    places: pickPlaces(options),
    versions: versions.map(({ name }) => ({ name, exact: exactOf.get(name) })),
    access: accessArguments(versions, { access }),
    ...facts,
  };
}

/** The pages at URLs; those of servers that are not yet started have no port yet. */
function listUrls(
  { kinds, urls }: NamedVersions,
  options: Pick<OwnPageOptions, 'server' | 'url' | 'ca'>,
): readonly Version[] {
  const server = readServer(options);
  if (server === null) return urls;
  if (options.ca !== undefined) {
    throw new FarmError('bad-argument', {
      what: '--ca looks at the certificate of a server that runs, and --server starts it later.',
      next: 'Use --insecure, which takes any certificate.',
    });
  }
  const url = addressAt(server.url, 1);
  return kinds.map(({ name }) => ({ name, kind: 'url', place: { kind: 'url', url } }));
}

function describeIdentical(versions: readonly Version[]): readonly string[] {
  const [first] = versions;
  return identicalToFirst(versions).map((name) => {
    const unless = first?.kind === 'file' ? 'if nothing beside them differs, ' : '';
    const same = `${name} holds the same bytes as ${first?.name ?? ''}`;
    return `${same}: ${unless}this compares a page with itself`;
  });
}

async function readVisit(options: PageOptions): Promise<Visit> {
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
function refuseForUrls(
  { kinds, urls: [elsewhere] }: NamedVersions,
  { network, isolation }: Pick<PageOptions, 'network' | 'isolation'>,
): void {
  if (isolation === false && kinds.every(({ kind }) => kind === 'url')) {
    throw new FarmError('bad-argument', {
      what: '--no-isolation is about the farm’s own page server, and these pages come from others.',
      next: 'Leave it out: such pages have the headers of their servers.',
    });
  }
  if (network === undefined || elsewhere === undefined) return;
  throw new FarmError('bad-argument', {
    what: `--network is pretended by the farm's own page server, and ${elsewhere.name} comes from another.`,
    next: 'Give a folder with a copy of the page.',
  });
}

/** The probes that read what was asked for, and what others took from it, besides those that were named. */
function chooseProbes(
  asked: readonly Measure[],
  { probes, probe = [] }: Pick<PageOptions, 'probes' | 'probe'>,
): Pick<PageOptions, 'probe'> {
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

interface Finding {
  readonly urls: readonly Version[];
  readonly options: PageOptions;
  readonly caller: Pick<MeasuringCaller, 'loadDriver'>;
}

/** Finds the devices, and why one cannot do what was asked for. */
async function findAble(
  devices: readonly Device[],
  { urls, options: { input, ...conditions }, caller: { loadDriver: load = loadDriver } }: Finding,
): Promise<readonly Presence[]> {
  const all = await findDevices(
    devices.map((device) => throttled(device, conditions)),
    load,
  );
  const able = all.map((one) => ableTo(one, { input, ...conditions }));
  return Promise.all(able.map((one) => letInTo(urls, one, load)));
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
    next: `${npxCrossfarm} devices lists what there is; ${npxCrossfarm} devices setup installs browsers.`,
  });
}

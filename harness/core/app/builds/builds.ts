import { errorText, FarmError } from '../../errors.ts';
import { fetchBuild } from '../../setup/builds/fetch-build.ts';
import {
  listOffers,
  newestOfEachMajor,
  type Offer,
  offeredProducts,
  nameOrigin,
} from '../../setup/builds/offers.ts';
import {
  type BuildSelector,
  isSelected,
  parseMajor,
  nameNearest,
  parseSelector,
} from '../../setup/builds/selector.ts';
import {
  buildsFolder,
  compareVersions,
  listBuilds,
  megabytes,
  removeBuild,
  removeHalves,
  type StoredBuild,
  defaultStoreBytes,
} from '../../setup/build-store.ts';
import type { Caller } from '../caller.ts';
import { askLive } from './live-version.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

export interface BuildsOptions {
  /** The store of builds lies next to it. */
  readonly database: string;
}

/** A build that is here, or that a registry has. */
export type KnownBuild = {
  /** Names it to `farm builds get`, and as a device. */
  readonly id: string;
  readonly browser: string;
  readonly version: string;
  readonly source: 'npm' | 'debian' | 'night';
  /** Its size on the disk; about, of npm's that are not here. */
  readonly bytes: number;
} & (
  | { readonly state: 'here'; readonly stored: StoredBuild }
  | { readonly state: 'available'; readonly offer: Offer }
);

export interface ListedBuilds {
  /** By browser and version, the oldest first. */
  readonly builds: readonly KnownBuild[];
  /** Why a registry said nothing. */
  readonly silent: readonly string[];
}

/** Lists the builds that are here, and unless `here` what the registries have: of each major version the newest. */
export async function listKnownBuilds(
  { database, here }: BuildsOptions & { readonly here: boolean },
  { signal }: Pick<Caller, 'signal'>,
): Promise<ListedBuilds> {
  const stored = await listBuilds(buildsFolder(database));
  const { offers, silent } = here ? { offers: [], silent: [] } : await listOffers({ signal });
  return { builds: known(stored, newestOfEachMajor(offers)), silent };
}

function known(stored: readonly StoredBuild[], offers: readonly Offer[]): readonly KnownBuild[] {
  const others = offers.filter((offer) => !stored.some((build) => isOf(build, offer)));
  const all = [...stored.map(fromStore), ...others.map(fromOffer)].sort(
    (one, other) =>
      one.browser.localeCompare(other.browser) || compareVersions(one.version, other.version),
  );
  const majorId = ({ browser, version }: Omit<KnownBuild, 'id'>): string =>
    `${browser}@${String(parseMajor(version))}`;
  return all.map((build) => {
    const isAlone = all.filter((one) => majorId(one) === majorId(build)).length === 1;
    return { ...build, id: isAlone ? majorId(build) : `${build.browser}@${build.version}` };
  });
}

/** True if a build in the store is the one of this offer. */
function isOf({ product, version, origin }: StoredBuild, offer: Offer): boolean {
  if (product !== offer.product) return false;
  // A build that a night kept has no origin, and may be another program of the same major version.
  if (origin === undefined) return version === offer.version;
  return origin === nameOrigin(offer) || `${version}.`.startsWith(`${offer.version}.`);
}

type Nameless = KnownBuild extends infer One
  ? One extends unknown
    ? Omit<One, 'id'>
    : never
  : never;

function fromStore(stored: StoredBuild): Nameless {
  const { product: browser, version, bytes, origin } = stored;
  const source = origin === undefined ? 'night' : origin.startsWith('debian:') ? 'debian' : 'npm';
  return { browser, version, source, bytes, state: 'here', stored };
}

function fromOffer(offer: Offer): Nameless {
  const { product: browser, version, source, bytes } = offer;
  return { browser, version, source, bytes, state: 'available', offer };
}

export interface GetOptions extends BuildsOptions {
  /** Most bytes of the whole store. */
  readonly keepBuilds?: number;
}

export interface GotBuilds {
  /** Those that were asked for, in order of versions; the ones that were here already, too. */
  readonly builds: readonly StoredBuild[];
  readonly failed: readonly { readonly id: string; readonly because: string }[];
}

/**
 * Fetches builds that are not here yet: `chromium@110`, `chromium@103..153`. It says first how much
 * that is. An unavailable one does not stop the others, except for a full disk; what is here whole
 * stays.
 * @throws FarmError `bad-argument` for an unknown version, with the nearest; `disk-full`
 */
export async function getBuilds(
  texts: readonly string[],
  options: GetOptions,
  caller: Caller,
): Promise<GotBuilds> {
  const folder = buildsFolder(options.database);
  await removeHalves(folder);
  const found = await findBuilds(texts.map(parseSelector), options, caller);
  const wanted = found.flatMap((one) => (one.state === 'available' ? [one.offer] : []));
  await checkSize(wanted, options);
  if (wanted.length > 0) caller.say(describeSize(wanted, folder));
  const builds: StoredBuild[] = [];
  const failed: { id: string; because: string }[] = [];
  for (const one of found) {
    try {
      builds.push(one.state === 'here' ? one.stored : await getBuild(one.offer, options, caller));
    } catch (error) {
      if (isOfAll(error)) throw error;
      failed.push({ id: one.id, because: errorText(error) });
      caller.say(errorText(error));
    }
  }
  return { builds, failed };
}

/**
 * Brings a build here, if it is not.
 * @throws FarmError `setup-failed` where it is not available, and those of `isOfAll`
 */
export async function takeBuild(
  build: KnownBuild,
  options: GetOptions,
  caller: Caller,
): Promise<StoredBuild> {
  if (build.state === 'here') return build.stored;
  await checkSize([build.offer], options);
  return getBuild(build.offer, options, caller);
}

/**
 * True if a failure to fetch a build concerns all builds: the disk or the store is full, or it was
 * interrupted.
 */
export function isOfAll(error: unknown): boolean {
  const codes: readonly unknown[] = ['disk-full', 'bad-argument', 'run-interrupted'];
  return !(error instanceof FarmError) || codes.includes(error.code);
}

async function getBuild(
  offer: Offer,
  { database }: BuildsOptions,
  { signal, say }: Caller,
): Promise<StoredBuild> {
  say(
    `${offer.product} ${offer.version}: fetching ${nameOrigin(offer)}, ${aboutBytes(offer, offer.downloadBytes)}`,
  );
  const build = await fetchBuild(offer, {
    folder: buildsFolder(database),
    now: new Date().toISOString(),
    signal,
    askLive: (unpacked) => askLive(unpacked, { database, signal }),
  });
  say(`${build.product} ${build.version} is here: ${megabytes(build.bytes)}`);
  return build;
}

function aboutBytes({ source }: Offer, bytes: number): string {
  return `${source === 'npm' ? 'about ' : ''}${megabytes(bytes)}`;
}

function describeSize(offers: readonly Offer[], folder: string): string {
  const sum = (of: (offer: Offer) => number): number =>
    offers.reduce((total, offer) => total + of(offer), 0);
  const about = offers.some(({ source }) => source === 'npm') ? 'about ' : '';
  return `${String(offers.length)} ${offers.length === 1 ? 'build' : 'builds'}: ${about}${megabytes(sum((one) => one.downloadBytes))} to fetch, then ${about}${megabytes(sum((one) => one.bytes))} in ${folder}`;
}

async function checkSize(
  offers: readonly Offer[],
  { database, keepBuilds = defaultStoreBytes }: GetOptions,
): Promise<void> {
  const stored = await listBuilds(buildsFolder(database));
  const taken = stored.reduce((sum, { bytes }) => sum + bytes, 0);
  const needed = offers.reduce((sum, { bytes }) => sum + bytes, 0);
  if (needed === 0 || taken + needed <= keepBuilds) return;
  throw new FarmError('bad-argument', {
    what: `The builds take some ${megabytes(needed)}; the store holds ${megabytes(taken)}, and may hold ${megabytes(keepBuilds)}.`,
    next: `Fetch fewer, remove some (${npxCrossfarm} engines remove), or allow more: --keep-builds ${String(Math.ceil((taken + needed) / 1e9))}GB, also for nights.`,
  });
}

/**
 * Finds the builds that selectors mean, each once, the oldest first: kept builds before offered
 * ones.
 * @throws FarmError `bad-argument` for an unknown version
 */
export async function findBuilds(
  selectors: readonly BuildSelector[],
  { database }: BuildsOptions,
  { signal, say }: Caller,
): Promise<readonly KnownBuild[]> {
  const stored = await listBuilds(buildsFolder(database));
  const isHere = (one: BuildSelector): boolean =>
    one.to === null && stored.some((build) => means(one, build.product, build.version));
  const { offers, silent } = selectors.every(isHere)
    ? { offers: [], silent: [] }
    : await listOffers(
        { signal },
        selectors.map(({ name }) => name),
      );
  for (const sentence of silent) say(sentence);
  const found = selectors.flatMap((selector) => {
    const ours = stored.filter(({ product, version }) => means(selector, product, version));
    const others = offers.filter(({ product, version }) => means(selector, product, version));
    const all = known(ours, newestOfEachMajor(others));
    const meant = selector.to === null ? preferred(all) : all;
    if (meant.length === 0) throw nobodyHas(selector, { stored, offers });
    return meant;
  });
  const keyOf = (one: KnownBuild): string =>
    one.state === 'here' ? one.stored.executable : nameOrigin(one.offer);
  return [...new Map(found.map((one) => [keyOf(one), one])).values()].sort(
    (one, other) =>
      one.browser.localeCompare(other.browser) || compareVersions(one.version, other.version),
  );
}

function means({ name, ...versions }: BuildSelector, product: string, version: string): boolean {
  return product === name && isSelected(version, { name, ...versions });
}

/** Of several builds that one name means: the newest that is here, or else the newest. */
function preferred(all: readonly KnownBuild[]): readonly KnownBuild[] {
  return (
    all.some(({ state }) => state === 'here') ? all.filter(({ state }) => state === 'here') : all
  ).slice(-1);
}

function nobodyHas(
  selector: BuildSelector,
  { stored, offers }: { stored: readonly StoredBuild[]; offers: readonly Offer[] },
): FarmError {
  const versions = [...stored, ...offers]
    .filter(({ product }) => product === selector.name)
    .map(({ version }) => version);
  const nearest = nameNearest(selector, versions);
  return new FarmError('bad-argument', {
    what: `${selector.text} is in no registry.`,
    next:
      nearest === ''
        ? `There are builds of ${offeredProducts.join(', ')}. All: ${npxCrossfarm} engines list`
        : `The nearest: ${nearest}. All: ${npxCrossfarm} engines list`,
  });
}

/** Removes builds from the store. @throws FarmError `bad-argument` where one is not there */
export async function removeBuilds(
  texts: readonly string[],
  { database }: BuildsOptions,
): Promise<readonly StoredBuild[]> {
  const folder = buildsFolder(database);
  const stored = await listBuilds(folder);
  const wanted = texts.map(parseSelector).flatMap((selector) => {
    const ours = stored.filter(({ product, version }) => means(selector, product, version));
    if (ours.length > 0) return ours;
    const here = stored.map(({ product, version }) => `${product}@${version}`);
    throw new FarmError('bad-argument', {
      what: `${selector.text} is not here.`,
      next: here.length === 0 ? `No build is in ${folder}.` : `Here are ${here.join(', ')}.`,
    });
  });
  const each = [...new Set(wanted)];
  for (const build of each) await removeBuild(folder, build);
  return each;
}

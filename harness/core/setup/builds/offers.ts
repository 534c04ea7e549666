import { z } from 'zod';
import { errorText } from '../../errors.ts';
import { compareVersions } from '../build-store.ts';
import { findOnPath } from '../executable.ts';
import { askClient, type Asking, refuseInterrupted } from './client.ts';
import { parseMajor } from './selector.ts';

/** A package of a registry, and what it has to be. */
export interface OfferedPackage {
  readonly name: string;
  readonly version: string;
  /** As the registry says it: `sha512-…` in base 64, or `sha256:…` in hexadecimal digits. */
  readonly integrity: string;
}

/** A build that a registry holds. */
export interface Offer {
  readonly product: string;
  /** As far as the registry tells it: of npm's Chromium the major number, the rest is known when it runs. */
  readonly version: string;
  readonly source: 'npm' | 'debian';
  readonly packages: readonly [OfferedPackage, ...OfferedPackage[]];
  /**
   * The sizes of the download and on the disk; npm does not say, so that of its packages is a rule
   * of thumb.
   */
  readonly downloadBytes: number;
  readonly bytes: number;
}

export interface Offers {
  readonly offers: readonly Offer[];
  /** Why a registry said nothing: one sentence each. */
  readonly silent: readonly string[];
}

/** Names a build where it came from: two offers with one origin are one build. */
export function nameOrigin({ source, packages: [{ name, version }] }: Offer): string {
  return `${source}:${name}@${version}`;
}

/** Sources of builds, by product. */
const sources = [
  { products: ['chromium'], ask: npmChromium },
  { products: ['node'], ask: npmNode },
  { products: ['chromium', 'firefox'], ask: debianBrowsers },
];

/** Products of which registries have builds. */
export const offeredProducts: readonly string[] = [
  ...new Set(sources.flatMap(({ products }) => products)),
];

/**
 * Asks every registry that has builds of these products, and that this machine has a client of. One that
 * does not answer silences no other.
 */
export async function listOffers(
  asking: Asking,
  products: readonly string[] = offeredProducts,
): Promise<Offers> {
  const asked = sources.filter((source) => source.products.some((one) => products.includes(one)));
  const answers = await Promise.allSettled(asked.map(({ ask }) => ask(asking)));
  refuseInterrupted(asking.signal);
  return {
    offers: answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])),
    silent: answers.flatMap((one) => (one.status === 'rejected' ? [errorText(one.reason)] : [])),
  };
}

/** Of each product and major version the newest, in order of versions; npm's before the distribution's. */
export function newestOfEachMajor(offers: readonly Offer[]): readonly Offer[] {
  const best = new Map<string, Offer>();
  for (const offer of offers) {
    const key = `${offer.product} ${String(parseMajor(offer.version))}`;
    const other = best.get(key);
    if (other === undefined || isNewer(offer, other)) best.set(key, offer);
  }
  return [...best.values()].sort(
    (one, other) =>
      one.product.localeCompare(other.product) || compareVersions(one.version, other.version),
  );
}

function isNewer(one: Offer, other: Offer): boolean {
  const versionOf = ({ packages: [{ version }] }: Offer): string => version;
  return one.source === other.source && compareVersions(versionOf(one), versionOf(other)) > 0;
}

const packument = z.object({ version: z.string(), 'dist.integrity': z.string() });
const packuments = z.union([z.array(packument), packument.transform((one) => [one])]);

/** Versions of a package with their checksums, by npm itself: its configuration names the registry. */
async function npmVersions(
  name: string,
  range: string,
  asking: Asking,
): Promise<readonly OfferedPackage[]> {
  // npm's own patience is minutes, which a list is not worth.
  const bounds = ['--fetch-retries=1', '--fetch-retry-mintimeout=500', '--fetch-timeout=20000'];
  const fields = ['version', 'dist.integrity', '--json'];
  const text = await askClient(['npm', 'view', `${name}@${range}`, ...fields, ...bounds], {
    ...asking,
    timeoutMs: 60_000,
  });
  return packuments.parse(JSON.parse(text)).map((one) => ({
    name,
    version: one.version,
    integrity: one['dist.integrity'],
  }));
}

const isLinuxOnIntel = process.platform === 'linux' && process.arch === 'x64';

/** Headless shells for servers, made for Linux on x64: package version 110.0.1 holds a Chromium 110. */
async function npmChromium(asking: Asking): Promise<readonly Offer[]> {
  if (!isLinuxOnIntel) return [];
  const versions = await npmVersions('@sparticuz/chromium', '>=0', asking);
  return versions.map((one) => ({
    product: 'chromium',
    version: String(parseMajor(one.version)),
    source: 'npm',
    packages: [one],
    downloadBytes: 67e6,
    bytes: 190e6,
  }));
}

/** Node.js as its makers publish it, one package a platform. */
async function npmNode(asking: Asking): Promise<readonly Offer[]> {
  if (process.platform === 'win32') return [];
  const name = `node-${process.platform}-${process.arch}`;
  const versions = await npmVersions(name, '>=8', asking);
  return versions.map((one) => ({
    product: 'node',
    version: one.version,
    source: 'npm',
    packages: [one],
    downloadBytes: parseMajor(one.version) < 16 ? 18e6 : 45e6,
    bytes: parseMajor(one.version) < 16 ? 60e6 : 115e6,
  }));
}

/** The packages of a distribution's build, the one with the program first. */
const debianParts: Readonly<Record<string, readonly [string, ...string[]]>> = {
  chromium: ['chromium', 'chromium-common'],
  firefox: ['firefox-esr'],
};

/** The versions in Debian's archives, by the package lists here. */
async function debianBrowsers(asking: Asking): Promise<readonly Offer[]> {
  if (findOnPath(['apt-cache']) === null || findOnPath(['dpkg']) === null) return [];
  const names = Object.values(debianParts).flat();
  const text = await askClient(['apt-cache', 'show', ...names], asking);
  const paragraphs = text.split('\n\n').map(fieldsOf);
  return Object.entries(debianParts).flatMap(([product, parts]) => {
    const ours = paragraphs.filter((fields) => parts.includes(field(fields, 'Package')));
    const versions = new Set(ours.map((fields) => field(fields, 'Version')));
    return [...versions].flatMap((version) => {
      const whole = parts.flatMap(
        (part) =>
          ours.find((one) => field(one, 'Package') === part && field(one, 'Version') === version) ??
          [],
      );
      return whole.length < parts.length ? [] : debianOffer(product, whole);
    });
  });
}

type Fields = ReadonlyMap<string, string>;

/** The fields of one paragraph of deb822(5). */
function fieldsOf(paragraph: string): Fields {
  return new Map(
    Array.from(paragraph.matchAll(/^([A-Za-z0-9-]+): (.*)$/gm), ([, key = '', value = '']) => [
      key,
      value,
    ]),
  );
}

function field(fields: Fields, key: string): string {
  return fields.get(key) ?? '';
}

function debianOffer(product: string, whole: readonly Fields[]): readonly Offer[] {
  const [first, ...others] = whole.map((fields) => ({
    name: field(fields, 'Package'),
    version: field(fields, 'Version'),
    integrity: `sha256:${field(fields, 'SHA256')}`,
  }));
  const version = /\d+(?:\.\d+)+\w*/.exec(first?.version ?? '')?.[0];
  if (first === undefined || version === undefined) return [];
  const sum = (key: string): number =>
    whole.reduce((total, fields) => total + Number(field(fields, key)), 0);
  return [
    {
      product,
      version,
      source: 'debian',
      packages: [first, ...others],
      downloadBytes: sum('Size'),
      bytes: sum('Installed-Size') * 1024,
    },
  ];
}

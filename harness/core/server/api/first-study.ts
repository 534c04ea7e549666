import type { Place } from '../../model/history.ts';

/** The first study's words for what it filtered by, and how it said results. Pure. */

export interface FirstStudyQuery {
  readonly mode?: string | undefined;
  readonly browser?: string | undefined;
  readonly os?: string | undefined;
  readonly num_cores?: string | undefined;
  readonly max_n?: string | undefined;
  readonly with_worker?: string | undefined;
}

/** One measurement as the study showed it. */
export interface RawBenchmark {
  readonly id: number;
  readonly browser: string;
  readonly os: string;
  readonly num_cores: number | null;
  readonly n: number;
  /** ms */
  readonly duration: number;
}

/** The study's names of browsers, where the mobile one has another name. */
const browserNames: Readonly<Record<string, readonly [desktop: string, mobile: string]>> = {
  chromium: ['Chromium', 'Chrome Mobile'],
  chrome: ['Chrome', 'Chrome Mobile'],
  edge: ['Edge', 'Edge Mobile'],
  firefox: ['Firefox', 'Firefox Mobile'],
  safari: ['Safari', 'Mobile Safari'],
  samsung: ['Samsung Mobile', 'Samsung Mobile'],
  webkit: ['WebKit', 'WebKit'],
  webkitgtk: ['WebKitGTK', 'WebKitGTK'],
  node: ['Node.js', 'Node.js'],
  deno: ['Deno', 'Deno'],
  bun: ['Bun', 'Bun'],
};

const systemNames: Readonly<Record<string, string>> = {
  linux: 'Linux',
  macos: 'Mac OS X',
  windows: 'Windows',
  android: 'Android',
  ios: 'iOS',
};

type Target = Pick<
  Place,
  'browser' | 'deviceName' | 'family' | 'version' | 'os' | 'system' | 'cores'
>;

/** A program has no product that is known: it goes by the name that its owner gave it, as Brave does. */
function browserOf({ browser, deviceName, version, os }: Target): string {
  const own = browser === 'program' ? deviceName : browser;
  const [desktop, mobile] = browserNames[browser] ?? [own, own];
  const name = os === 'android' || os === 'ios' ? mobile : desktop;
  return version === null ? name : `${name} ${version}`;
}

/**
 * A name and its version, such as `Windows 10.0.22631`; where the name is another one than the study's, in
 * brackets: `Linux (Debian GNU/Linux 12)`. The study knew one Linux by its own name.
 */
function systemOf({ os, system }: Target): string {
  const name = systemNames[os] ?? os;
  if (system === null) return name;
  // As Windows calls itself since 1993.
  const own = system.replace(/^Windows_NT\b/, 'Windows');
  return own.startsWith(name) || own.startsWith('Ubuntu') ? own : `${name} (${own})`;
}

export function rawOf(
  target: Target,
  { trial, n, duration }: { readonly trial: number; readonly n: number; readonly duration: number },
): RawBenchmark {
  return {
    id: trial,
    browser: browserOf(target),
    os: systemOf(target),
    num_cores: target.cores,
    n,
    duration,
  };
}

/** Names that begin with one of these, and with none of those. */
interface Beginnings {
  readonly of: readonly string[];
  readonly not?: readonly string[];
}

/** Its Edge was none yet. */
const basedOnChromium = ['chromium', 'chrome', 'opera', 'uc browser', 'samsung mobile', 'edge'];

/** The study compared beginnings: `chrome` must not be `Chrome Mobile`. */
const browserFilters: Readonly<Record<string, Beginnings>> = {
  'chromium based': { of: basedOnChromium },
  'firefox based': { of: ['firefox'] },
  chrome: { of: ['chrome'], not: ['chrome mobile'] },
  firefox: { of: ['firefox'], not: ['firefox mobile', 'firefox ios'] },
  'firefox mobile': { of: ['firefox mobile', 'firefox ios'] },
  opera: { of: ['opera'], not: ['opera mobile'] },
};

const systemFilters: Readonly<Record<string, Beginnings>> = {
  linux: { of: ['linux', 'ubuntu'] },
};

/** True if the study would have counted a target's results. */
export function isWanted(target: Target, asked: FirstStudyQuery): boolean {
  // No number of cores is 0, so the study took it for no choice.
  const cores = numberOf(asked.num_cores) || null;
  // A system has a name in the study, its own name (`debian`), and one here (`macos`).
  const systems = [systemOf(target), target.system ?? '', target.os];
  return (
    (fits([browserOf(target)], asked.browser, browserFilters) || isOfFamily(target, asked)) &&
    fits(systems, asked.os, systemFilters) &&
    (cores === null || target.cores === cores)
  );
}

function isOfFamily({ family }: Target, { browser = '' }: FirstStudyQuery): boolean {
  return family !== null && family.replace('-', ' ') === browser.toLowerCase();
}

function fits(
  names: readonly string[],
  wanted: string | undefined,
  filters: Readonly<Record<string, Beginnings>>,
): boolean {
  if (!isChosen(wanted)) return true;
  const asked = wanted.toLowerCase();
  const own = Object.hasOwn(filters, asked) ? filters[asked] : undefined;
  const { of, not = [] } = own ?? { of: [asked] };
  const begins = (beginning: string): boolean =>
    names.some((name) => name.toLowerCase().startsWith(beginning));
  return of.some(begins) && !not.some(begins);
}

function isChosen(value: string | undefined): value is string {
  return value !== undefined && value !== '' && value !== 'undefined';
}

/** As leniently as the study read it: other text than a number is no choice. */
function numberOf(value: string | undefined): number | null {
  const number = Number.parseInt(value ?? '', 10);
  return Number.isSafeInteger(number) ? number : null;
}

/** As the study listed them. */
export function newestFirst(rows: readonly RawBenchmark[]): readonly RawBenchmark[] {
  return rows.toSorted((one, other) => other.id - one.id);
}

/** Means and minima stopped at n = 45 unless something else was asked for. */
const usualMaxN = 45;

/** So much is read at most: the newest runs' trials. The study had no pages, and far fewer rows. */
const most = { raw: 10_000, pooled: 50_000 };

export interface Limits {
  readonly maxN: number | null;
  readonly place: Readonly<Record<string, string>>;
  readonly limit: number;
}

export function limits({ mode, max_n, with_worker }: FirstStudyQuery): Limits {
  const pooled = mode === 'avg' || mode === 'min';
  const places: Readonly<Record<string, string>> = { true: 'worker', false: 'main' };
  const place = places[with_worker ?? ''];
  return {
    maxN: numberOf(max_n) ?? (pooled ? usualMaxN : null),
    place: place === undefined ? {} : { place },
    limit: pooled ? most.pooled : most.raw,
  };
}

export function averages(rows: readonly RawBenchmark[]): Readonly<Record<string, string>> {
  return byN(rows, (values) => values.reduce((sum, value) => sum + value, 0) / values.length);
}

export function minima(rows: readonly RawBenchmark[]): Readonly<Record<string, string>> {
  return byN(rows, (values) => values.reduce((least, value) => Math.min(least, value), Infinity));
}

/**
 * By n, as texts of four significant digits. The study's database rounded to two decimals of a
 * millisecond, which leaves nothing of a call of microseconds.
 */
function byN(
  rows: readonly RawBenchmark[],
  pool: (values: readonly number[]) => number,
): Readonly<Record<string, string>> {
  const groups = new Map<number, number[]>();
  for (const { n, duration } of rows) {
    const group = groups.get(n);
    if (group === undefined) groups.set(n, [duration]);
    else group.push(duration);
  }
  const sorted = [...groups].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    sorted.map(([n, values]) => [String(n), String(Number(pool(values).toPrecision(4)))]),
  );
}

import { sum } from 'simple-statistics';
import type { GuestReader } from '../../../pages/protocol.d.ts';
import type { DeclaredProbe, ProbeName, Reading } from './reading.ts';

/**
 * The names of `--measure`: their one declaration, for the command line, the reading of pages and
 * browsers, and the checks of results.
 */

/** The probe of the browser's memory. */
export const memoryProbe = 'memory' as DeclaredProbe;

interface NamedMeasure {
  readonly title: string;
  readonly unit: string;
  /** Every browser gives it. */
  readonly everywhere?: true;
  /** Time between two moments: no trial is shorter. */
  readonly elapsed?: true;
  /** Of a whole page, which does less when a part of it fails. */
  readonly ofWholePage?: true;
  /** It ends with a frame, so that it depends on what draws. */
  readonly drawn?: true;
}

/** A number that the page is asked for. */
interface NamedPageMeasure extends NamedMeasure {
  readonly reader: GuestReader;
}

/** A number of the whole browser, which a probe reads. */
interface NamedBrowserMeasure extends NamedMeasure {
  /** Its name in a benchmark. */
  readonly watched: string;
  readonly probe: ProbeName;
  /** Null where the machine does not show it. */
  readonly read: (reading: Reading) => number | null;
}

const elapsedMs = { unit: 'ms', elapsed: true } as const;

export const measuresOfPages: Readonly<Record<string, NamedPageMeasure>> = {
  bench: {
    ...elapsedMs,
    title: 'bench.start() to bench.stop()',
    reader: { by: 'bench' },
    everywhere: true,
  },
  load: {
    ...elapsedMs,
    title: 'load',
    reader: { by: 'load' },
    everywhere: true,
    ofWholePage: true,
  },
  fp: {
    ...elapsedMs,
    title: 'first paint',
    drawn: true,
    reader: { by: 'paint', name: 'first-paint' },
    ofWholePage: true,
  },
  fcp: {
    ...elapsedMs,
    title: 'first contentful paint',
    drawn: true,
    reader: { by: 'paint', name: 'first-contentful-paint' },
    ofWholePage: true,
  },
  lcp: {
    ...elapsedMs,
    title: 'largest contentful paint',
    drawn: true,
    reader: { by: 'paint', name: 'largest-contentful-paint' },
    ofWholePage: true,
  },
  cls: { title: 'layout shift', unit: 'score', reader: { by: 'layout-shift' } },
  tbt: {
    ...elapsedMs,
    title: 'blocked by long tasks',
    reader: { by: 'long-tasks' },
    ofWholePage: true,
  },
  inp: {
    ...elapsedMs,
    title: 'interaction to next paint',
    drawn: true,
    reader: { by: 'interaction' },
  },
  transferred: {
    title: 'transferred',
    unit: 'kB',
    reader: { by: 'transferred' },
    ofWholePage: true,
  },
  heap: { title: 'JavaScript heap', unit: 'MB', reader: { by: 'heap' }, ofWholePage: true },
};

/** Of other metrics those about frames, by their name or unit: `longest-frame-gap`, `fps`. */
const ofFrames = /(^|[^a-z])(fps|frames?)([^a-z]|$)/i;

/**
 * True if a metric depends on what draws the page. A named step of an input does not: within a page it
 * ends on the main thread, in the task after its frame (`guest-quiet.js`, `timeUntilPaint`), which
 * waits for no pixel. What a page measures itself may end with a paint or not: nothing says so.
 */
export function isDrawn({ id, unit }: { readonly id: string; readonly unit: string }): boolean {
  return measuresOfPages[id]?.drawn === true || ofFrames.test(`${id} ${unit}`);
}

const ofBrowsers = {
  memory: {
    title: 'memory, at most',
    unit: 'MB',
    watched: 'memory-peak',
    probe: memoryProbe,
    read: (reading) => numberIn(reading, 'peak'),
  },
  'memory-end': {
    title: 'memory at the end',
    unit: 'MB',
    watched: 'memory-end',
    probe: memoryProbe,
    read: (reading) => numberIn(reading, 'end'),
  },
  cpu: {
    title: 'CPU time',
    unit: 's',
    watched: 'cpu-time',
    probe: 'cpu-thread',
    read: (reading) =>
      'threads' in reading ? sum(reading.threads.map(({ cpuMs }) => cpuMs)) / 1e3 : null,
  },
} as const satisfies Readonly<Record<string, NamedBrowserMeasure>>;

export const measuresOfBrowsers: Readonly<Record<string, NamedBrowserMeasure>> = ofBrowsers;

/** A probe's reading of the whole browser while a foreign page runs. */
export type WatchedValue = (typeof ofBrowsers)[keyof typeof ofBrowsers]['watched'];

/** Reads a value of a declared probe. */
function numberIn(reading: Reading, name: string): number | null {
  const value = 'values' in reading ? reading.values[name]?.value : null;
  return typeof value === 'number' ? value : null;
}

/** Names the probe that reads this value. */
export function probeReading(watched: WatchedValue): ProbeName {
  return declarationOf(watched).probe;
}

/** Reads this value of the whole browser; null where no probe has it. */
export function readWatched(watched: WatchedValue, readings: readonly Reading[]): number | null {
  const { probe, read } = declarationOf(watched);
  const reading = readings.find((one) => one.probe === probe);
  return reading === undefined ? null : read(reading);
}

function declarationOf(watched: WatchedValue): NamedBrowserMeasure {
  const found = Object.values(measuresOfBrowsers).find((one) => one.watched === watched);
  if (found === undefined) throw new TypeError(`no measure is ${watched}`);
  return found;
}

/** Every name that `--measure` takes. */
export const measureNames: readonly string[] = [
  ...Object.keys(measuresOfPages),
  ...Object.keys(measuresOfBrowsers),
];

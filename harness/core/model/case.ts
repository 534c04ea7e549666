import type {
  GuestCourse,
  GuestReader,
  MeasurementRules,
  ParameterValue,
  Parameters,
  SegmentRules,
} from '../../../pages/protocol.d.ts';
import type { SiteAccess } from '../../../drivers/driver.ts';
import type { Host } from './device.ts';
import type { WatchedValue } from './measures.ts';

/**
 * A way of measuring that takes the place of a suite's own rules. `fast` is a smoke test: one call, a
 * window of 20 ms, no search for a steady state, no wait for a quiet machine, no excluded trial. Its
 * results are never pooled with others.
 */
export type MeasurementPreset = 'fast';

export type {
  GuestCourse,
  GuestReader,
  MeasurementRules,
  ParameterValue,
  Parameters,
  SegmentRules,
};

/** A benchmark has at most this many metrics: a well-known suite has one for each subtest. */
export const mostMetrics = 100;

/** Metrics that browsers round, by id, with the step in milliseconds: W3C Event Timing. */
export const roundedTo: Readonly<Record<string, number>> = { inp: 8 };

/** A named value that a benchmark reports. */
export interface Metric {
  readonly id: string;
  readonly title: string;
  /** ms, µs, count, … A number never travels without it. */
  readonly unit: string;
  /** Which way is better. */
  readonly direction: 'lower' | 'higher';
  /** Some hosts or cases cannot give it. */
  readonly optional?: boolean;
}

/** Seconds per unit of time; other units are not in it. */
export const secondsPer: Readonly<Record<string, number>> = { ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1 };

/** A named input of a benchmark: a closed list of values, or a range of integers. */
export type Parameter =
  | {
      readonly kind: 'choice';
      readonly name: string;
      readonly values: readonly ParameterValue[];
      readonly default: ParameterValue;
      /** Values that not every host of the benchmark has, and those that have them. */
      readonly hosts?: Readonly<Record<string, readonly Host[]>>;
    }
  | {
      readonly kind: 'integer';
      readonly name: string;
      readonly minimum: number;
      readonly maximum: number;
      readonly default: number;
    };

export interface Growth {
  readonly over: string;
  readonly by: string;
  /** Factor by which the work grows per step of `over`, for those values of `by` of which it is known. */
  readonly theory?: Readonly<Record<string, TheoryOfGrowth>>;
}

export interface TheoryOfGrowth {
  readonly perStep: number;
  /** Usual name of that number, such as φ. */
  readonly label: string;
}

/** Cost by the first metric: one value of `by` relative to `base`, as the work grows. */
export interface Crossover {
  /** The parameter that is the amount of work. */
  readonly over: string;
  readonly by: string;
  readonly base: ParameterValue;
}

/** Where a page that is not ours lies. */
export type ExternalPlace =
  | {
      readonly kind: 'folder';
      readonly folder: string;
      readonly page: string;
      /** Folders that also serve its files, for names that it lacks. */
      readonly beside?: readonly string[];
    }
  | {
      readonly kind: 'url';
      readonly url: string;
      readonly access?: SiteAccess;
      /** Where the first look was led: a trial that is led elsewhere sees another page. */
      readonly leadsTo?: readonly string[];
    };

/** The network between a page of a folder and its browser, as the farm's page server pretends it. */
export interface NetworkCondition {
  /** Of a round trip, which each request waits for. */
  readonly latencyMs: number;
  /** Of all answers together. */
  readonly kbitPerSecond: number;
}

/**
 * Input to a page as by a person: a click on the element of a CSS selector, text typed into it (or
 * into the focus), a key pressed by its name, the wheel turned down by CSS pixels, a wait for an
 * element, or a wait in milliseconds. A named click or key is timed until the next paint, and any that
 * leads to another address until that is painted.
 */
export type InputStep =
  | { readonly click: string; readonly name?: string | undefined }
  | { readonly type: string; readonly into?: string | undefined }
  | { readonly press: string; readonly name?: string | undefined }
  | { readonly scroll: number }
  | { readonly waitFor: string }
  | { readonly wait: number };

/** A foreign page: its place, its start, and the way to read its results. */
export interface ExternalPage extends GuestCourse {
  /** By the value of the parameter `version`; a page of which there is one version has one place. */
  readonly places: readonly { readonly version?: string; readonly place: ExternalPlace }[];
  /** The farm's own when left out: as fast as it is. */
  readonly network?: NetworkCondition;
  /** It is opened once before, in the same session, so that its files are in the browser's cache. */
  readonly warm?: true;
  /** The index of its folder is the page at every address that names no file. */
  readonly spa?: true;
  /** Its folder is served without the headers that isolate it from other origins. */
  readonly isolated?: false;
  /** Answers of 400 and above that are a page all the same; every other one fails its trial. */
  readonly acceptStatus?: readonly number[];
  /** An expression that begins its work; it begins by itself when left out. */
  readonly begin?: string;
  /** Done when it has loaded and is quiet, before its results are read. */
  readonly input?: readonly InputStep[];
  /** By metric. */
  readonly readers: Readonly<Record<string, GuestReader>>;
  /** By metric: the longest wait after the load, in milliseconds, where not every load gives it. */
  readonly waits?: Readonly<Record<string, number>>;
  /** By metric: what the farm itself reads of the whole browser. */
  readonly watched?: Readonly<Record<string, WatchedValue>>;
  /** Its trials count what the page offers, these among it, instead of measuring it. */
  readonly discover?: readonly GuestReader[];
}

/** A folder of `pages/` with an id, a version and declared metrics. */
export interface Benchmark {
  readonly id: string;
  /** Raised whenever a change of the page may change its numbers; results of two versions are never pooled. */
  readonly version: number;
  readonly title: string;
  readonly description: string;
  /** Page, relative to the benchmark's folder. */
  readonly page: string;
  /** Where it can run; in browsers alone when left out. */
  readonly hosts?: readonly Host[];
  readonly parameters: readonly Parameter[];
  readonly metrics: readonly Metric[];
  /** Draw the first metric over parameter `over`, one curve for each value of `by`. */
  readonly growth?: Growth;
  /** Find the amount of work at which each value of one parameter begins to beat its base. */
  readonly crossover?: Crossover;
  /** The first metric should equal this parameter, which is given in this unit: the farm tests itself. */
  readonly truth?: { readonly parameter: string; readonly unit: string };
  /** Its page is not ours; `page` then says nothing. Not stored: the suite gives it again. */
  readonly guest?: ExternalPage;
}

/** Benchmark × one value of each parameter. */
export interface Case {
  readonly benchmark: Benchmark;
  readonly parameters: Parameters;
  /** Runs only there, though its benchmark runs on other hosts, too: a suite may want it so. */
  readonly hosts?: readonly Host[];
}

/** Where the external page of a case lies, and the name of that place; null for a page of ours. */
export function findExternalPlace({
  benchmark: { id, guest },
  parameters,
}: Case): { readonly mount: string; readonly place: ExternalPlace } | null {
  if (guest === undefined) return null;
  const index = guest.places.findIndex(({ version }) => version === parameters['version']);
  const place = guest.places[index]?.place;
  if (place === undefined) throw new TypeError(`${id} is nowhere`);
  return { mount: guest.places.length === 1 ? id : `${id}-${String(index)}`, place };
}

/** Where a case is to run: where it can, and its suite wants it. */
export function listHosts(one: Case): readonly Host[] {
  return listPossibleHosts(one).filter((host) => one.hosts?.includes(host) ?? true);
}

/** Where a case can run: where its benchmark can, and each value of its parameters. */
export function listPossibleHosts({ benchmark, parameters }: Case): readonly Host[] {
  return (benchmark.hosts ?? ['browser']).filter((host) =>
    benchmark.parameters.every((parameter) => {
      if (parameter.kind !== 'choice') return true;
      return parameter.hosts?.[String(parameters[parameter.name])]?.includes(host) ?? true;
    }),
  );
}

/** The preset that rules are of; undefined for the rules of a suite. */
export function findPreset(rules: MeasurementRules): MeasurementPreset | undefined {
  return 'fast' in rules ? 'fast' : undefined;
}

/** Says of a run what its preset means for its numbers. */
export function presetNote(preset: MeasurementPreset): string {
  return `measured by the preset ${preset}: a smoke test, whose durations decide nothing`;
}

export type Isolation = 'session' | 'page';

/** A named set of cases, with how to measure them. */
export interface Suite {
  readonly id: string;
  readonly title: string;
  /** Kinds of devices that are measured when none is named; browsers when left out. */
  readonly hosts?: readonly Host[];
  readonly isolation: Isolation;
  /** Blocks to run: each holds one trial of every case on every target. */
  readonly trials: number;
  /** Of one trial, if it is longer than the usual one. */
  readonly deadlineMs?: number;
  readonly measurement: MeasurementRules;
  readonly cases: readonly Case[];
}

/** Canonical name of a case: `fib function=asyncFib n=20 place=worker`, parameters in declared order. */
export function caseName(one: Case): string {
  const values = one.benchmark.parameters.map((p) => `${p.name}=${String(one.parameters[p.name])}`);
  return [one.benchmark.id, ...values].join(' ');
}

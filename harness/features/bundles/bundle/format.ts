import type { Isolation } from '../../../core/model/case.ts';
import type { Browser, Device } from '../../../core/model/device.ts';
import type { Question } from '../../../core/model/question.ts';
import type { Machine } from '../../../core/model/run.ts';
import type { Trial } from '../../../core/model/trial.ts';

/**
 * The newest format, raised whenever an older farm could not read what a newer one writes; bundles of
 * older formats are read. 2: trials have `node` and `clock`. 3: trials have readings of declared probes;
 * a bundle without any is written in format 2.
 */
export const bundleFormat = 3;

/** Entries of a bundle, except those of `pages/`. */
export const manifestName = 'bundle.json';
export const trialsName = 'trials.json';
export const evidenceName = 'evidence.html';
export const readMeName = 'README.txt';
export const pagesPrefix = 'pages/';

/** Limits of an untrusted file. */
export interface BundleLimits {
  /** Of the file itself. */
  readonly archiveBytes: number;
  readonly entries: number;
  /** Of one entry, unpacked, by what really comes out of it. */
  readonly entryBytes: number;
  /** Of all entries together, unpacked. */
  readonly totalBytes: number;
}

/**
 * The largest run seen, 100 blocks of six lanes with every default reading, made a `trials.json` of some 20
 * MB, which packs to a tenth. Written files keep to the same limits as files that are read.
 */
export const bundleLimits: BundleLimits = {
  archiveBytes: 48 * 2 ** 20,
  entries: 1_000,
  entryBytes: 64 * 2 ** 20,
  totalBytes: 128 * 2 ** 20,
};

/** A device of the bundle, with the exact build that stood behind it. Its executable stays at home. */
export interface BundleTarget {
  readonly device: Device;
  readonly browser: Browser;
}

/** A page file, below `pages/`. */
export interface PageFile {
  /** `fib/index.html` */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/** A bundle after everything in it was checked. Its sentences are still untrusted. */
export interface Bundle {
  readonly farmVersion: string;
  readonly seed: number;
  readonly isolation: Isolation;
  /** The command that made the run. */
  readonly command: string;
  readonly startedAt: string;
  readonly machine: Machine;
  readonly targets: readonly BundleTarget[];
  readonly question: Question;
  readonly numbers: Numbers;
  readonly trials: readonly Trial[];
  readonly pages: readonly PageFile[];
}

/** The reason to refuse a file: half a sentence, which `badBundle` or `badImport` completes with its name. */
export class Refusal extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'Refusal';
  }
}

/** Result of a run in a bundle: the numbers of a judgement without its question. */
export interface Numbers {
  readonly verdict: 'confirmed' | 'refuted' | 'inconclusive';
  /** Blocks with at least one trial that counts. */
  readonly blocks: number;
  /** One for each assertion of the question, in its order. */
  readonly assertions: readonly AssertionNumbers[];
  /** One for each counterfactual of the question, in its order. */
  readonly counterfactuals: readonly CounterfactualNumbers[];
}

/** A value with bounds that hold at every look; no bounds with too few blocks. */
export interface Interval {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

export interface AssertionNumbers {
  readonly measured: Interval | null;
  readonly blocks: number;
  readonly outcome: 'holds' | 'fails' | 'open';
  readonly size: 'as published' | 'smaller' | 'larger' | 'open' | 'not published';
}

interface CounterfactualNumbers {
  readonly withCause: Interval | null;
  readonly withoutCause: Interval | null;
  readonly explained: Interval | null;
}

/** The numbers of a judgement, and nothing else of it. */
export function pickNumbers({ verdict, blocks, assertions, counterfactuals }: Numbers): Numbers {
  return {
    verdict,
    blocks,
    assertions: assertions.map((one) => ({
      measured: one.measured && intervalOf(one.measured),
      blocks: one.blocks,
      outcome: one.outcome,
      size: one.size,
    })),
    counterfactuals: counterfactuals.map((one) => ({
      withCause: one.withCause && intervalOf(one.withCause),
      withoutCause: one.withoutCause && intervalOf(one.withoutCause),
      explained: one.explained && intervalOf(one.explained),
    })),
  };
}

function intervalOf({ value, low, high }: Interval): Interval {
  return { value, low, high };
}

/** Another processor may round the last digits of a logarithm differently; nothing else may differ. */
const tolerance = 1e-6;

/** The first place in which two sets of numbers differ, such as `assertions[0].measured.low`; null for none. */
export function firstDifference(one: Numbers, other: Numbers): string | null {
  return differenceIn(pickNumbers(one), pickNumbers(other), '');
}

function differenceIn(one: unknown, other: unknown, place: string): string | null {
  if (typeof one === 'number' && typeof other === 'number') {
    const size = Math.max(Math.abs(one), Math.abs(other));
    return Math.abs(one - other) <= tolerance * size ? null : place;
  }
  if (!isParent(one) || !isParent(other)) return one === other ? null : place;
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  for (const key of keys) {
    const step = Array.isArray(one) ? `[${key}]` : `${place === '' ? '' : '.'}${key}`;
    const found = differenceIn(one[key], other[key], place + step);
    if (found !== null) return found;
  }
  return null;
}

function isParent(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

import type { Browser, Device } from '../../model/device.ts';
import type { Isolation } from '../../model/case.ts';
import type { Question } from '../../model/question.ts';
import type { Machine } from '../../model/run.ts';
import type { Trial } from '../../model/trial.ts';
import type { Numbers } from './numbers.ts';

/**
 * The newest format, raised whenever an older farm could not read what a newer one writes; bundles of
 * older formats are read. 2: trials have `node` and `clock`. 3: trials have readings of declared probes;
 * a bundle without any is written in format 2.
 */
export const bundleFormat = 3;

/** What lies in a bundle beside `pages/`. */
export const manifestName = 'bundle.json';
export const trialsName = 'trials.json';
export const evidenceName = 'evidence.html';
export const readMeName = 'README.txt';
export const pagesPrefix = 'pages/';

/** How much of a stranger's file is read at all. */
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
 * The largest run seen, 100 blocks of six lanes with every default reading, made a `trials.json` of
 * some 20 MB, which packs to a tenth. What is written is held to the same limits as what is read.
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

/** What a bundle says, after everything in it was checked. Its sentences are still a stranger's. */
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

/** Why a bundle is not believed: half a sentence, which `readBundle` completes with the file's name. */
export class BundleRefusal extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'BundleRefusal';
  }
}

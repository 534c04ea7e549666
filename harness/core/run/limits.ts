import type { Device } from '../model/device.ts';

/** How long anything may take, and how often it is tried. Milliseconds. */
export interface Limits {
  readonly launchMs: number;
  /** From asking for the page until it has fetched its assignment; less when the trial has less left. */
  readonly loadMs: number;
  /** The deadline of a trial: its pages from being asked for to being closed, in all tries together. */
  readonly trialMs: number;
  /** To name the scripts of a trial by their source maps, when its window is over. */
  readonly scriptsMs: number;
  /** Tries at one trial. */
  readonly attempts: number;
  /**
   * Number of bad trials in a row after which a benchmark is left out on a device, and of such
   * benchmarks or failed launches after which the device is.
   */
  readonly failuresBeforeQuarantine: number;
  /** How long a target that died rests before its browser is started again; twice as long each further time in a row … */
  readonly restMs: number;
  /** … and at most this long. */
  readonly longestRestMs: number;
}

export const defaultLimits: Limits = {
  launchMs: 45_000,
  loadMs: 30_000,
  trialMs: 120_000,
  scriptsMs: 3_000,
  attempts: 2,
  failuresBeforeQuarantine: 3,
  restMs: 1_000,
  longestRestMs: 30_000,
};

/**
 * A phone's browser starts behind adb and a server that installs its own parts first; on an iPhone
 * Xcode builds its agent (WebDriverAgent), which takes minutes. Not measured: no phone was at hand.
 */
const phoneLimits = { launchMs: 300_000, loadMs: 300_000 };

/**
 * The limits on a device: a phone has its own for launch and load, and its owner may give others. A
 * trial on it may take as much longer as its page may take to load.
 */
export function findLimits({ phone }: Pick<Device, 'phone'>, usual: Limits): Limits {
  if (phone === undefined) return usual;
  const own = { ...phoneLimits, ...phone.limits };
  const longer = Math.max(0, own.loadMs - usual.loadMs);
  return { ...usual, ...own, trialMs: usual.trialMs + longer };
}

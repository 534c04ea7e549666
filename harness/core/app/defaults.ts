import { defaultMargin } from '../analysis/stats/verdict.ts';
import { pagesFolder } from '../project.ts';
import { defaultLimits } from '../run/limits.ts';

/** Default options, in a separate file so that declaring them loads nothing else. */

const measuringDefaults = {
  port: 0,
  deadline: defaultLimits.trialMs,
  probes: true,
  pages: pagesFolder(),
} as const;

/** Of a run. */
export const runDefaults = {
  ...measuringDefaults,
  suite: null,
  bench: [],
  device: [],
  param: {},
  repeat: true,
  margin: defaultMargin,
  maxBlocks: 60,
} as const;

/** Of a comparison. */
export const compareDefaults = {
  ...measuringDefaults,
  bench: 'fib',
  param: {},
  aParam: {},
  bParam: {},
  aFlag: [],
  bFlag: [],
  repeat: true,
  margin: defaultMargin,
  maxBlocks: 100,
} as const;

/** Of a comparison of versions of a page. */
export const versionsDefaults = {
  ...measuringDefaults,
  browsers: [],
  measure: [],
  unit: 'ms',
  higher: false,
  warm: false,
  repeat: true,
  margin: defaultMargin,
  maxBlocks: 100,
} as const;

/** Of a run on devices that join. */
export const attendDefaults = {
  ...measuringDefaults,
  bench: [],
  param: {},
  count: 1,
  patience: 10 * 60_000,
} as const;

/** Of a question that is asked in blocks: a claim, a finding, a bundle. */
export const questionDefaults = {
  ...measuringDefaults,
  maxBlocks: 24,
  budget: 15 * 60_000,
  repeat: true,
} as const;

/** Of one case over many builds. */
export const sweepDefaults = {
  ...measuringDefaults,
  bench: 'fib',
  param: {},
  builds: [],
  coarse: 7,
  maxBlocks: 16,
  margin: defaultMargin,
} as const;

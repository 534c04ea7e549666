import type { MeasurementRules, SegmentRules } from '../../model/case.ts';

/** How cases are measured that no suite describes. */
export const defaultMeasurement: SegmentRules = {
  minGranules: 100,
  settled: { ms: 250, calls: 120 },
  window: { ms: 300, iterations: 5 },
  maxMs: 5_000,
};

/** Rules of the preset `fast`. */
export const fastMeasurement: SegmentRules = {
  // A call that is shorter than a step of the clock may seem to take a whole one.
  minGranules: 4,
  settled: { ms: 1, calls: 1 },
  window: { ms: 20, iterations: 1 },
  maxMs: 1_000,
  fast: true,
};

/** Values of `--measurement`. */
export const measurementNames = ['standard', 'fast'] as const;
export type MeasurementName = (typeof measurementNames)[number];

/** The rules that a name stands for: `standard`, or none, leaves the usual ones. */
export function chooseRules(
  name: MeasurementName | undefined,
  usual: MeasurementRules = defaultMeasurement,
): MeasurementRules {
  return name === 'fast' ? fastMeasurement : usual;
}

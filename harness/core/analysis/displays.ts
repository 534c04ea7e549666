import type { Metric } from '../model/case.ts';
import type { Device } from '../model/device.ts';
import { describeDisplay, type Display, findDisplay, isOtherDisplay } from '../model/display.ts';
import { isDrawn } from '../model/measures.ts';
import type { Trial } from '../model/trial.ts';
import { groupBy } from './grouping.ts';
import { type CompletedTrial, isCompleted, readValue } from './series.ts';

/** Returns how the browser of a completed trial drew; null where it did not say so. */
function displayOf({ outcome }: CompletedTrial): Display | null {
  return findDisplay(outcome.readings);
}

/** Returns the one display of a device whose trials count; null where none says it. */
export function findDeviceDisplay(trials: readonly Trial[], deviceId: string): Display | null {
  for (const trial of trials) {
    if (trial.job.deviceId !== deviceId || !isCompleted(trial)) continue;
    const display = isApart(trial) ? null : displayOf(trial);
    if (display !== null) return display;
  }
  return null;
}

/** True if the trial is excluded because of its display. */
function isApart({ outcome }: CompletedTrial): boolean {
  return outcome.quarantine.some(isOtherDisplay);
}

function isOfSoftware(trial: CompletedTrial): boolean {
  return !isApart(trial) && displayOf(trial)?.drawnBy === 'software';
}

/** Describes the displays of a device, excluded trials included; `unknown` where no trial says one. */
export function describeDisplays(trials: readonly Trial[], { id }: Pick<Device, 'id'>): string {
  const texts = trials
    .filter(({ job }) => job.deviceId === id)
    .filter(isCompleted)
    .flatMap((trial) => displayOf(trial) ?? [])
    .map(describeDisplay);
  return texts.length === 0 ? 'unknown' : [...new Set(texts)].join('; ');
}

/** The mark of a value of frames that the processor drew. */
export const softwareMark = 'drawn by software';

/** True if the metric is about frames, and any of these trials drew them by software. */
export function isDrawnBySoftware(trials: readonly CompletedTrial[], metric: Metric): boolean {
  return isDrawn(metric) && trials.some(isOfSoftware);
}

/** Metrics about frames that one browser drew by software. */
interface SoftwareDrawing {
  readonly deviceId: string;
  readonly rasteriser: string | null;
  readonly metrics: readonly Metric[];
}

/** Finds the metrics about frames whose browser drew by software: one entry a device. */
function findSoftwareDrawing(trials: readonly Trial[]): readonly SoftwareDrawing[] {
  const byDevice = groupBy(trials.filter(isCompleted), ({ job }) => job.deviceId);
  return [...byDevice].flatMap(([deviceId, ours]) => {
    const drawn = ours.filter(isOfSoftware);
    const [first] = drawn.flatMap((trial) => displayOf(trial) ?? []);
    const metrics = new Map(
      drawn.flatMap((trial) =>
        trial.job.case.benchmark.metrics
          .filter((metric) => isDrawn(metric) && readValue(trial, metric) !== null)
          .map((metric) => [metric.id, metric] as const),
      ),
    );
    if (first === undefined || metrics.size === 0) return [];
    return [{ deviceId, rasteriser: first.rasteriser, metrics: [...metrics.values()] }];
  });
}

/**
 * Writes the caution about such metrics, one sentence for all browsers with the same ones: empty
 * without any.
 */
export function softwareDrawingTexts(
  trials: readonly Trial[],
  nameBrowser: (deviceId: string) => string,
): readonly string[] {
  const byMetrics = groupBy(findSoftwareDrawing(trials), ({ metrics }) =>
    metrics.map(({ title }) => title).join(', '),
  );
  return [...byMetrics].map(([names, ours]) => {
    const browsers = ours.map(({ deviceId, rasteriser }) =>
      [nameBrowser(deviceId), ...(rasteriser === null ? [] : [`(${rasteriser})`])].join(' '),
    );
    return `${names} in ${browsers.join(', ')}: drawn by software, so a GPU may give other times and other differences`;
  });
}

import type { MeasuringCaller } from '../../core/app/caller.ts';
import { loadDevices } from '../../core/app/builds/build-devices.ts';
import type { MeasuringOptions } from '../../core/app/run/execute-plan.ts';
import type { Metric } from '../../core/model/case.ts';
import type { Browser, MissingDevice } from '../../core/model/device.ts';
import { trialValue } from '../../core/model/trial-value.ts';
import type { Trial } from '../../core/model/trial.ts';
import { selectBrowsers } from '../../core/plan/inventory/inventory.ts';
import { withOwnPages } from './own-pages.ts';
import { openPages, planOnce } from './versions/pilot.ts';

export interface OpenOptions extends Omit<MeasuringOptions, 'probes' | 'probe'> {
  /** The devices file. */
  readonly inventory: string;
  /** Ids of devices; all browsers of the devices file that are found when empty. */
  readonly browsers: readonly string[];
  readonly root?: string;
  readonly isolation?: boolean;
  readonly spa?: boolean;
}

/** A number of a page, from one load. */
export interface LoadedMeasure {
  readonly metric: Metric;
  /** The median where the page gave several; null where it gave none. */
  readonly value: number | null;
  readonly times: number;
}

/** One page in one browser. */
export interface OpenedPage {
  readonly page: string;
  readonly deviceId: string;
  readonly browser: Browser | null;
  /** Why it has no numbers; null where it was opened. */
  readonly failure: string | null;
  readonly measures: readonly LoadedMeasure[];
  /** Errors of the page itself; hostile until escaped. */
  readonly errors: readonly string[];
}

export interface OpenedPages {
  readonly pages: readonly string[];
  readonly opened: readonly OpenedPage[];
  /** Browsers of the devices file that are not here. */
  readonly missing: readonly MissingDevice[];
}

/**
 * Opens pages of one's own once in every browser, and stores nothing: no verdict can come of it.
 * @throws FarmError `bad-argument` for a page that cannot be opened; `no-device` without a browser
 */
export async function openInBrowsers(
  names: readonly string[],
  { browsers, ...options }: OpenOptions,
  caller: MeasuringCaller,
): Promise<OpenedPages> {
  const how = { measure: [], asked: [], unit: 'ms', higher: false, probes: false } as const;
  const whole = { ...options, ...how, despiteErrors: true, withLoad: true };
  return withOwnPages(names, whole, {
    devices: async () => selectBrowsers(await loadDevices(options, browsers), browsers),
    areNamed: browsers.length > 0,
    caller,
    use: async ({ versions, presences, cases }) => {
      const found = presences.filter(({ status }) => status === 'found');
      const trials = await openPages([planOnce(cases, found, options.measurement)], {
        options: whole,
        caller,
        listener: {
          onTrialStarted: ({ job }) => {
            caller.say(`opens ${pageOf(job)} in ${job.deviceId}`);
          },
        },
      });
      const order = found.map(({ device }) => device.id);
      const opened = versions.flatMap(({ name }) =>
        trials
          .filter(({ job }) => pageOf(job) === name)
          .toSorted((a, b) => order.indexOf(a.job.deviceId) - order.indexOf(b.job.deviceId))
          .map(describeTrial),
      );
      return {
        pages: versions.map(({ name }) => name),
        opened,
        missing: presences.filter((one) => one.status === 'missing'),
      };
    },
  });
}

function pageOf({ case: { parameters } }: Trial['job']): string {
  return String(parameters['version']);
}

function describeTrial({ job, browser, outcome }: Trial): OpenedPage {
  const named = { page: pageOf(job), deviceId: job.deviceId, browser };
  if (outcome.kind !== 'completed') {
    const failure = outcome.kind === 'skipped' ? outcome.reason : outcome.failure.message;
    return { ...named, failure, measures: [], errors: [] };
  }
  const { result } = outcome;
  const measures = job.case.benchmark.metrics.map((metric) => ({
    metric,
    value: trialValue(result, metric.id),
    times: result.samples.find((one) => one.metric === metric.id)?.timed.length ?? 0,
  }));
  return { ...named, failure: null, measures, errors: result.errors ?? [] };
}

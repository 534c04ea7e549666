import { loadDriver } from '../../../drivers/index.ts';
import { selectBrowsers } from '../../core/plan/inventory/inventory.ts';
import { defaultMeasurement } from '../../core/plan/catalog/measurement.ts';
import { findDevices } from '../../core/setup/presence.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { loadDevices } from '../../core/app/builds/build-devices.ts';
import type { RunResult } from '../../core/app/run/execute-plan.ts';
import { checkRun, type OtherSuiteOptions, runSuite } from '../../core/app/run/run-suite.ts';
import { versionCases, versionsBenchmark } from './versions/benchmark.ts';
import { withUniqueNames } from './versions/measures.ts';
import { lookAtVersions } from './versions/pilot.ts';
import { withVersions } from './versions/resolve.ts';
import { readingOfSuite, suiteDeadlineMs } from './versions/well-known.ts';

/** Trials of a whole suite by default: each takes minutes. */
const defaultTrials = 8;

/**
 * Measures a well-known suite on devices, each of its subtests a metric. It is run once before, on
 * the first device that is found, to see which subtests there are.
 * @throws FarmError
 */
export async function runKnownSuite(
  options: OtherSuiteOptions,
  caller: MeasuringCaller,
): Promise<RunResult> {
  const { suite: id, from, device } = options;
  const { page, asked, ...begin } = readingOfSuite(id);
  const measuring = { ...options, deadline: Math.max(options.deadline, suiteDeadlineMs) };
  const devices = selectBrowsers(await loadDevices(options, device), device);
  const presences = await findDevices(devices, caller.loadDriver ?? loadDriver);
  checkRun(options, presences);
  const first = presences.find(({ status }) => status === 'found');
  if (first === undefined) throw new TypeError('a device was found');
  return withVersions(
    [from],
    { page },
    {
      caller,
      use: async (versions) => {
        caller.say(`${id} is run once on ${first.device.id}, to see what it measures`);
        const setting = { presence: first, options: measuring, caller };
        const { measures } = await lookAtVersions({ versions, asked, ...begin }, setting);
        const reading = { measures: withUniqueNames(measures), ...begin };
        const benchmark = { ...versionsBenchmark(versions, reading), id, title: id };
        return runSuite(measuring, caller, {
          id,
          title: id,
          isolation: 'session',
          trials: defaultTrials,
          measurement: defaultMeasurement,
          cases: versionCases(benchmark),
        });
      },
    },
  );
}

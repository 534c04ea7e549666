import { loadDevices } from '../../core/app/builds/build-devices.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import type { RunResult } from '../../core/app/run/execute-plan.ts';
import { shellWord } from '../../core/app/run/repeat-command.ts';
import { checkRun, type OwnPageOptions, runSuite } from '../../core/app/run/run-suite.ts';
import { FarmError } from '../../core/errors.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { defaultMeasurement } from '../../core/plan/catalog/measurement.ts';
import { onCores, selectBrowsers } from '../../core/plan/inventory/inventory.ts';
import { withOwnPages } from './own-pages.ts';
import { parseMeasure } from './versions/measures.ts';
import { isVersion } from './versions/resolve.ts';

/** Loads of each page in each browser by default: fewer can hardly decide anything. */
const defaultTrials = 8;

const usualUnit = { unit: 'ms', higher: false };

/**
 * Measures pages of one's own in browsers, by their own measures or else by their load.
 * @param names HTML files, folders or URLs
 * @throws FarmError
 */
export async function runPages(
  names: readonly string[],
  options: OwnPageOptions,
  caller: MeasuringCaller,
): Promise<RunResult> {
  for (const name of names) if (!isVersion(name)) throw noPage(name);
  const { measure, root, despiteErrors, device, cores } = options;
  const asked = measure.map((text) => parseMeasure(text, usualUnit));
  // The isolation of a run is that of its sessions; pages are served as they usually are.
  const opening = { ...options, ...usualUnit, asked, isolation: true };
  return withOwnPages(names, opening, {
    devices: async () => onCores(selectBrowsers(await loadDevices(options, device), device), cores),
    areNamed: false,
    check: (presences) => {
      checkRun(options, presences);
    },
    caller,
    use: ({ versions, cases, probes: { probe = [] }, stored }) => {
      const shown = versions.map(({ name }) => name);
      const id = nameSuite(shown);
      return runSuite(options, caller, {
        id,
        title: id,
        isolation: 'session',
        trials: defaultTrials,
        measurement: defaultMeasurement,
        cases,
        probe,
        ownPages: stored,
        words: [
          ...shown.map(shellWord),
          ...measure.map((text) => `--measure ${shellWord(text)}`),
          ...(root === undefined ? [] : [`--root ${shellWord(root)}`]),
          ...(despiteErrors ? ['--despite-errors'] : []),
        ],
      });
    },
  });
}

/** Pages in a name of a run; more are counted. */
const mostNamed = 3;

function nameSuite(names: readonly string[]): string {
  if (names.length <= mostNamed) return names.join(' + ');
  return `${names[0] ?? ''} + ${String(names.length - 1)} others`;
}

function noPage(name: string): FarmError {
  return new FarmError('bad-argument', {
    what: `${name} is not an HTML file, folder or URL.`,
    next: `A suite is measured by ${npxCrossfarm} run --suite, a benchmark by --bench; --device names browsers.`,
  });
}

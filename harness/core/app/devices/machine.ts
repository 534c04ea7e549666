import { existsSync } from 'node:fs';
import { type FitnessFinding, judgeFitness } from '../../analysis/fitness.ts';
import { errorText } from '../../errors.ts';
import { inheritedFrom } from '../../model/environment-variables.ts';
import type { EnvironmentReading } from '../../model/reading.ts';
import { defaultProbes } from '../../probes/index.ts';
import { whyNoSandbox } from '../../session/chromium-sandbox.ts';
import { whyNoConfinement } from '../../session/confinement.ts';
import { type CgroupHome, findCgroupHome } from '../../session/cgroup.ts';
import { describeMachine, otherBrowsers } from '../../setup/machine.ts';
import { freeDiskBytes, timeSameWork } from '../../setup/surroundings.ts';
import { findQuickDamage } from '../../store/database-file.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

/**
 * Looks at what this machine does to a measurement; it takes three seconds.
 * @param watches whether it looks at the load and the speed, which is what takes them
 */
export async function lookAtMachine(
  database: string,
  { watches = true }: { readonly watches?: boolean } = {},
): Promise<readonly FitnessFinding[]> {
  const judged = judgeFitness({
    machine: describeMachine(whyNoSandbox() !== null),
    ...(watches && { environment: await readQuietSecond(), sameWork: await timeSameWork() }),
    otherBrowsers: otherBrowsers(),
    freeDiskBytes: await freeDiskBytes(database),
  });
  return [
    ...judged,
    await describeDatabase(database),
    describeInheritance(process.env),
    describeConfinement(whyNoConfinement()),
    ...(process.platform === 'linux' ? [describeEnding(findCgroupHome())] : []),
  ];
}

/** Checks quickly that the database is sound. */
export async function describeDatabase(path: string): Promise<FitnessFinding> {
  const id = 'database';
  const damage = await findQuickDamage(path).catch((error: unknown) => errorText(error));
  if (damage === null) {
    const what = existsSync(path) ? `${path} is sound (quick check)` : `${path} is not there yet`;
    return { id, level: 'fine', what, remedy: '' };
  }
  return {
    id,
    level: 'unfit',
    what: `${path} cannot be written to, or is damaged: ${damage.split('\n')[0] ?? ''}`,
    remedy: `put a backup in its place; ${npxCrossfarm} db import takes over the runs that can still be read`,
  };
}

/** Names, never values. */
function describeInheritance(environment: NodeJS.ProcessEnv): FitnessFinding {
  const names = Object.keys(inheritedFrom(environment)).sort();
  const kept = Object.keys(environment).length - names.length;
  return {
    id: 'inherited-environment',
    level: 'fine',
    what: `browsers, runtimes and drivers’ servers inherit these variables: ${names.join(', ')}; the other ${String(kept)} stay with the farm`,
    remedy: '',
  };
}

/** A caution and no more: pages are confined by their browsers, and one's own code may be trusted. */
function describeConfinement(why: string | null): FitnessFinding {
  const id = 'confinement';
  if (why === null) {
    const what =
      'runtimes and native programs are confined: files read-only, no network but the page server, no other process';
    return { id, level: 'fine', what, remedy: '' };
  }
  return {
    id,
    level: 'caution',
    what: `runtimes and native programs run with all rights of this user: ${why}`,
    remedy:
      process.platform === 'linux'
        ? 'measure only code that you trust in runtimes, or get bubblewrap to work'
        : 'measure only code that you trust in runtimes',
  };
}

/**
 * Names the means that ends a browser with every process that it has started. Either ends it; one
 * is surer.
 */
function describeEnding(home: CgroupHome): FitnessFinding {
  const by =
    home.kind === 'delegated'
      ? 'process tree and cgroup'
      : `process tree, without a cgroup: ${home.because}`;
  return { id: 'ending', level: 'fine', what: `browsers are ended by ${by}`, remedy: '' };
}

/** One second without work of the farm: it shows the load of other programs. */
async function readQuietSecond(): Promise<EnvironmentReading | null> {
  const probe = defaultProbes().find((one) => one.name === 'environment');
  if (probe === undefined || !probe.supports().supported) return null;
  const attached = probe.attach({ browser: 'none', processTree: () => [] });
  try {
    attached.start();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    attached.stop();
    const reading = attached.collect();
    return reading.probe === 'environment' && 'load1' in reading ? reading : null;
  } finally {
    attached.detach();
  }
}

import { loadDriver } from '../../../drivers/index.ts';
import type { Presence, Target } from '../../model/device.ts';
import { listBuilds, type StoredBuild } from '../../setup/build-store.ts';
import { findDevice } from '../../setup/presence.ts';

/** Two builds of one device, each under the name that it has in their comparison. */
export interface BuildPair {
  readonly after: Presence;
  readonly before: Presence;
}

export interface WantedPair {
  readonly after: Target;
  readonly before: Target;
  readonly names: { readonly after: string; readonly before: string };
  /** Folder of the copies that were kept. */
  readonly kept: string;
}

/**
 * Finds both builds where they lay, or else both as copies that were kept. Never one of each: a
 * system's package starts with its own flags and settings, its copy is started without them.
 *
 * @returns a sentence about the build that is missing, where one is.
 */
export async function findBuildPair(wanted: WantedPair): Promise<BuildPair | string> {
  const { after, before, names } = wanted;
  const newHere = await findBuild(after, after.executable, names.after);
  const oldHere = await findBuild(before, before.executable, names.before);
  if (newHere !== null && oldHere !== null) return { after: newHere, before: oldHere };
  const builds = await listBuilds(wanted.kept);
  const newCopy = await findCopy(after, builds, names.after);
  const oldCopy = await findCopy(before, builds, names.before);
  if (newCopy !== null && oldCopy !== null) return { after: newCopy, before: oldCopy };
  if (oldHere === null && oldCopy === null) return missing('old', before);
  if (newHere === null && newCopy === null) return missing('new', after);
  return 'of one of the two builds only a copy is left, of the other none: they would not start in the same way';
}

async function findCopy(
  target: Target,
  builds: readonly StoredBuild[],
  name: string,
): Promise<Presence | null> {
  const { browser } = target;
  const build = builds.find(
    ({ product, version }) => product === browser.name && version === browser.version,
  );
  return build === undefined ? null : findBuild(target, build.executable, name);
}

/** The very build that a night had, at this path and under another name; null where it is not there. */
async function findBuild(
  { device, browser }: Target,
  executable: string,
  name: string,
): Promise<Presence | null> {
  const asked = { ...device, id: name, name: `${device.name} ${browser.version}` };
  // Where the browser is not on this machine there is no executable, and one build alone.
  const presence = await findDevice(
    executable === '' ? asked : { ...asked, executable },
    await loadDriver(device.driver),
  );
  const isIt = presence.status === 'found' && presence.target.browser.version === browser.version;
  return isIt ? presence : null;
}

function missing(which: 'old' | 'new', { browser, executable }: Target): string {
  const where = executable === '' ? 'there' : `at ${executable}`;
  return `the ${which} build, ${browser.name} ${browser.version}, is no longer ${where}, and no copy of it was kept`;
}

/** The names that a device has when its build from before a change runs beside the one from after it. */
export function buildNames(deviceId: string): { readonly before: string; readonly after: string } {
  return { before: `${deviceId}@before`, after: `${deviceId}@after` };
}

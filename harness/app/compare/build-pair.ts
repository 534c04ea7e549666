import { loadDriver } from '../../../drivers/index.ts';
import type { Presence, Target } from '../../model/device.ts';
import { listBuilds, type StoredBuild } from '../../setup/build-store.ts';
import { type DriverLoader, findDevice } from '../../setup/presence.ts';

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
  /** Loads the driver of a device; one of the farm's own when left out. */
  readonly loadDriver?: DriverLoader | undefined;
}

/**
 * Finds both builds where they lay, or else both as copies that were kept. Never one of each: a
 * system's package starts with its own flags and settings, its copy is started without them.
 *
 * @returns a sentence about the build that is missing, where one is.
 */
export async function findBuildPair(wanted: WantedPair): Promise<BuildPair | string> {
  const { after, before, names, loadDriver: load = loadDriver } = wanted;
  const asNew = { name: names.after, load };
  const asOld = { name: names.before, load };
  const newHere = await findBuild(after, after.executable, asNew);
  const oldHere = await findBuild(before, before.executable, asOld);
  if (newHere !== null && oldHere !== null) return { after: newHere, before: oldHere };
  const builds = await listBuilds(wanted.kept);
  const newCopy = await findCopy(after, builds, asNew);
  const oldCopy = await findCopy(before, builds, asOld);
  if (newCopy !== null && oldCopy !== null) return { after: newCopy, before: oldCopy };
  if (oldHere === null && oldCopy === null) return missing('old', before);
  if (newHere === null && newCopy === null) return missing('new', after);
  return 'of one of the two builds only a copy is left, of the other none: they would not start in the same way';
}

/** How a build is looked for, and the id that it gets. */
interface Role {
  readonly name: string;
  readonly load: DriverLoader;
}

async function findCopy(
  target: Target,
  builds: readonly StoredBuild[],
  role: Role,
): Promise<Presence | null> {
  const { browser } = target;
  const build = builds.find(
    ({ product, version }) => product === browser.name && version === browser.version,
  );
  return build === undefined ? null : findBuild(target, build.executable, role);
}

/** The very build that a night had, at this path and under another name; null where it is not there. */
async function findBuild(
  { device, browser }: Target,
  executable: string,
  { name, load }: Role,
): Promise<Presence | null> {
  const asked = { ...device, id: name, name: `${device.name} ${browser.version}` };
  // Where the browser is not on this machine there is no executable, and one build alone.
  const presence = await findDevice(
    executable === '' ? asked : { ...asked, executable },
    await load(device.driver),
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

import { FarmError } from '../../core/errors.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { versionsOptionNames } from './versions-options.ts';

/** Compares versions of a page; two devices on a page of one's own; or devices on benchmarks. */
export type ComparisonKind = 'versions' | 'page' | 'devices';

export interface GivenNames {
  /** The devices file. */
  readonly inventory: string;
  /** Names of the options on the command line, */
  readonly given: readonly string[];
  /** and of those that a config file has set. */
  readonly set: readonly string[];
}

/** Finds what is compared. Options of pages in a config file count unless the sides are devices. */
export async function findKind(
  sides: readonly string[],
  { inventory, given, set }: GivenNames,
): Promise<ComparisonKind> {
  const { isVersion } = await import('./versions/resolve.ts');
  if (sides.some((side) => isVersion(side))) return 'versions';
  const isGiven = given.some((name) => ofVersions.has(name));
  if (!isGiven && (sides.length === 0 || !set.some((name) => ofVersions.has(name)))) {
    return 'devices';
  }
  // A branch may have a device's name: it is a ref where something is built of it.
  const areRefs = given.includes('--build') || given.includes('--submodules');
  if (areRefs || !(await areDevices(sides, inventory))) return 'versions';
  if (!isGiven) return 'devices';
  return given.includes('--page') ? 'page' : 'versions';
}

/** One that is no device beside one that is may be misspelt. */
async function areDevices(sides: readonly string[], inventory: string): Promise<boolean> {
  const { loadInventory } = await import('../../core/plan/inventory/inventory.ts');
  const devices = await loadInventory(inventory);
  const isDevice = (side: string): boolean => {
    const [name] = side.split('@');
    return devices.some(({ id, browser }) => id === side || id === name || browser === name);
  };
  return sides.some(isDevice);
}

/** The options of a continued run; all others are those it began with. */
const whenContinued: ReadonlySet<string> = new Set([
  ...['--continue', '--take-over', '--max-blocks', '--budget', '--margin', '--precision'],
  ...['--database', '--json', '--open', '--port', '--expect', '--save'],
  ...['--report', '--no-report', '--markdown', '--no-wait'],
]);

/** Options of versions that make any name that of one. */
const ofVersions: ReadonlySet<string> = new Set([
  ...['--page', '--root', '--build', '--submodules', '--as', '--dev', '--server', '--url'],
]);

/** Options that are about the two devices of a comparison. */
const ofDevices = /^--(a|b)-|^--(bench|param|cores|expect|save|drivers|continue|take-over)$/;

/** Refuses options that do not go with these sides, by their names. @throws FarmError `bad-argument` */
function refuse(names: readonly string[], say: (names: string) => string, next: string): void {
  if (names.length > 0) throw new FarmError('bad-argument', { what: say(names.join(', ')), next });
}

export function refuseForVersions(given: readonly string[]): void {
  refuse(
    given.filter((name) => ofDevices.test(name)),
    (names) => `${names} cannot be said of versions of a page.`,
    `With versions go ${[...versionsOptionNames()].join(', ')}, and --margin and --budget.`,
  );
}

export function refuseForDevices(kind: 'devices' | 'page', given: readonly string[]): void {
  if (kind === 'page') {
    refuseForPage(given);
    return;
  }
  const ofPages = versionsOptionNames();
  refuse(
    given.filter((name) => ofPages.has(name)),
    (names) =>
      `${names} cannot be said of devices: no side is a file, folder, URL, package or git ref.`,
    `Such as: ${npxCrossfarm} compare old.html new.html --measure lcp`,
  );
}

/** Options of pages go with two devices; those that name what else is compared do not. */
function refuseForPage(given: readonly string[]): void {
  const isWrong =
    /^--((a-|b-)?(bench|param)|save|drivers|continue|take-over|browsers|suite|markdown|fail-on)$/;
  refuse(
    given.filter((name) => isWrong.test(name)),
    (names) => `${names} cannot be said of two devices on a page of your own.`,
    `Such as: ${npxCrossfarm} compare chromium firefox --page mine.html --measure lcp`,
  );
}

export function refuseSides(given: readonly string[]): void {
  refuse(
    given.filter((name) => /^--([ab]-|blame$)/.test(name)),
    (names) => `${names} cannot be said with --drivers, which compares one build with itself.`,
    `Such as: ${npxCrossfarm} compare chromium chromium --a-driver puppeteer`,
  );
}

export function refuseOther(given: readonly string[]): void {
  refuse(
    given.filter((name) => !whenContinued.has(name)),
    (names) => `A comparison that goes on stays as it was, so ${names} cannot be said of it.`,
    `With --continue go ${[...whenContinued].slice(1).join(', ')}.`,
  );
}

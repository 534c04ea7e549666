import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '../../core/store/connection.ts';
import type { SeededGenerator } from '../../core/analysis/stats/random.ts';
import { isAlive, type ProcessIdentity } from '../../core/session/process-table.ts';
import type { FarmUnderFire } from './farm-under-fire.ts';
import type { GridUnderFire } from './grid-under-fire.ts';
import type { SmallDisk } from './small-disk.ts';

/** The targets of faults. */
export interface Scene {
  readonly farm: FarmUnderFire;
  readonly database: string;
  /** Null if none could be mounted. */
  readonly disk: SmallDisk | null;
  /** Null if no device of the campaign is on a grid. */
  readonly grid: GridUnderFire | null;
  readonly generator: SeededGenerator;
}

/** Injects a fault, and returns whether it had a target. It returns when the fault is over. */
type Injection = (scene: Scene) => Promise<boolean>;

/** Faults from outside, by name. */
export const injections = {
  'browser killed': ({ farm, generator }) => signalOne(() => farm.roots(), generator, 'SIGKILL'),
  'helper process killed': ({ farm, generator }) =>
    signalOne(() => farm.sessionProcesses(), generator, 'SIGKILL'),
  'browser stopped': ({ farm }) => signalAll(() => farm.sessionProcesses(), 'SIGSTOP'),
  'driver killed': ({ farm, generator }) =>
    signalOne(() => farm.named('WebKitWebDriver'), generator, 'SIGKILL'),
  'WebDriver port silent': ({ farm, generator }) =>
    signalOne(() => farm.named('WebKitWebDriver'), generator, 'SIGSTOP'),
  'Appium killed': ({ farm, generator }) =>
    signalOne(() => farm.named('node_modules/appium'), generator, 'SIGKILL'),
  'display killed': ({ farm, generator }) =>
    signalOne(() => farm.named('Xvfb'), generator, 'SIGKILL'),
  'farm killed -9': async ({ farm }) => {
    farm.kill('SIGKILL');
    await farm.settled();
    return true;
  },
  'everything killed': async ({ farm }) => {
    const all = farm.sessionProcesses();
    farm.kill('SIGKILL');
    for (const one of all) signal(one, 'SIGKILL');
    await farm.settled();
    return true;
  },
  'clock jump': ({ farm }) => inside(farm, 'SIGUSR2'),
  'page server killed': ({ farm }) => inside(farm, 'SIGWINCH'),
  'database locked for 2 s': (scene) => lockDatabase(scene, 2_000),
  'database locked for 12 s': (scene) => lockDatabase(scene, 12_000),
  'disk full': fillDisk,
  'grid hub gone': ({ grid, generator }) => gone(generator, (ms) => grid?.killHub(ms)),
  'grid node gone': ({ grid, generator }) => gone(generator, (ms) => grid?.killNode(ms)),
} as const satisfies Readonly<Record<string, Injection>>;

export type OutsideFault = keyof typeof injections;

/** Sends a signal for a fault that the farm does to itself: `from-inside.ts`. */
function inside(farm: FarmUnderFire, name: NodeJS.Signals): Promise<boolean> {
  farm.kill(name);
  return Promise.resolve(true);
}

/** Kills a service for one to nine seconds, as in a restart. */
async function gone(
  generator: SeededGenerator,
  kill: (downMs: number) => Promise<void> | undefined,
): Promise<boolean> {
  const killing = kill(1_000 + generator.nextInt(8_000));
  await killing;
  return killing !== undefined;
}

/** Signals one process; waits for one, because a browser may be between two sessions. */
async function signalOne(
  find: () => readonly ProcessIdentity[],
  generator: SeededGenerator,
  name: NodeJS.Signals,
): Promise<boolean> {
  const found = await untilAny(find);
  const one = found[generator.nextInt(Math.max(1, found.length))];
  if (one === undefined) return false;
  return signal(one, name);
}

async function signalAll(
  find: () => readonly ProcessIdentity[],
  name: NodeJS.Signals,
): Promise<boolean> {
  return (await untilAny(find)).map((one) => signal(one, name)).some(Boolean);
}

async function untilAny(
  find: () => readonly ProcessIdentity[],
): Promise<readonly ProcessIdentity[]> {
  for (let look = 0; look < 40; look += 1) {
    const found = find();
    if (found.length > 0) return found;
    await pause(50);
  }
  return [];
}

/** Returns false if it ended by itself a moment before. */
function signal(one: ProcessIdentity, name: NodeJS.Signals): boolean {
  if (!isAlive(one)) return false;
  try {
    return process.kill(one.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

async function lockDatabase({ database }: Scene, ms: number): Promise<boolean> {
  const connection = await connect(database);
  try {
    await connection.execute('BEGIN IMMEDIATE');
    await pause(ms);
    await connection.execute('ROLLBACK');
    return true;
  } finally {
    await connection.close();
  }
}

/**
 * Fills the disk until the farm has noticed and ended, or for ten seconds: a night waits and
 * continues by itself.
 */
async function fillDisk({ farm, disk }: Scene): Promise<boolean> {
  if (disk === null) return false;
  try {
    await disk.fill();
    for (let look = 0; look < 200 && farm.ended === null; look += 1) await pause(50);
    return true;
  } finally {
    await disk.empty();
  }
}

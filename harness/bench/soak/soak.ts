import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaNode } from 'execa';
import { fitGrowth } from '../../analysis/stats/growth.ts';
import { projectRoot } from '../../project.ts';
import { identify } from '../../session/process-table.ts';
import { ProcessTree } from '../../session/process-tree.ts';

interface SoakOrder {
  /** An empty folder with a short path; everything happens in it. */
  readonly folder: string;
  /** Another run begins as long as so much time has not passed. */
  readonly forMs: number;
  /** At least so many runs. */
  readonly fewest: number;
  /** Options of the lasting farm that narrow what it measures. */
  readonly narrow?: readonly string[];
  readonly say: (sentence: string) => void;
}

const program = join(projectRoot(), 'dist/harness/bench/soak/lasting-farm.js');

/** In the environment of everything that is started, by which leftovers are known. */
const markVariable = 'CROSSFARM_SOAK';

/**
 * One farm process measures run after run; after each of them it says how it is, and is waited for
 * while what it has left behind is looked for. Its temporary folder and its home are in `folder`, so
 * that whatever is written there is its own.
 */
export async function soak(order: SoakOrder): Promise<readonly Look[]> {
  const { folder, say } = order;
  const value = `${String(process.pid)}-${String(Date.now())}`;
  const database = join(folder, 'store', 'farm.db');
  const places = { TMPDIR: join(folder, 'tmp'), HOME: join(folder, 'home') };
  for (const place of Object.values(places)) await mkdir(place);
  const farm = execaNode(program, ['--database', database, ...(order.narrow ?? [])], {
    cwd: folder,
    nodeOptions: ['--expose-gc'],
    ipc: true,
    buffer: false,
    reject: false,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
    env: { ...places, [markVariable]: value, NO_COLOR: '1' },
  });
  const mark = `${markVariable}=${value}`;
  const looks: Look[] = [];
  const until = performance.now() + order.forMs;
  try {
    while (performance.now() < until || looks.length < order.fewest) {
      await farm.sendMessage('measure');
      const state = (await farm.getOneMessage()) as unknown as FarmState;
      const left = await lookForLeftovers({ folder, database, mark, farm: farm.pid ?? 0 });
      looks.push({ ...state, ...left });
      say(`run ${String(looks.length)}: ${JSON.stringify(looks.at(-1))}`);
    }
    await farm.sendMessage('end');
    await farm;
    return looks;
  } finally {
    farm.kill('SIGKILL');
    await new ProcessTree({ roots: [], mark, profile: folder }).end();
  }
}

interface Drift {
  /** Share by which it grows from one run to the next, with its 95 % interval. */
  readonly perRun: number;
  readonly low: number;
  readonly high: number;
  /** The same over all runs that were looked at, by the upper end of the interval. */
  readonly atMost: number;
  readonly verdict: 'flat' | 'grows' | 'not known';
}

/** A growth that is shown to be smaller than this, over the whole soak, is none. */
export const flatShare = 0.1;

/**
 * How a quantity drifts from run to run: least squares of its logarithm (`fitGrowth`). Flat: even the
 * upper end of the interval makes less than 10 % of it over all runs. Grows: even the lower end makes
 * more than nothing, and the upper one does not stay below that. The errors of neighbouring runs are
 * taken for independent, which makes the interval a little too narrow where a heap swings slowly.
 *
 * @returns null for fewer than 3 values, or where one is not above 0.
 */
export function driftOf(values: readonly number[]): Drift | null {
  if (values.length < 3 || values.some((value) => !(value > 0))) return null;
  const growth = fitGrowth(values.map((y, x) => ({ x, y })));
  const [perRun, low, high] = [growth.perStep, growth.low, growth.high].map((one) => one - 1);
  if (perRun === undefined || low === undefined || high === undefined) return null;
  const atMost = growth.high ** (values.length - 1) - 1;
  const verdict = atMost < flatShare ? 'flat' : low > 0 ? 'grows' : 'not known';
  return { perRun, low, high, atMost, verdict };
}

/** How the farm process is after a run, as it says itself. */
export interface FarmState {
  /** Of the run, as `farm run` would have ended. */
  readonly exitCode: number;
  /** What is left after garbage collection, in the heap and in buffers outside it. */
  readonly heapBytes: number;
  readonly residentBytes: number;
  /** Null where the system does not tell. */
  readonly openFiles: number | null;
}

/** What is there between two runs that the farm should have removed. */
interface Leftovers {
  /** In all folders that a run writes to, without the database. */
  readonly diskBytes: number;
  readonly diskFiles: number;
  readonly processes: number;
  /** Lock files of displays whose server has died. */
  readonly staleDisplays: number;
}

/** What was seen after one run. */
export type Look = FarmState & Leftovers;

interface Watched {
  /** Everything that the farm writes lies in here. */
  readonly folder: string;
  /** Its database; files beside it that begin with its name are its own, too. */
  readonly database: string;
  /** `NAME=value` in the environment of all that is started. */
  readonly mark: string;
  /** The farm itself, which is no leftover. */
  readonly farm: number;
}

/** What a run has left behind. */
async function lookForLeftovers(watched: Watched): Promise<Leftovers> {
  const { bytes, files } = await measureFolder(watched);
  const tree = new ProcessTree({ roots: [], mark: watched.mark, profile: watched.folder });
  const processes = tree.find().filter(({ pid }) => pid !== watched.farm).length;
  return { diskBytes: bytes, diskFiles: files, processes, staleDisplays: countStaleDisplays() };
}

async function measureFolder({
  folder,
  database,
}: Watched): Promise<{ readonly bytes: number; readonly files: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(database));
  const sizes = await Promise.all(paths.map(sizeOf));
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), files: paths.length };
}

/** What goes away while it is looked at has no size. */
function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Null when it went since it was listed: other farms' displays come and go. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** An X server that was killed leaves its lock file, and its number is lost to all that follow. */
export function countStaleDisplays(folder = tmpdir()): number {
  return readdirSync(folder).filter((name) => {
    if (!/^\.X\d+-lock$/.test(name)) return false;
    const text = readIfThere(join(folder, name));
    return text !== null && identify(Number(text)) === null;
  }).length;
}

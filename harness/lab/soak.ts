import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaNode } from 'execa';
import { max, median } from 'simple-statistics';
import { fitGrowth } from '../core/analysis/stats/growth.ts';
import { projectRoot } from '../core/project.ts';
import { identify } from '../core/session/process-table.ts';
import { ProcessTree } from '../core/session/process-tree.ts';
import type { BenchRow } from './row.ts';

/** Duration: `CROSSFARM_SOAK_MINUTES=5 npm run bench -- soak`. */
const minutes = Number(process.env['CROSSFARM_SOAK_MINUTES'] ?? 30);

/**
 * Number of first runs, which fill caches, compile code and prepare statements: after them nothing
 * should grow.
 */
const settling = 3;

/**
 * Measures what grows, and what is left behind, while one farm runs the quick suite again and
 * again.
 */
export async function soakBench(): Promise<readonly BenchRow[]> {
  // A short path, because the sockets of browsers lie below it.
  const folder = await mkdtemp(join(tmpdir(), 'cf-soak-'));
  const displaysBefore = countStaleDisplays();
  try {
    const looks = await soak({
      folder,
      forMs: minutes * 60_000,
      fewest: settling + 3,
      say: (sentence) => {
        console.error(sentence);
      },
    });
    return rowsOf(looks, displaysBefore);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function rowsOf(looks: readonly Look[], displaysBefore: number): readonly BenchRow[] {
  const settled = looks.slice(settling);
  const worst = (of: (look: Look) => number): number => max(looks.map(of));
  const failed = looks.filter(({ exitCode }) => exitCode !== 0).length;
  const files = settled.map(({ openFiles }) => openFiles).filter((count) => count !== null);
  return [
    row('runs of the quick suite', looks.length, '', {
      detail: `in one farm process, ${String(minutes)} minutes; ${String(failed)} of them with a cell that failed`,
    }),
    driftRow('heap after garbage collection', megabytes(settled.map((one) => one.heapBytes))),
    driftRow('resident memory', megabytes(settled.map((one) => one.residentBytes))),
    ...(files.length === 0 ? [] : [driftRow('open files', { values: files, unit: '' })]),
    row('disk outside the database', worst(({ diskBytes }) => diskBytes) / 1e3, 'kB', {
      detail: `most after any run, in ${String(worst(({ diskFiles }) => diskFiles))} files; after the last ${((looks.at(-1)?.diskBytes ?? NaN) / 1e3).toFixed(0)} kB, after the first ${((looks[0]?.diskBytes ?? NaN) / 1e3).toFixed(0)} kB`,
    }),
    row(
      'leftover processes',
      worst(({ processes }) => processes),
    ),
    row('leftover displays', worst(({ staleDisplays }) => staleDisplays) - displaysBefore),
  ];
}

interface Quantity {
  readonly values: readonly number[];
  readonly unit: string;
}

function megabytes(bytes: readonly number[]): Quantity {
  return { values: bytes.map((one) => one / 1e6), unit: 'MB' };
}

/** Makes a row of the level; its ratio is that of the last runs to the first ones. */
function driftRow(figure: string, { values, unit }: Quantity): BenchRow {
  const drift = computeDrift(values);
  const third = Math.max(1, Math.floor(values.length / 3));
  const ratio = median(values.slice(-third)) / median(values.slice(0, third));
  const per = (share: number): string => `${(100 * share).toFixed(2)} %`;
  const detail =
    drift === null
      ? 'too few runs'
      : `${drift.verdict}: ${per(drift.perRun)} a run (${per(drift.low)} … ${per(drift.high)}), at most ${per(drift.atMost)} over ${String(values.length)} runs; flat is below ${per(flatShare)}`;
  return row(figure, median([...values]), unit, { ratio, detail });
}

function row(
  figure: string,
  value: number,
  unit = '',
  { ratio = null, detail = '' }: Partial<Pick<BenchRow, 'ratio' | 'detail'>> = {},
): BenchRow {
  return { bench: 'soak', figure, value, unit, ratio, detail };
}

interface SoakOrder {
  /** An empty folder with a short path, for everything. */
  readonly folder: string;
  /** Another run begins until so much time has passed. */
  readonly forMs: number;
  /** The fewest runs. */
  readonly fewest: number;
  /** Options of the lasting farm that narrow what it measures. */
  readonly narrow?: readonly string[];
  readonly say: (sentence: string) => void;
}

const program = join(projectRoot(), 'dist/harness/lab/lasting-farm.js');

/** An environment variable of everything that is started, to find leftovers. */
const markVariable = 'CROSSFARM_SOAK';

/**
 * Lets one farm process measure run after run. After each run it reports its state and waits while
 * its leftovers are looked for. Its temporary folder and its home are in `folder`, so everything
 * written there comes from it.
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
  /** Growth from one run to the next as a share, with its 95 % interval. */
  readonly perRun: number;
  readonly low: number;
  readonly high: number;
  /** Growth over all runs, by the upper end of the interval. */
  readonly atMost: number;
  readonly verdict: 'flat' | 'grows' | 'not known';
}

/** A smaller growth over the whole soak counts as flat. */
export const flatShare = 0.1;

/**
 * Measures how a quantity drifts from run to run: least squares of its logarithm (`fitGrowth`).
 * Flat: even the upper end of the interval makes less than 10 % over all runs. Grows: even the
 * lower end is above 0, and it is not flat. The errors of adjacent runs are assumed to be
 * independent, which makes the interval a little too narrow if a heap swings slowly.
 *
 * @returns null for fewer than 3 values, or where one is not above 0.
 */
export function computeDrift(values: readonly number[]): Drift | null {
  if (values.length < 3 || values.some((value) => !(value > 0))) return null;
  const growth = fitGrowth(values.map((y, x) => ({ x, y })));
  const [perRun, low, high] = [growth.perStep, growth.low, growth.high].map((one) => one - 1);
  if (perRun === undefined || low === undefined || high === undefined) return null;
  const atMost = growth.high ** (values.length - 1) - 1;
  const verdict = atMost < flatShare ? 'flat' : low > 0 ? 'grows' : 'not known';
  return { perRun, low, high, atMost, verdict };
}

/** The state of the farm process after a run, by its own account. */
export interface FarmState {
  /** The exit code that `farm run` would have. */
  readonly exitCode: number;
  /** Bytes after garbage collection, in the heap and in buffers outside it. */
  readonly heapBytes: number;
  readonly residentBytes: number;
  /** Null if the system does not show it. */
  readonly openFiles: number | null;
}

/** Leftovers between two runs that the farm should have removed. */
interface Leftovers {
  /** In all folders of a run, without the database. */
  readonly diskBytes: number;
  readonly diskFiles: number;
  readonly processes: number;
  /** Lock files of displays whose server has died. */
  readonly staleDisplays: number;
}

/** All measurements after one run. */
export type Look = FarmState & Leftovers;

interface WatchedPaths {
  /** The folder of everything that the farm writes. */
  readonly folder: string;
  /** Its database; files that begin with its name belong to it. */
  readonly database: string;
  /** `NAME=value` in the environment of all started processes. */
  readonly mark: string;
  /** The farm itself, which does not count as a leftover. */
  readonly farm: number;
}

/** Looks for the leftovers of a run. */
async function lookForLeftovers(watched: WatchedPaths): Promise<Leftovers> {
  const { bytes, files } = await measureFolder(watched);
  const tree = new ProcessTree({ roots: [], mark: watched.mark, profile: watched.folder });
  const processes = tree.find().filter(({ pid }) => pid !== watched.farm).length;
  return { diskBytes: bytes, diskFiles: files, processes, staleDisplays: countStaleDisplays() };
}

async function measureFolder({
  folder,
  database,
}: WatchedPaths): Promise<{ readonly bytes: number; readonly files: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(database));
  const sizes = await Promise.all(paths.map(sizeOf));
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), files: paths.length };
}

/** A file that disappears meanwhile has no size. */
function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Null if it has disappeared: displays of other farms come and go. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Counts lock files of dead X servers, whose display numbers are lost. */
export function countStaleDisplays(folder = tmpdir()): number {
  return readdirSync(folder).filter((name) => {
    if (!/^\.X\d+-lock$/.test(name)) return false;
    const text = readIfThere(join(folder, name));
    return text !== null && identify(Number(text)) === null;
  }).length;
}

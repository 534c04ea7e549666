import { execaNode } from 'execa';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../project.ts';
import { ProcessTree } from '../../session/process-tree.ts';
import { lookForLeftovers } from './leftovers.ts';
import type { FarmState, Look } from './state.ts';

export interface SoakOrder {
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

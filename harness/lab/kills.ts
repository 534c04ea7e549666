import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { seededGenerator } from '../core/analysis/stats/random.ts';
import { projectRoot } from '../core/project.ts';
import { readProcessTable, type ProcessEntry } from '../core/session/process-table.ts';
import type { BenchRow } from './row.ts';

/** How many kills, of which devices: `CROSSFARM_KILLS=20 CROSSFARM_KILLS_DEVICES=firefox npm run bench -- kills`. */
const kills = Number(process.env['CROSSFARM_KILLS'] ?? 20);
const devices = (process.env['CROSSFARM_KILLS_DEVICES'] ?? 'chromium,firefox,webkitgtk').split(',');
const seed = Number(process.env['CROSSFARM_SEED'] ?? 1);

const graceMs = 3_000;
/** From the start of a browser to the end of its trial, and beyond. */
const latestMs = 8_000;

/** Kills a farm that measures (`kill -9`) at random moments, and counts the processes that are left three seconds later. */
export async function killsBench(): Promise<readonly BenchRow[]> {
  const random = seededGenerator(seed);
  const rows: BenchRow[] = [];
  for (const device of devices) {
    const left: number[] = [];
    for (let kill = 0; kill < kills; kill += 1)
      left.push(await killOnce(device, random.uniform() * latestMs));
    rows.push({
      bench: 'kills',
      figure: `${device}: processes left ${String(graceMs / 1000)} s after kill -9`,
      value: left.reduce((sum, one) => sum + one, 0),
      unit: 'processes',
      ratio: null,
      detail: `${String(left.filter((one) => one > 0).length)} of ${String(kills)} kills left any; seed ${String(seed)}`,
    });
  }
  return rows;
}

/** @returns how many processes were left, which are then ended. */
async function killOnce(device: string, afterMs: number): Promise<number> {
  // Outside .farm, because the sockets of browsers need short paths.
  const folder = await mkdtemp(join(tmpdir(), 'cf-kills-'));
  try {
    const main = join(projectRoot(), 'dist/harness/main.js');
    const args = ['run', '--bench', 'control', '--device', device, '--trials', '3', '--json'];
    const farm = execa(process.execPath, [main, ...args, '--database', join(folder, 'farm.db')], {
      reject: false,
      stdin: 'ignore',
      stderr: 'ignore',
    });
    await once(farm.stdout, 'data');
    await pause(afterMs);
    farm.kill('SIGKILL');
    await farm;
    await pause(graceMs);
    const left = processesOf(folder);
    for (const { pid } of left) endOne(pid);
    return left.length;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Sessions have all of their folders below that of the database. */
function processesOf(folder: string): readonly ProcessEntry[] {
  return readProcessTable().filter(
    ({ environment, command, dead }) =>
      !dead && [...environment, command].some((text) => text.includes(folder)),
  );
}

function endOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

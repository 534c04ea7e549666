import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { appiumFolder } from '../../setup/appium.ts';
import { FarmUnderFire } from './farm-under-fire.ts';
import { gridDevice, GridUnderFire } from './grid-under-fire.ts';
import type { OutsideFault } from './injections.ts';
import { NightWork } from './night-work.ts';
import { makePages, type PageFault } from './pages.ts';
import { RunWork } from './run-work.ts';
import { Siege } from './siege.ts';
import { mountSmallDisk } from './small-disk.ts';
import type { CampaignResult } from './tally.ts';
import type { WorkOrder } from './work.ts';

export interface CampaignOrder {
  /** An empty folder; everything happens in it. */
  readonly folder: string;
  readonly seed: number;
  /** How many faults at least. */
  readonly faults: number;
  /** What the farm does meanwhile, again and again. */
  readonly work: 'runs' | 'nights';
  readonly devices: readonly string[];
  readonly outside: readonly OutsideFault[];
  readonly pages: readonly PageFault[];
  /** Blocks of each run. */
  readonly blocks: number;
  readonly say: (sentence: string) => void;
}

/**
 * Measures with the built farm, again and again, and injects one fault after the other into it at
 * random moments, drawn from the seed. A farm that ends is started again, as a person or a timer
 * would. In the end everything is counted in the database.
 */
export async function runCampaign(order: CampaignOrder): Promise<CampaignResult> {
  const { folder, devices, blocks, seed } = order;
  const profiles = join(folder, 'sessions');
  await mkdir(profiles, { recursive: true });
  // A farm finds Appium below the folder that it is started in.
  await mkdir(join(folder, '.farm'));
  await symlink(appiumFolder(), join(folder, '.farm', 'appium'));
  const disk = order.outside.includes('disk full')
    ? await mountSmallDisk(join(folder, 'disk'))
    : null;
  const store = disk?.folder ?? join(folder, 'store');
  await mkdir(store, { recursive: true });
  // Profiles lie beside the database, and must not fill its small disk.
  const sessions = join(store, 'sessions');
  await symlink(profiles, sessions);
  const grid = devices.includes(gridDevice)
    ? await GridUnderFire.start(join(folder, 'grid'))
    : null;
  const pages = await makePages(folder, order.pages, grid);
  const mark = `${String(process.pid)}-${String(seed)}`;
  const farm = new FarmUnderFire(folder, { sessions, mark });
  const database = join(store, 'farm.db');
  const given: WorkOrder = { pages, database, devices, blocks, seed };
  const work = order.work === 'nights' ? new NightWork(given, sessions) : new RunWork(given);
  try {
    return await new Siege(order, { farm, disk, grid, database }, work).hold();
  } finally {
    await farm.endAll();
    await grid?.end();
    await disk?.remove();
  }
}

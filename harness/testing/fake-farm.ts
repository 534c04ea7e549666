import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type FakeAssignment,
  type FakeDriver,
  fakeDriver,
  type FakeScript,
} from '../../drivers/fake/fake.ts';
import type { FinishedCommand } from './farm.ts';
import { aFolder } from './folder.ts';
import { runInProcess, type Surroundings } from './in-process-farm.ts';

export interface FakeFarm {
  readonly folder: string;
  readonly driver: FakeDriver;
  /** Runs a command in this process; nothing of it waits for a quiet machine, and none repeats a trial. */
  readonly farm: (...args: readonly string[]) => Promise<FinishedCommand>;
  /** The same, with other surroundings. */
  readonly farmIn: (
    surroundings: Omit<Surroundings, 'loadDriver'>,
    ...args: readonly string[]
  ) => Promise<FinishedCommand>;
}

interface Scene extends FakeScript {
  /** Ids of the devices; `one` and `two` when left out. */
  readonly devices?: readonly string[];
  /** Milliseconds that each trial of a case takes; 10 when left out. */
  readonly durationOf?: (assignment: FakeAssignment) => number;
}

/**
 * A folder whose devices are played by the fake driver: commands go through plan, runner, server,
 * store and analysis, and no browser is started. Every trial takes the milliseconds that the test says.
 */
export async function aFakeFarm({
  devices = ['one', 'two'],
  durationOf = () => 10,
  ...script
}: Scene = {}): Promise<FakeFarm> {
  const folder = await aFolder();
  const facts = { browser: 'chromium', driver: 'playwright', headless: true };
  const listed = devices.map((id) => ({ id, ...facts, executable: process.execPath }));
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: listed }));
  const metrics = (assignment: FakeAssignment) => [
    { metric: 'duration', unit: 'ms', timed: [durationOf(assignment)] },
  ];
  const driver = fakeDriver({ trial: { does: 'completes', metrics }, ...script });
  const loadDriver = () => Promise.resolve(driver);
  await writeFile(
    join(folder, 'crossfarm.config.json'),
    JSON.stringify({ all: { measurement: 'fast', probes: false } }),
  );
  const farmIn: FakeFarm['farmIn'] = (more, ...args) =>
    runInProcess(folder, args, { loadDriver, ...more });
  return { folder, driver, farm: (...args) => farmIn({}, ...args), farmIn };
}

export type { FakeAssignment };

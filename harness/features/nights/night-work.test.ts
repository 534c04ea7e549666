import { expect, test } from '@playwright/test';
import { existsSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FitnessFinding } from '../../core/analysis/fitness.ts';
import { farmMark } from '../../core/session/farm-mark.ts';
import { aFolder } from '../../testing/folder.ts';
import { completeNight, type GivenNight, nightWork } from './night-work.ts';

const deadFarm = farmMark().replace(/^(\d+):[^:]*/, '$1:1');

/** A profile of a session whose farm died. */
async function aLeftover(database: string): Promise<string> {
  const path = join(dirname(database), 'sessions', '0a1b2c3d');
  await mkdir(join(path, 'profile'), { recursive: true });
  await writeFile(join(path, 'session.json'), JSON.stringify({ id: '0a1b2c3d', farm: deadFarm }));
  return path;
}

async function aHalfBackup(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'farm-2026-01-01T02-30-00Z.db.0a1b2c3d.half');
  await writeFile(path, 'half');
  const long = new Date(Date.now() - 86_400_000);
  await utimes(path, long, long);
  return path;
}

function workIn(folder: string, lookAt: () => Promise<readonly FitnessFinding[]>) {
  const given = {
    database: join(folder, 'farm.db'),
    backup: join(folder, 'backups'),
    bench: [],
  } as unknown as GivenNight;
  return nightWork({
    options: completeNight(given),
    caller: { signal: new AbortController().signal, say: () => undefined },
    folder: join(folder, 'nights', 'tonight'),
    id: 'tonight',
    startedAt: new Date(),
    earlier: [],
    channels: [],
    goesOn: null,
    lookAt,
  });
}

test('removes what a dead farm left before it checks the disk, so that no night is refused for it', async () => {
  const folder = await aFolder();
  const filling = [
    await aLeftover(join(folder, 'farm.db')),
    await aHalfBackup(join(folder, 'backups')),
  ];
  const lookAt = (): Promise<readonly FitnessFinding[]> => {
    const level = filling.some((one) => existsSync(one)) ? 'unfit' : 'fine';
    return Promise.resolve([{ id: 'disk', level, what: 'disk', remedy: '' } as FitnessFinding]);
  };
  expect(await workIn(folder, lookAt).preflight()).toMatchObject({
    fit: true,
    findings: [{ id: 'disk', level: 'fine' }],
  });
});

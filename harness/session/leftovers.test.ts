import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aFolder } from '../testing/folder.ts';
import { farmMark, farmVariable, isOfDeadFarm } from './farm-mark.ts';
import { sweepLeftovers } from './leftovers.ts';
import { sessionVariable } from './process-tree.ts';

/** This process' number with another start: a farm that had the number before us. */
const deadFarm = farmMark().replace(/^(\d+):[^:]*/, '$1:1');
const elsewhere = farmMark().replace(/^(\d+):.*$/, '$1:1:another-machine');

async function aSession(directory: string, farm: string | null): Promise<string> {
  const id = randomBytes(4).toString('hex');
  await mkdir(join(directory, id, 'profile'), { recursive: true });
  if (farm !== null) {
    await writeFile(join(directory, id, 'session.json'), JSON.stringify({ id, farm }));
  }
  return id;
}

function aProcess(environment: Record<string, string>) {
  return execa('sleep', ['600'], { env: environment, reject: false, stdin: 'ignore' });
}

test('a farm is dead when its number is gone or is another process, on this machine only', () => {
  expect(isOfDeadFarm(farmMark())).toBe(false);
  expect(isOfDeadFarm(deadFarm)).toBe(true);
  expect(isOfDeadFarm(elsewhere)).toBe(false);
  expect(isOfDeadFarm('nonsense')).toBe(false);
});

test('only sessions of dead farms are swept, with their processes', async () => {
  const directory = await aFolder();
  const living = await aSession(directory, farmMark());
  const foreign = await aSession(directory, elsewhere);
  const dead = await aSession(directory, deadFarm);
  await mkdir(join(directory, 'not-a-session'));
  const stays = aProcess({ [sessionVariable]: living });
  const goes = aProcess({ [sessionVariable]: dead });
  expect(await sweepLeftovers(directory)).toBe(1);
  expect((await readdir(directory)).sort()).toEqual([living, foreign, 'not-a-session'].sort());
  if (process.platform === 'linux') expect((await goes).signal).toBe('SIGTERM');
  expect(stays.exitCode).toBeNull();
  goes.kill();
  stays.kill();
  expect((await stays).signal).toBe('SIGTERM');
});

test('a session without a record is swept once it is old', async () => {
  const directory = await aFolder();
  const young = await aSession(directory, null);
  const old = await aSession(directory, null);
  const long = new Date(Date.now() - 3_600_000);
  await utimes(join(directory, old), long, long);
  expect(await sweepLeftovers(directory)).toBe(1);
  expect(await readdir(directory)).toEqual([young]);
});

test('what a dead farm had started beside its sessions is ended too', async () => {
  test.skip(process.platform !== 'linux', 'only Linux shows the mark of a process');
  const display = aProcess({ [farmVariable]: deadFarm });
  const ours = aProcess({ [farmVariable]: farmMark() });
  const foreign = aProcess({ [farmVariable]: elsewhere });
  expect(await sweepLeftovers(await aFolder())).toBe(0);
  expect((await display).signal).toBe('SIGTERM');
  expect([ours.exitCode, foreign.exitCode]).toEqual([null, null]);
  ours.kill();
  foreign.kill();
  await Promise.all([ours, foreign]);
});

test('a directory that is not there has no leftovers', async () => {
  expect(await sweepLeftovers(join(await aFolder(), 'nothing'))).toBe(0);
});

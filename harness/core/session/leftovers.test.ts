import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Orphan } from '../../../drivers/driver.ts';
import { startGridDouble } from '../../../drivers/doubles/grid.ts';
import { aFolder } from '../../testing/folder.ts';
import { farmMark, farmVariable, isOfDeadFarm } from './farm-mark.ts';
import { endWhatIsLeft, sweepLeftovers } from './leftovers.ts';
import { sessionVariable } from './process-tree.ts';
import { recordOrphan, placeSession } from './session-directory.ts';

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

/**
 * A process that has this in its environment, for all to see: a program that is only being started
 * shows none yet.
 */
async function aProcess(environment: Record<string, string>) {
  const child = execa('sh', ['-c', 'echo ready; read end'], {
    env: environment,
    reject: false,
    stdin: 'pipe',
  });
  await once(child.stdout, 'data');
  // Not the child itself: it is a promise, and to return it would wait for its end.
  return { child };
}

test('a farm is dead without its process number, on this machine', () => {
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
  const { child: stays } = await aProcess({ [sessionVariable]: living });
  const { child: goes } = await aProcess({ [sessionVariable]: dead });
  expect(await sweepLeftovers(directory)).toBe(1);
  expect((await readdir(directory)).sort()).toEqual([living, foreign, 'not-a-session'].sort());
  if (process.platform === 'linux') expect((await goes).signal).toBe('SIGTERM');
  expect(stays.exitCode).toBeNull();
  goes.kill();
  stays.kill();
  expect((await stays).signal).toBe('SIGTERM');
});

test("sweeps a dead farm's leftovers at once and keeps a living one's", async () => {
  const directory = await aFolder();
  const partial = (farm: string): string =>
    `.partial-0123abcd-${Buffer.from(farm).toString('base64url')}`;
  for (const farm of [deadFarm, farmMark(), elsewhere])
    await mkdir(join(directory, partial(farm), 'profile'), { recursive: true });
  await sweepLeftovers(directory);
  expect((await readdir(directory)).sort()).toEqual(
    [partial(farmMark()), partial(elsewhere)].sort(),
  );
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

async function aSessionElsewhere(
  directory: string,
  farm: string,
  orphans: readonly Orphan[],
): Promise<string> {
  const id = await aSession(directory, farm);
  for (const one of orphans) await recordOrphan(placeSession(directory, id), one);
  return id;
}

const aSessionOf = (server: string, nodeUri?: string): Orphan => ({
  kind: 'webdriver',
  server,
  session: 'c0ffee',
  ...(nodeUri !== undefined && { nodeUri }),
});

test('ends remote sessions of a dead farm, and keeps those of a living one', async () => {
  const [grid, other] = [await startGridDouble(), await startGridDouble()];
  const directory = await aFolder();
  const named: Orphan = { kind: 'grid', server: grid.address, name: 'crossfarm 1' };
  await aSessionElsewhere(directory, deadFarm, [named, aSessionOf(grid.address)]);
  await aSessionElsewhere(directory, farmMark(), [aSessionOf(other.address)]);
  expect(await sweepLeftovers(directory)).toBe(1);
  expect(grid.asked).toEqual(['DELETE /session/c0ffee']);
  expect(other.asked).toEqual([]);
  await Promise.all([grid.close(), other.close()]);
});

test('a session that its hub has forgotten meanwhile is ended at its node', async () => {
  const grid = await startGridDouble();
  const directory = await aFolder();
  const orphan = aSessionOf(grid.address, `${grid.address}/node`);
  await aSessionElsewhere(directory, deadFarm, [orphan]);
  grid.forgetful = true;
  expect(await sweepLeftovers(directory)).toBe(1);
  expect(grid.asked.at(-1)).toBe('DELETE /node/se/grid/node/session/c0ffee');
  await grid.close();
});

test('a session whose number the farm never learnt is found by its name', async () => {
  const grid = await startGridDouble();
  const directory = await aFolder();
  const capabilities = { alwaysMatch: { browserName: 'chrome', 'se:name': 'crossfarm 1' } };
  const body = JSON.stringify({ capabilities });
  await fetch(`${grid.address}/session`, { method: 'POST', body });
  const named = (name: string): Orphan => ({ kind: 'grid', server: grid.address, name });
  await aSessionElsewhere(directory, deadFarm, [named('crossfarm 2')]);
  expect(await sweepLeftovers(directory)).toBe(1);
  expect(grid.holds).toBe(true);
  await aSessionElsewhere(directory, deadFarm, [named('crossfarm 1')]);
  expect(await sweepLeftovers(directory)).toBe(1);
  expect(grid.holds).toBe(false);
  await grid.close();
});

test('reports an unreachable leftover and keeps it for the next sweep', async () => {
  const grid = await startGridDouble();
  await grid.close();
  const directory = await aFolder();
  const id = await aSessionElsewhere(directory, deadFarm, [aSessionOf(grid.address)]);
  const told: string[] = [];
  const sweep = (): Promise<number> =>
    sweepLeftovers(directory, { patienceMs: 0, say: (sentence) => told.push(sentence) });
  expect(await sweep()).toBe(0);
  expect(told).toEqual([
    expect.stringMatching(
      /^a crashed farm's session c0ffee of .* could not be ended: .*ECONNREFUSED/,
    ),
  ]);
  expect(await readdir(directory)).toEqual([id]);
  const long = new Date(Date.now() - 2 * 3_600_000);
  await utimes(join(directory, id), long, long);
  expect(await sweep()).toBe(1);
  expect(await readdir(directory)).toEqual([]);
});

test('waits for a hub that is restarting', async () => {
  const first = await startGridDouble();
  const directory = await aFolder();
  await aSessionElsewhere(directory, deadFarm, [aSessionOf(first.address)]);
  await first.close();
  const sweeping = sweepLeftovers(directory, { patienceMs: 60_000, everyMs: 20 });
  const again = await startGridDouble({ port: Number(new URL(first.address).port) });
  expect(await sweeping).toBe(1);
  expect(again.asked).toEqual(['DELETE /session/c0ffee']);
  await again.close();
});

test('a record cut short by a crash hides no earlier one', async () => {
  const grid = await startGridDouble();
  const directory = await aFolder();
  const id = await aSessionElsewhere(directory, deadFarm, [aSessionOf(grid.address)]);
  await appendFile(join(directory, id, 'remains.jsonl'), '{"kind":"webdriver","server":"http:/');
  expect(await sweepLeftovers(directory)).toBe(1);
  expect(grid.asked).toEqual(['DELETE /session/c0ffee']);
  await grid.close();
});

test('ends what a dead farm had started besides its sessions', async () => {
  test.skip(process.platform !== 'linux', 'only Linux shows the mark of a process');
  const { child: display } = await aProcess({ [farmVariable]: deadFarm });
  const { child: ours } = await aProcess({ [farmVariable]: farmMark() });
  const { child: foreign } = await aProcess({ [farmVariable]: elsewhere });
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

test('ends what one dead farm has left, and nothing of others', async () => {
  test.skip(process.platform !== 'linux', 'only Linux shows the mark of a process');
  const directory = await aFolder();
  const session = await aSession(directory, deadFarm);
  const { child: browser } = await aProcess({ [farmVariable]: deadFarm });
  const { child: helper } = await aProcess({ [sessionVariable]: session });
  const foreign = await aSession(directory, elsewhere);
  const strangers = [
    await aProcess({ [farmVariable]: elsewhere }),
    await aProcess({ [sessionVariable]: foreign }),
    await aProcess({ [farmVariable]: farmMark() }),
  ].map(({ child }) => child);
  await endWhatIsLeft({ farm: deadFarm, directory });
  expect([(await browser).signal, (await helper).signal]).toEqual(['SIGTERM', 'SIGTERM']);
  expect(strangers.map(({ exitCode }) => exitCode)).toEqual([null, null, null]);
  // Nothing but processes: the next farm must still find what is left elsewhere.
  expect(await readdir(directory)).toEqual([foreign, session].sort());
  for (const stranger of strangers) stranger.kill();
  await Promise.all(strangers);
});

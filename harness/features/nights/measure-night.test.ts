import { expect, test } from '@playwright/test';
import { join } from 'node:path';
import { FarmError, type FarmErrorCode } from '../../core/errors.ts';
import { pagesFolder } from '../../core/project.ts';
import { openStore } from '../../core/store/store.ts';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { measureNight, retryLater } from './measure-night.ts';
import { completeNight, type GivenNight } from './night-work.ts';

const fails = (code: FarmErrorCode) => (): Promise<string> =>
  Promise.reject(new FarmError(code, { what: 'No room is left.', next: 'Make room.' }));

const works = (): Promise<string> => Promise.resolve('all cells');

/** A run that is continued by each of these in turn, and how long it rested before each. */
function aRun(...tries: readonly (() => Promise<string>)[]) {
  const rests: number[] = [];
  const said: string[] = [];
  const controller = new AbortController();
  const left = [...tries];
  const persevering = {
    again: () => left.shift() ?? null,
    say: (sentence: string) => said.push(sentence),
    signal: controller.signal,
    rest: (ms: number) => {
      rests.push(ms / 60_000);
      return Promise.resolve();
    },
  };
  return { persevering, rests, said, controller };
}

test('continues a run that the disk interrupted, after longer rests each time', async () => {
  const { persevering, rests, said } = aRun(fails('cannot-write'), works);
  expect(await retryLater(fails('disk-full'), persevering)).toBe('all cells');
  expect(rests).toEqual([1, 2]);
  expect(said[0]).toMatch(/^No room is left\..* in 1 min/);
});

test('gives up after repeated failures, with the failure itself', async () => {
  const { persevering, rests } = aRun(...Array.from({ length: 99 }, () => fails('disk-full')));
  await expect(retryLater(fails('disk-full'), persevering)).rejects.toThrow('No room is left.');
  expect(rests).toEqual([1, 2, 5, 10, 15, 30]);
});

test('does not try again a run that would fail again, or has not begun', async () => {
  const other = aRun(works);
  await expect(retryLater(fails('no-device'), other.persevering)).rejects.toThrow();
  const nothing = aRun();
  await expect(retryLater(fails('disk-full'), nothing.persevering)).rejects.toThrow();
  expect([...other.rests, ...nothing.rests]).toEqual([]);
});

test('when the time is over it does not go on', async () => {
  const { persevering, controller } = aRun(works);
  const rest = (): Promise<void> => {
    controller.abort();
    return Promise.resolve();
  };
  await expect(retryLater(fails('disk-full'), { ...persevering, rest })).rejects.toThrow();
});

test('a night continues by itself a run that a full disk interrupted', async () => {
  const { folder, driver } = await aFakeFarm({ devices: ['one'] });
  const database = join(folder, '.farm', 'farm.db');
  const given = {
    inventory: join(folder, 'devices.json'),
    database,
    pages: pagesFolder(),
    port: 0,
    deadline: 120_000,
    measurement: 'fast',
    probes: false,
    bench: ['promise'],
    device: ['one'],
    param: { operation: ['chain'] },
    trials: 1,
    repeat: false,
    aa: false,
  } as unknown as GivenNight;
  const said: string[] = [];
  const rests: number[] = [];
  await measureNight({
    options: completeNight(given),
    caller: {
      signal: new AbortController().signal,
      say: (sentence) => said.push(sentence),
      loadDriver: () => Promise.resolve(driver),
    },
    notes: {
      found: () => undefined,
      begun: () => {
        throw new FarmError('disk-full', { what: 'No room is left.', next: 'Make room.' });
      },
    },
    before: [],
    goesOn: null,
    rest: (ms) => {
      rests.push(ms);
      return Promise.resolve();
    },
  });
  expect(rests).toHaveLength(1);
  const store = await openStore(database);
  const runs = await store.listRuns();
  const record = await store.readRun(1);
  await store.close();
  expect(runs).toMatchObject([{ id: 1, status: 'finished' }]);
  expect(record?.trials.map(({ outcome }) => outcome.kind)).toEqual(['completed']);
  expect(said.join('\n')).toMatch(/No room.* in 1 min\b/);
});

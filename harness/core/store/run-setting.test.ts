import { expect, test } from '@playwright/test';
import { completed, makeFacts, makeJobs, setting } from './fixtures/example.ts';
import { openStore, type Store } from './store.ts';

let store: Store;

test.beforeEach(async () => {
  store = await openStore(test.info().outputPath('farm.db'));
});

test.afterEach(() => store.close());

test("stores a run's setting and owner, except for imported ones", async () => {
  const farm = '12:34:host/pid';
  const facts = makeFacts(makeJobs(1));
  const run = await store.createRun({ ...facts, setting: { farm, document: setting } });
  expect(await store.readSetting(run)).toEqual({ farm, document: setting });
  expect(await store.readSetting(await store.createRun(facts))).toBeNull();
});

test('only one of two farms can continue a run', async () => {
  const facts = makeFacts(makeJobs(1));
  const run = await store.createRun({ ...facts, setting: { farm: 'dead', document: setting } });
  await store.finishRun(run, 'interrupted', '2026-11-21T01:00:00.000Z');
  const claims = ['first', 'second'].map((farm) => store.takeOver(run, { farm, before: 'dead' }));
  expect(await Promise.all(claims)).toEqual([true, false]);
  expect((await store.readRun(run))!.run).toMatchObject({ status: 'running', finishedAt: null });
  expect((await store.readSetting(run))!.farm).toBe('first');
});

test('another command repeats a run that went further than asked', async () => {
  const facts = makeFacts(makeJobs(1));
  const run = await store.createRun({ ...facts, setting: { farm: 'dead', document: setting } });
  const commandOf = async (): Promise<string> => (await store.readRun(run))!.run.command;
  await store.takeOver(run, { farm: 'second', before: 'dead' });
  expect(await commandOf()).toBe(facts.command);
  await store.takeOver(run, {
    farm: 'third',
    before: 'second',
    command: 'npx crossfarm run --trials 9',
  });
  expect(await commandOf()).toBe('npx crossfarm run --trials 9');
});

test('the version of a runtime that was asked for comes back with its device', async () => {
  const facts = makeFacts(makeJobs(2));
  const presences = facts.presences.map((one) => ({
    ...one,
    device: { ...one.device, version: '22.11' },
  })) as typeof facts.presences;
  const run = await store.createRun({ ...facts, presences });
  expect((await store.readRun(run))!.presences[0]!.device.version).toBe('22.11');
});

test('a cell with an outcome gets no second one later', async () => {
  const jobs = makeJobs(1);
  const run = await store.createRun(makeFacts(jobs));
  await store.writeTrial(run, completed(jobs[0]!));
  await expect(store.writeTrial(run, completed(jobs[0]!))).rejects.toThrow(/UNIQUE/);
});

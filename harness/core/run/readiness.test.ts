import { expect, test } from '@playwright/test';
import { DriverError } from '../../../drivers/driver.ts';
import type { CoreReading, Reading } from '../model/reading.ts';
import type { Probe } from '../probes/probe.ts';
import { aFoundDevice, aPlan } from '../../testing/builders.ts';
import type { Equipment } from './runner.ts';
import { aJobInEachBlock as jobs, aScene, collect } from '../../testing/runner-scene.ts';
import type { RunnerSession } from './session-keeper.ts';

/** Targets that are looked at before their trials, and sessions whose browser is remote. */

test('makes a target ready before each attempt, and reports the wait for it', async () => {
  const { log, equipment } = aScene(['refuses to open', 'completes']);
  const waits: unknown[] = [];
  const [trial] = await collect(aPlan(jobs(1), [aFoundDevice('one')]), {
    ...equipment,
    makeReady: (target, tell) => {
      log.push(`ready ${target.device.id}`);
      tell({ why: 'it is too hot', leftMs: 1000 });
      return Promise.resolve();
    },
    listener: { onWaiting: (wait) => waits.push(wait) },
  });
  expect(trial?.outcome.kind).toBe('completed');
  expect(log.filter((line) => /^(ready|launch)/.test(line))).toEqual([
    ...['ready one', 'launch', 'ready one', 'launch'],
  ]);
  expect(waits[0]).toEqual({ deviceId: 'one', why: 'it is too hot', leftMs: 1000 });
});

test("fails an unfit target's trial with the reason and continues", async () => {
  const { log, equipment } = aScene(['completes']);
  let looks = 0;
  const trials = await collect(aPlan(jobs(2), [aFoundDevice('one')]), {
    ...equipment,
    makeReady: () => {
      looks += 1;
      // The two attempts at the first trial.
      return looks <= 2
        ? Promise.reject(new DriverError('launch-failed', 'The phone one is locked: unlock it'))
        : Promise.resolve();
    },
  });
  expect(trials.map(({ outcome }) => outcome)).toMatchObject([
    {
      kind: 'failed',
      failure: { code: 'launch-failed', message: 'The phone one is locked: unlock it' },
    },
    { kind: 'completed' },
  ]);
  expect(log.filter((line) => line === 'launch')).toHaveLength(1);
});

test('the machine is waited for in each session that has just begun here', async () => {
  const { log, equipment } = aScene(['completes']);
  const waits: unknown[] = [];
  const untilQuiet: NonNullable<Equipment['untilQuiet']> = (tell) => {
    log.push('quiet');
    tell({ why: 'others use 1.5 cores', leftMs: 1500 });
    return Promise.resolve(120.4);
  };
  const listener = { onWaiting: (wait: unknown) => waits.push(wait) };
  const plan = aPlan(jobs(2), [aFoundDevice('one')]);
  const trials = await collect(plan, { ...equipment, untilQuiet, listener });
  expect(trials.map(({ waitedMs }) => waitedMs)).toEqual([120, 120]);
  expect(waits[0]).toEqual({ deviceId: 'one', why: 'others use 1.5 cores', leftMs: 1500 });
  const steps = log.filter((line) => /^(quiet|launch|close)/.test(line));
  expect(steps).toEqual(['launch', 'quiet', 'close', 'launch', 'quiet', 'close']);
});

test('does not wait for this machine with shared, remote or parallel sessions', async () => {
  const { log, equipment } = aScene(['completes']);
  const untilQuiet = (): Promise<number> => Promise.resolve(log.push('quiet'));
  const shared = jobs(3).map((job) => ({ ...job, sessionKey: 'same' }));
  const here = aPlan(shared, [aFoundDevice('one')]);
  const waited = (await collect(here, { ...equipment, untilQuiet })).map((one) => one.waitedMs);
  expect(waited.map((ms) => ms !== undefined)).toEqual([true, false, false]);
  const count = log.filter((line) => line === 'quiet').length;
  const phone = aFoundDevice('one', { phone: { platform: 'android' } });
  await collect(aPlan(jobs(1), [phone]), { ...equipment, untilQuiet });
  await collect({ ...here, allowContention: true }, { ...equipment, untilQuiet });
  expect(log.filter((line) => line === 'quiet')).toHaveLength(count);
});

const reading: CoreReading = {
  probe: 'cpu-core',
  wallMs: 5,
  intervalMs: 100,
  snapshots: [],
  costMs: 0,
};

/** A probe whose readings come some time after its window. */
function aDistantProbe(name: 'cpu-core', log: string[]): Probe {
  return {
    name,
    supports: () => ({ supported: true }),
    attach: () => {
      let arrived = false;
      return {
        start: () => log.push('start'),
        stop: () => log.push('stop'),
        arrived: async () => {
          await new Promise((resolve) => setImmediate(resolve));
          arrived = true;
        },
        collect: (): Reading => (arrived ? reading : { probe: name, notSupported: 'too early' }),
        detach: () => log.push('detach'),
      };
    },
  };
}

test("a session brings its browser's probes and reasons for missing ones", async () => {
  const { log, equipment } = aScene(['completes']);
  const local = (name: Probe['name']): Probe => ({
    name,
    supports: () => ({ supported: true }),
    attach: () => {
      throw new Error('this machine’s probe says nothing of a phone');
    },
  });
  const startSession = async (
    ...args: Parameters<typeof equipment.startSession>
  ): Promise<RunnerSession> => ({
    ...(await equipment.startSession(...args)),
    unseen: 'the browser is on a phone',
    probes: [aDistantProbe('cpu-core', log)],
  });
  const probes = [local('sched'), local('cpu-core')];
  const plan = aPlan(jobs(1), [aFoundDevice('one')]);
  const [trial] = await collect(plan, { ...equipment, probes, startSession });
  expect(trial?.outcome).toMatchObject({
    kind: 'completed',
    readings: [{ probe: 'sched', notSupported: 'the browser is on a phone' }, reading],
  });
  expect(log).toEqual(expect.arrayContaining(['start', 'stop', 'detach']));
});

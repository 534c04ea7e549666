import { expect, test } from '@playwright/test';
import type { Sighting } from '../../../../drivers/driver.ts';
import { fakeDriver } from '../../../../drivers/fake/fake.ts';
import type { Device, Presence } from '../../model/device.ts';
import { aDevice } from '../../../testing/builders.ts';
import { awaitRemote, type Awaiting } from './continue-run.ts';
import { findDevices, type DriverLoader } from '../../setup/presence.ts';

const node = { id: '7f', uri: 'http://127.0.0.1:5555' };
const there = aDevice('there', {
  driver: 'webdriver',
  server: 'http://127.0.0.1:4444',
  remote: {},
});
const here = aDevice('here', { executable: '/nowhere' });

/** A hub that is silent when it is asked the first times. */
function aLoader(silentFor: number): DriverLoader & { looks: number } {
  const state = { looks: 0 };
  const look = (): Promise<Sighting> => {
    state.looks += 1;
    return Promise.resolve(state.looks > silentFor ? { node } : { refusal: 'ECONNREFUSED' });
  };
  const load = (): ReturnType<DriverLoader> => Promise.resolve({ ...fakeDriver(), look });
  return Object.defineProperty(load, 'looks', { get: () => state.looks }) as typeof load & {
    looks: number;
  };
}

const before = (devices: readonly Device[]): Promise<readonly Presence[]> =>
  findDevices(devices, aLoader(0));

async function statusAfter(
  silentFor: number,
  changes: Partial<Awaiting> = {},
): Promise<{ readonly status: readonly string[]; readonly looks: number; readonly said: number }> {
  const loadDriver = aLoader(silentFor);
  let said = 0;
  const presences = await awaitRemote(await findDevices([there, here], loadDriver), {
    before: await before([there, here]),
    loadDriver,
    signal: new AbortController().signal,
    patienceMs: 60_000,
    everyMs: 1,
    say: () => {
      said += 1;
    },
    ...changes,
  });
  return { status: presences.map(({ status }) => status), looks: loadDriver.looks, said };
}

test('finds a device when its hub restarts, without waiting for local ones', async () => {
  expect(await statusAfter(3)).toEqual({ status: ['found', 'missing'], looks: 4, said: 1 });
});

test('says nothing, and looks for nothing again, if all devices are there', async () => {
  expect(await statusAfter(0)).toEqual({ status: ['found', 'missing'], looks: 1, said: 0 });
});

test('a device that was missing from the first is not waited for', async () => {
  const absent = await findDevices([there], aLoader(9));
  const { status, looks } = await statusAfter(9, { before: absent });
  expect({ status, looks }).toEqual({ status: ['missing', 'missing'], looks: 1 });
});

test('stops waiting for a hub that stays away, and on an abort', async () => {
  const { status } = await statusAfter(1e9, { patienceMs: 30 });
  expect(status).toEqual(['missing', 'missing']);
  const { looks } = await statusAfter(1e9, { signal: AbortSignal.abort() });
  expect(looks).toBe(1);
});

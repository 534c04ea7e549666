import { expect, test } from '@playwright/test';
import type { Driver, Sighting } from '../../../drivers/driver.ts';
import { fakeDriver } from '../../../drivers/fake/fake.ts';
import type { Device } from '../model/device.ts';
import { aDevice } from '../../testing/builders.ts';
import { findDevice } from './presence.ts';

const node = { id: '7f', uri: 'http://10.0.0.7:5555', name: 'a' };

function aDriver(sighting: Sighting): Driver {
  return { ...fakeDriver(), look: () => Promise.resolve(sighting) };
}

const there = (overrides: Partial<Device> = {}): Device =>
  aDevice('one', {
    driver: 'webdriver',
    server: 'http://hub.example:4444',
    remote: { node: 'a', pages: 'lan' },
    ...overrides,
  });

test('finds a browser in a grid with its node without local checks', async () => {
  const presence = await findDevice(there(), aDriver({ node }));
  expect(presence).toMatchObject({
    status: 'found',
    target: {
      executable: '',
      server: 'http://hub.example:4444',
      node,
      browser: { name: 'chromium', version: 'unknown' },
    },
  });
});

test('why a grid cannot serve it is the reason, with what to correct', async () => {
  const refusal = 'node "a" of the grid offers no chrome';
  expect(await findDevice(there(), aDriver({ refusal }))).toMatchObject({
    status: 'missing',
    reason: refusal,
    remedy: expect.stringContaining('correct "one" in devices.json'),
  });
});

test('reports before a run that a browser of another machine cannot reach our loopback', async () => {
  const presence = await findDevice(there({ remote: { node: 'a' } }), aDriver({ node }));
  expect(presence).toMatchObject({
    status: 'missing',
    reason: expect.stringContaining('cannot reach the pages'),
    remedy: expect.stringContaining('"pages" of "one"'),
  });
});

test('accepts the loopback for a server on the loopback', async () => {
  const near = there({ server: 'http://127.0.0.1:4444', remote: { node: 'a' } });
  expect(await findDevice(near, aDriver({ node }))).toMatchObject({ status: 'found' });
});

test('a browser that runs already is found with the version that it reports', async () => {
  const running = there({ driver: 'playwright', server: 'ws://127.0.0.1:3000/4f', remote: {} });
  expect(await findDevice(running, aDriver({ node: null, version: '156.0.1' }))).toMatchObject({
    status: 'found',
    target: { executable: '', browser: { name: 'chromium', version: '156.0.1' } },
  });
});

test('finds a remote Safari from any operating system', async () => {
  expect(await findDevice(there({ browser: 'safari' }), aDriver({ node }))).toMatchObject({
    status: 'found',
  });
});

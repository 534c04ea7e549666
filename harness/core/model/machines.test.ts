import { test, expect } from '@playwright/test';
import { aFoundDevice, aMissingDevice } from '../../testing/builders.ts';
import type { Device, Presence } from './device.ts';
import { assignMachines } from './machines.ts';

function at(id: string, server: string, device: Partial<Device> = {}): Presence {
  const found = aFoundDevice(id, { server, ...device });
  return { ...found, target: { ...found.target, executable: '', server } };
}

const hub = 'http://hub.example:4444';
const onNode = (id: string, node: string): Presence => at(id, hub, { remote: { node } });

const machines = (...presences: readonly Presence[]): object =>
  Object.fromEntries(assignMachines({ presences }));

test('everything that the farm starts itself is on one machine, missing devices too', () => {
  expect(machines(aFoundDevice('one'), aFoundDevice('two'), aMissingDevice('gone'))).toEqual({
    one: 'this machine',
    two: 'this machine',
    gone: 'this machine',
  });
});

test('each node of a grid is a separate machine', () => {
  expect(machines(onNode('one', 'a'), onNode('two', 'a'), onNode('three', 'b'))).toEqual({
    one: 'node a of hub.example',
    two: 'node a of hub.example',
    three: 'node b of hub.example',
  });
});

test('a device that may land on any node makes its whole grid one machine', () => {
  expect(machines(onNode('one', 'a'), onNode('two', 'b'), at('any', hub, { remote: {} }))).toEqual({
    one: 'hub.example',
    two: 'hub.example',
    any: 'hub.example',
  });
});

test('driver servers of one host share its cores; loopback ones share ours', () => {
  expect(
    machines(
      at('chrome', 'http://box:9515', { remote: {} }),
      at('firefox', 'http://box:4444', { remote: {} }),
      at('near', 'http://127.0.0.1:9515', { remote: {} }),
      aFoundDevice('own'),
    ),
  ).toEqual({ chrome: 'box', firefox: 'box', near: 'this machine', own: 'this machine' });
});

test('a browser that runs already is on the machine of its WebSocket', () => {
  const playwright = { driver: 'playwright', remote: {} };
  expect(
    machines(
      at('there', 'ws://box:3000/4f', playwright),
      at('near', 'ws://127.0.0.1:3000/4f', playwright),
    ),
  ).toEqual({ there: 'box', near: 'this machine' });
});

test('each phone is a machine; one without serial number may be any', () => {
  const phone = (id: string, udid?: string): Presence =>
    aFoundDevice(id, { phone: { platform: 'android', ...(udid !== undefined && { udid }) } });
  expect(machines(phone('one', 'A1'), phone('two', 'B2'))).toEqual({
    one: 'A1 of android phones',
    two: 'B2 of android phones',
  });
  expect(machines(phone('one', 'A1'), phone('some'))).toEqual({
    one: 'android phones',
    some: 'android phones',
  });
});

test('with contention allowed each device passes for a machine', () => {
  const presences = [aFoundDevice('one'), aFoundDevice('two'), onNode('three', 'a')];
  expect(Object.fromEntries(assignMachines({ presences, allowContention: true }))).toEqual({
    one: 'one',
    two: 'two',
    three: 'three',
  });
});

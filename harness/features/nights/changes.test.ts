import { expect, test } from '@playwright/test';
import { aNight } from '../../testing/nights.ts';
import { findChanges } from './changes.ts';
import type { NightDevice, NightDocument, NightReason } from './night-document.ts';

const nothing = { series: 1, suspects: [], anomalies: [], unconfirmed: [], gone: [] };

const red: NightReason = { step: 'run', level: 'red', text: 'run failed: no device' };

function device(
  state: NightDevice['state'],
  id = 'pixel',
  counts: Partial<NightDevice> = {},
): NightDevice {
  const because = state === 'found' ? null : `${id} is off`;
  return { id, state, browser: null, version: null, because, tried: 0, counting: 0, ...counts };
}

const kinds = (night: NightDocument, ...earlier: NightDocument[]): readonly string[] =>
  findChanges(night, earlier).map(({ kind }) => kind);

test('reports no change for a first night that is fine, or one like the night before', () => {
  expect(kinds(aNight())).toEqual([]);
  const night = aNight({ devices: [device('missing'), device('found', 'other')] });
  expect(kinds(night, night)).toEqual([]);
});

test('an anomaly is new once, and gone once', () => {
  const anomalies = [{ id: 'N1', title: 'fib is slower' }];
  const found = aNight({ analysis: { ...nothing, anomalies } });
  expect(findChanges(found, [aNight()])).toEqual([
    { kind: 'new-anomaly', text: 'N1 is new: fib is slower' },
  ]);
  expect(kinds(found, found)).toEqual([]);
  const gone = aNight({ analysis: { ...nothing, gone: anomalies } });
  expect(findChanges(gone, [found])).toEqual([
    { kind: 'gone-anomaly', text: 'N1 is gone: fib is slower' },
  ]);
  expect(kinds(gone, gone, found)).toEqual([]);
});

test('a night whose analysis failed neither finds anything nor makes it new the night after', () => {
  const found = aNight({ analysis: { ...nothing, anomalies: [{ id: 'N1', title: 'x' }] } });
  const blind = aNight({ analysis: null });
  expect(kinds(blind, found)).toEqual([]);
  expect(kinds(found, blind, found)).toEqual([]);
});

test('reports a red night, and the next one only if it is red for another reason', () => {
  const first = aNight({ status: 'red', reasons: [red] });
  expect(findChanges(first, [aNight()])).toEqual([
    { kind: 'red-night', text: expect.stringMatching(/red.*run failed: no device$/) },
  ]);
  const again = aNight({
    status: 'red',
    reasons: [{ ...red, text: 'run failed: another device' }],
  });
  expect(kinds(again, first)).toEqual([]);
  const other: NightReason = { step: 'integrity', level: 'red', text: 'damaged' };
  const both = aNight({ status: 'red', reasons: [red, other] });
  expect(findChanges(both, [first])[0]!.text).toBe('the night is red: damaged');
});

test('a night that is no longer red says so; one that merely wants attention is not red', () => {
  const before = aNight({ status: 'red', reasons: [red] });
  expect(kinds(aNight(), before)).toEqual(['no-longer-red']);
  const look: NightReason = { step: 'run', level: 'attention', text: '1 of 4 cells failed' };
  const attention = aNight({ status: 'attention', reasons: [look] });
  expect(kinds(attention, before)).toEqual(['no-longer-red']);
  expect(kinds(attention, aNight())).toEqual([]);
});

test('a night that never ended is reported by the one that found it', () => {
  const night = aNight({ brokenOff: ['2026-11-20T02-30-00Z'] });
  const dead = aNight({ status: 'broken-off', exitCode: 3 });
  expect(kinds(night, dead)).toEqual(['night-broken-off']);
});

test('the next night reports what an interrupted one had found', () => {
  const analysis = { ...nothing, anomalies: [{ id: 'N1', title: 'fib is slower' }] };
  const brokeOff = aNight({ analysis, finishedAt: null, devices: [device('missing')] });
  const before = aNight({ devices: [device('found')] });
  expect(kinds(aNight({ devices: [device('missing')] }), brokeOff, before)).toEqual([
    'new-anomaly',
    'device-lost',
  ]);
  expect(kinds(aNight({ analysis: null }), brokeOff, before)).toEqual(['new-anomaly']);
  expect(kinds(aNight({ analysis }), brokeOff)).toEqual(['new-anomaly']);
  expect(kinds(aNight(), aNight(), brokeOff, before)).toEqual([]);
});

test('reports once that no trial of a device can be used', () => {
  const useless = (id: string): NightDevice => device('found', id, { tried: 4, counting: 0 });
  const good = device('found', 'other', { tried: 40, counting: 40 });
  const night = aNight({ devices: [useless('pixel'), good] });
  expect(findChanges(night, [aNight()])).toEqual([
    {
      kind: 'night-unusable',
      text: expect.stringMatching(/no trial of pixel counts.* 4 cells/),
    },
  ]);
  expect(kinds(night, night)).toEqual([]);
  expect(kinds(aNight({ devices: [useless('pixel'), useless('two'), good] }), night)).toEqual([
    'night-unusable',
  ]);
});

test('a device is lost when it is missing or died too often, and back when it is there', () => {
  const there = aNight({ devices: [device('found')] });
  const missing = aNight({ devices: [device('missing')] });
  const quarantined = aNight({ devices: [device('quarantined')] });
  expect(findChanges(missing, [there])).toEqual([
    { kind: 'device-lost', text: 'pixel is lost: pixel is off' },
  ]);
  expect(kinds(quarantined, there)).toEqual(['device-lost']);
  expect(kinds(quarantined, missing)).toEqual([]);
  expect(findChanges(there, [missing])).toEqual([{ kind: 'device-back', text: 'pixel is back' }]);
  expect(kinds(there, quarantined)).toEqual(['device-back']);
});

test('reports no device that the inventory gained or lost, and remembers one that a night did not look at', () => {
  const there = aNight({ devices: [device('found')] });
  expect(kinds(there, aNight())).toEqual([]);
  expect(kinds(aNight(), there)).toEqual([]);
  const missing = aNight({ devices: [device('missing')] });
  expect(kinds(missing, aNight({ devices: [] }), there)).toEqual(['device-lost']);
});

import { expect, test } from '@playwright/test';
import type { Presence } from '../../core/model/device.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { aCase, aFoundDevice, aJob, aRecord, aTrial } from '../../testing/builders.ts';
import { readSides } from './compared-sides.ts';

function aBuild(id: string, version: string): Presence {
  const found = aFoundDevice(id);
  return { ...found, target: { ...found.target, browser: { name: 'chromium', version } } };
}

/** A comparison of two devices, the one that is judged first. */
function compare(a: Presence, b: Presence, own = aCase()): RunRecord {
  const jobs = [
    aJob({ deviceId: a.device.id, case: own }),
    aJob({ ordinal: 1, deviceId: b.device.id, case: aCase() }),
  ];
  const record = aRecord(
    [a, b],
    jobs.map((job) => aTrial(job, [1])),
  );
  return { ...record, run: { ...record.run, suite: 'compare' } };
}

test('builds of one browser are named by their versions, the older side first', () => {
  const record = compare(aBuild('chromium@after', '157.0'), aBuild('chromium@before', '156.0'));
  const sides = readSides(record);
  expect(sides).toMatchObject({
    kind: 'devices',
    names: ['156.0', '157.0'],
    places: [{ browser: 'chromium', page: expect.stringMatching(/^fib /) }],
  });
  expect(record.jobs.map((job) => sides?.findSide(job))).toEqual([1, 0]);
});

test('a repetition has the same places, whatever its sides are called', () => {
  const [first, again] = ['before after', 'b a'].map((names) => {
    const [before = '', after = ''] = names.split(' ');
    const builds = [aBuild(`chromium@${after}`, '157.0'), aBuild(`chromium@${before}`, '156.0')];
    const record = compare(builds[0]!, builds[1]!);
    return record.jobs.map((job) => readSides(record)?.findPlace(job));
  });
  expect(again).toEqual(first);
});

test('two browsers are named by their ids, and so are different cases', () => {
  const [one, two] = [aFoundDevice('firefox'), aFoundDevice('chromium')];
  expect(readSides(compare(one, two))).toMatchObject({
    names: ['chromium', 'firefox'],
    places: [{ browser: null }],
  });
  const other = aCase(13);
  expect(readSides(compare(one, two, other))?.names).toEqual([
    expect.stringMatching(/^chromium with fib .*n=12/),
    expect.stringMatching(/^firefox with fib .*n=13/),
  ]);
});

test('one build with two settings is named as its devices are', () => {
  const [a, b] = ['a', 'b'].map((side) =>
    aFoundDevice(`chromium@${side}`, { name: `Chromium (${side})` }),
  );
  expect(readSides(compare(a!, b!))).toMatchObject({
    names: ['Chromium (b)', 'Chromium (a)'],
    places: [{ browser: null }],
  });
});

test('a run of a suite has no sides', () => {
  expect(readSides(aRecord([aFoundDevice('one')], [aTrial(aJob(), [1])]))).toBeNull();
});

import { expect, test } from '@playwright/test';
import type { RunRecord } from '../../core/model/run.ts';
import { seededGenerator } from '../../core/analysis/stats/random.ts';
import { aFoundDevice, aJob, aMissingDevice, aRecord, aTrial } from '../../testing/builders.ts';
import { chooseTwin, judgeLane, summariseLanes, twinOf, type LaneOfNight } from './aa-lane.ts';

/** A night in which `one` has a twin that is slower by so much, with 3 % noise. */
function aNightOf(blocks: number, slower: number): RunRecord {
  const generator = seededGenerator(blocks);
  const value = (factor: number): number => 10 * factor * (1 + 0.03 * (generator.uniform() - 0.5));
  const trials = Array.from({ length: blocks }, (_, block) => [
    aTrial(aJob({ ordinal: 3 * block, block, deviceId: 'one' }), [value(1)]),
    aTrial(aJob({ ordinal: 3 * block + 1, block, deviceId: 'one@aa' }), [value(1 + slower)]),
    aTrial(aJob({ ordinal: 3 * block + 2, block, deviceId: 'two' }), [value(3)]),
  ]).flat();
  return aRecord([aFoundDevice('one'), aFoundDevice('two'), twinOf(aFoundDevice('one'))], trials);
}

test('a twin is the same target under a name that no inventory can have', () => {
  const one = aFoundDevice('one');
  const twin = twinOf(one);
  expect(twin.device).toEqual({ ...one.device, id: 'one@aa', name: `${one.device.name} (again)` });
  expect(twin.status === 'found' && twin.target).toEqual({ ...one.target, device: twin.device });
});

test('each target has its turn: the one for which it is longest ago', () => {
  const all = [
    aFoundDevice('one'),
    aMissingDevice('gone'),
    aFoundDevice('two'),
    aFoundDevice('three'),
  ];
  const choose = (...before: string[]): string | undefined => chooseTwin(all, before)?.device.id;
  expect(choose()).toBe('one');
  expect(choose('one')).toBe('two');
  expect(choose('two', 'one')).toBe('three');
  expect(choose('three', 'two', 'one')).toBe('one');
  expect(choose('one', 'three', 'two', 'one')).toBe('two');
  expect(chooseTwin([aMissingDevice('gone')], [])).toBeNull();
});

test('the lane reports the difference of a target from itself, and nothing of the others', () => {
  const lane = judgeLane(aNightOf(20, 0))!;
  expect(lane.target).toBe('one');
  expect(lane.results).toHaveLength(1);
  const [result] = lane.results;
  expect(result).toMatchObject({ metric: 'duration', blocks: 20, alarm: false });
  expect(result!.low!).toBeLessThan(1);
  expect(result!.high!).toBeGreaterThan(1);
  const halfWidth = Math.log(result!.high! / result!.low!) / 2;
  expect(result!.smallestVisible).toBeCloseTo(halfWidth, 10);
});

test('a difference between a target and itself is a false alarm', () => {
  expect(judgeLane(aNightOf(30, 0.5))!.results[0]).toMatchObject({ alarm: true });
});

test('a run without a twin has no lane', () => {
  const job = aJob();
  expect(judgeLane(aRecord([aFoundDevice('one')], [aTrial(job, [1])]))).toBeNull();
});

function aLane(
  target: string,
  results: readonly (readonly [number | null, boolean])[],
): LaneOfNight {
  return {
    target,
    results: results.map(([smallestVisible, alarm], index) => ({
      case: `case ${String(index)}`,
      metric: 'duration',
      blocks: 8,
      low: smallestVisible === null ? null : 1 - smallestVisible,
      high: smallestVisible === null ? null : 1 + smallestVisible,
      smallestVisible,
      alarm,
    })),
  };
}

test('over the nights: how many false alarms, with an interval, and what could be seen of each case', () => {
  const history = summariseLanes([
    aLane('one', [
      [0.02, false],
      [0.1, true],
    ]),
    aLane('two', [[0.5, false]]),
    aLane('one', [
      [0.04, false],
      [null, false],
    ]),
  ]);
  expect(history).toMatchObject({ nights: 3, comparisons: 4, alarms: 1 });
  expect(history.rate!.rate).toBe(0.25);
  expect(history.rate!.low).toBeLessThan(0.05);
  expect(history.rate!.high).toBeGreaterThan(0.5);
  const told = history.smallest.map((one) => [
    one.device,
    one.case,
    one.nights,
    one.smallestVisible,
  ]);
  expect(told).toEqual([
    ['one', 'case 0', 2, 0.03],
    ['one', 'case 1', 2, 0.1],
    ['two', 'case 0', 1, 0.5],
  ]);
});

test('nights with too few blocks for any verdict give no rate', () => {
  expect(summariseLanes([])).toMatchObject({ nights: 0, comparisons: 0, rate: null });
  expect(summariseLanes([aLane('one', [[null, false]])])).toMatchObject({ nights: 1, rate: null });
});

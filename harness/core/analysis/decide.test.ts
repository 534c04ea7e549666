import { test, expect } from '@playwright/test';
import type { Trial } from '../model/trial.ts';
import { aBenchmark, aCase, aFoundDevice, aJob, aTrial } from '../../testing/builders.ts';
import { decidePair, decideTable } from './decide.ts';
import { pairValues, type Pair } from './pairs.ts';
import { stopState, untilWorseBy } from './stopping.ts';
import { seededGenerator } from './stats/random.ts';

const metric = aBenchmark.metrics[0]!;
const pairOf = (a: string, b: string): Pair => ({
  a: { deviceId: a, case: aCase() },
  b: { deviceId: b, case: aCase() },
  metric,
});
const rules = { margin: 0.02, alpha: 0.05 };

/** One trial of each device in each block; the value of a device is its list's, in block order. */
function blocks(values: Readonly<Record<string, readonly (number | 'fails')[]>>): Trial[] {
  return Object.entries(values)
    .flatMap(([deviceId, list]) =>
      list.map((value, block) =>
        aTrial(
          aJob({ ordinal: block, block, deviceId }),
          value === 'fails'
            ? { kind: 'failed', failure: { code: 'browser-died', message: 'killed' } }
            : [value],
        ),
      ),
    )
    .sort((one, other) => one.job.block - other.job.block);
}

const about = (centre: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => centre * (1 + 0.01 * Math.sin(index * 2.3)));

test('pairs values by block, and leaves out a block without one side', () => {
  const trials = blocks({ a: [1, 'fails', 3], b: [10, 20, 30] });
  expect(pairValues(trials, pairOf('a', 'b'))).toMatchObject([
    { block: 0, a: 1, b: 10 },
    { block: 2, a: 3, b: 30 },
  ]);
});

test('makes no decision without a common block', () => {
  const trials = blocks({ a: ['fails'], b: [1] });
  expect(decidePair(trials, pairOf('a', 'b'), rules)).toEqual({ kind: 'no-blocks' });
});

test('goes on until the smallest number of blocks, and then decides a large difference', () => {
  const pair = pairOf('a', 'b');
  expect(stopState(blocks({ a: about(1, 5), b: about(2, 5) }), [pair], rules)).toEqual({
    kind: 'go-on',
  });
  const trials = blocks({ a: about(1, 20), b: about(2, 20) });
  expect(stopState(trials, [pair], rules)).toEqual({ kind: 'decided' });
  expect(decideTable(trials, [pair], rules)[0]).toMatchObject({
    discovery: true,
    decision: { decision: { verdict: 'faster' } },
  });
});

test('a slowdown stays undecided until clearly above or below the margin', () => {
  const kindAfter = (ratio: number, count: number, { worseBy = 0.05, change = {} } = {}) => {
    const trials = blocks({ a: about(ratio, count), b: about(1, count).toReversed() });
    const pair = { ...pairOf('a', 'b'), metric: { ...metric, ...change } };
    return stopState(trials, [pair], { ...rules, isOpen: untilWorseBy(worseBy) }).kind;
  };
  expect(kindAfter(1.06, 9, { worseBy: 0 })).toBe('decided');
  expect(kindAfter(1.06, 9)).toBe('go-on');
  expect(kindAfter(1.08, 40)).toBe('decided');
  expect(kindAfter(1.03, 40)).toBe('decided');
  expect(kindAfter(1.05, 40)).toBe('go-on');
  expect(kindAfter(1.2, 9)).toBe('decided');
  expect(kindAfter(0.93, 9)).toBe('decided');
  // A rate that is 5 % lower takes 5.3 % longer.
  const change = { direction: 'higher' };
  expect(kindAfter(0.952, 40, { change })).toBe('go-on');
  expect(kindAfter(0.8, 9, { change })).toBe('decided');
});

test('names a side that dies half-way, and does not wait for it', () => {
  const trials = blocks({
    a: [...about(1, 4), 'fails', 'fails', 'fails'],
    b: about(1.01, 7),
  });
  expect(stopState(trials, [pairOf('a', 'b')], rules)).toEqual({
    kind: 'vanished',
    reason: expect.stringMatching(/^a .*no result.* 3 blocks.*: killed$/),
  });
});

test('a vanished side does not stop pairs that are still open', () => {
  const trials = blocks({
    a: about(1, 4),
    b: about(1.01, 4),
    c: ['fails', 'fails', 'fails', 'fails'],
  });
  expect(stopState(trials, [pairOf('a', 'c'), pairOf('a', 'b')], rules)).toEqual({
    kind: 'go-on',
  });
});

test('a value of 0 has a reason and no verdict', () => {
  const pair = pairOf('a', 'b');
  const trials = blocks({ a: [...about(1, 9), 0], b: Array.from({ length: 10 }, () => 2) });
  expect(decidePair(trials, pair, rules)).toEqual({
    kind: 'no-ratio',
    zeros: 'none',
    because: expect.stringMatching(/no ratio.* 0 ms \(a\) .* 2 ms \(b\) .*block 10.* above 0/),
  });
  expect(stopState(trials, [pair], rules)).toMatchObject({ kind: 'vanished' });
});

test("equal zeros are the same after eight blocks without ending others' ratios", () => {
  const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
  const pair: Pair = { ...pairOf('a', 'b'), exact: true };
  const few = blocks({ a: zeros(7), b: zeros(7) });
  expect(stopState(few, [pair], rules)).toEqual({ kind: 'go-on' });
  const many = blocks({ a: zeros(8), b: zeros(8) });
  expect(stopState(many, [pair], rules)).toEqual({ kind: 'decided' });
  expect(decidePair(many, pair, rules)).toMatchObject({ kind: 'no-ratio', zeros: 'same' });
  // A clock may hide a difference.
  expect(decidePair(many, pairOf('a', 'b'), rules)).toMatchObject({ zeros: 'none' });
  const mixed = blocks({ a: about(1, 20), b: about(2, 20), c: [...zeros(1), ...about(1, 19)] });
  expect(stopState(mixed, [pair, pairOf('a', 'c')], rules)).toEqual({ kind: 'decided' });
});

test('omits an optional metric that a browser lacks and does not wait', () => {
  const pair = pairOf('a', 'b');
  const lacking: Pair = { ...pair, metric: { ...metric, id: 'heap', optional: true } };
  const trials = blocks({ a: about(1, 20), b: about(2, 20) });
  expect(stopState(trials, [pair, lacking], rules)).toEqual({ kind: 'decided' });
  const [alone] = decideTable(trials, [pair], rules);
  const [beside, none] = decideTable(trials, [pair, lacking], rules);
  expect(none).toMatchObject({ decision: { kind: 'not-given' }, discovery: false });
  expect(beside).toEqual(alone);
});

const withRound = { ...rules, firstRound: 5 };

test('decides alike sides by a first round of five blocks, and no others', () => {
  const pair = pairOf('a', 'b');
  const alike = blocks({ a: about(1, 5), b: about(2, 5) });
  expect(decidePair(alike, pair, withRound)).toMatchObject({ decision: { verdict: 'faster' } });
  expect(decidePair(alike, pair, rules)).toMatchObject({
    decision: { because: 'too-few-blocks' },
  });
  const unlike = alike.map((trial) =>
    trial.job.deviceId === 'a' ? { ...trial, browser: { name: 'firefox', version: '1' } } : trial,
  );
  expect(decidePair(unlike, pair, withRound)).toMatchObject({
    decision: { because: 'too-few-blocks' },
  });
});

test('counts twins and builds under one driver as alike, not other drivers', () => {
  const pair = pairOf('a', 'b');
  const trials = blocks({ a: about(1, 5), b: about(2, 5) });
  const decided = (changes: Parameters<typeof aFoundDevice>[1]) =>
    decidePair(trials, pair, {
      ...withRound,
      presences: [aFoundDevice('a'), aFoundDevice('b', changes)],
    });
  const flags = ['--x'];
  expect(decided({ flags })).toMatchObject({ decision: { verdict: 'faster' } });
  expect(decided({ flags, driver: 'other' })).toMatchObject({
    decision: { because: 'too-few-blocks' },
  });
  expect(decided({})).toMatchObject({ decision: { verdict: 'faster' } });
});

test('decides nothing while a side owes a trial of the first round', () => {
  const pair = pairOf('a', 'b');
  const round = { ...rules, firstRound: 9 };
  const trials = blocks({ a: about(1, 9), b: about(2, 9) });
  const owing = trials.filter(({ job }) => job.block !== 4 || job.deviceId === 'a');
  expect(decidePair(owing, pair, rules)).toMatchObject({ decision: { verdict: 'faster' } });
  expect(decidePair(owing, pair, round)).toMatchObject({ decision: { because: 'too-few-blocks' } });
  expect(decidePair(trials, pair, round)).toMatchObject({ decision: { verdict: 'faster' } });
});

test('leaves a failed block out of the first round, at the cost of evidence', () => {
  const pair = pairOf('a', 'b');
  const failed = blocks({ a: [...about(1, 4), 'fails'], b: about(2, 5) });
  expect(decidePair(failed, pair, withRound)).toMatchObject({
    decision: { because: 'too-few-blocks', blocks: 4 },
  });
  const later = blocks({ a: [...about(1, 4), 'fails', 1, 1, 1], b: about(2, 8) });
  expect(decidePair(later, pair, withRound)).toMatchObject({
    decision: { verdict: 'faster', blocks: 7 },
  });
});

test('calls nothing equivalent that the clock cannot resolve', () => {
  const pair = pairOf('a', 'b');
  const same = Array.from({ length: 40 }, () => 0.05);
  // A clock of 5 µs: a tenth of each value.
  expect(decidePair(blocks({ a: same, b: same }), pair, rules)).toMatchObject({
    decision: { verdict: 'undecided', because: 'too-wide', moreBlocks: null },
  });
  const longer = same.map((value) => 100 * value);
  expect(decidePair(blocks({ a: longer, b: longer }), pair, rules)).toMatchObject({
    decision: { verdict: 'equivalent' },
  });
});

/** A table of rows that are three times slower and of rows that are the same, of trials 3 % apart. */
function aTable(
  slower: number,
  seed: number,
): { trials: readonly Trial[]; pairs: readonly Pair[] } {
  const generator = seededGenerator(seed);
  const ids = Array.from({ length: 16 }, (_, index) => `d${String(index)}`);
  const values = (times: number): readonly number[] =>
    Array.from({ length: 10 }, () => 10 * times * Math.exp(0.03 * generator.normal()));
  const sides = Object.fromEntries(ids.map((id, index) => [id, values(index < slower ? 3 : 1)]));
  return {
    trials: blocks({ base: values(1), ...sides }),
    pairs: ids.map((id) => pairOf(id, 'base')),
  };
}

test('rows that are clearly slower do not wait for rows that are the same', () => {
  const decided = (slower: number, seen: number): number => {
    const all = Array.from({ length: 20 }, (_, seed) => {
      const { trials, pairs } = aTable(slower, seed);
      const sofar = trials.filter(({ job }) => job.block < seen);
      return decideTable(sofar, pairs, rules).filter(({ discovery }) => discovery).length;
    });
    return Math.min(...all);
  };
  expect(decided(6, 8)).toBe(6);
  expect(decided(4, 8)).toBe(4);
  // 2 / 2^8 is more than 5 % of a sixteenth: nothing that holds in the table can be sooner.
  expect(decided(1, 10)).toBe(1);
});

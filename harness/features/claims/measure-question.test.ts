import { expect, test } from '@playwright/test';
import { judge, wholeBlocks } from './judging/judge.ts';
import type { Trial } from '../../core/model/trial.ts';
import { aFoundDevice, aJob, anAnomaly, aPlan, aTrial } from '../../testing/builders.ts';
import { watchQuestion } from './measure-question.ts';

const { question } = anAnomaly();
const presences = ['old', 'new'].map((id) => aFoundDevice(id));
const jobs = [0, 1, 2, 3].flatMap((block) =>
  ['old', 'new'].map((deviceId, index) => aJob({ deviceId, block, ordinal: block * 2 + index })),
);
const trials: readonly Trial[] = jobs.map((job) => aTrial(job, [job.deviceId === 'old' ? 2 : 1]));

/** The trial after which the run ends, when each takes the given milliseconds. */
function endsAfter(milliseconds: number, budget: number): number | null {
  let elapsed = 0;
  const watch = watchQuestion(question, aPlan(jobs, presences), { budget, now: () => elapsed });
  for (let count = 1; count <= trials.length; count += 1) {
    elapsed += milliseconds;
    if (watch.enough(trials.slice(0, count))) return count;
  }
  return null;
}

test('a budget that one trial uses up ends the run in the middle of a block', () => {
  expect(endsAfter(60_000, 10_000)).toBe(1);
  expect(endsAfter(60_000, 60_000)).toBe(2);
});

test('a block that would not end in time is not begun', () => {
  expect(endsAfter(1_000, 5_000)).toBe(4);
  expect(endsAfter(1_000, 1e9)).toBeNull();
});

test('a repeat of an early block says nothing of how long a block takes', () => {
  const watch = watchQuestion(question, aPlan(jobs, presences), {
    budget: 8_000,
    now: () => 6_000,
  });
  const [first] = trials;
  if (first === undefined) throw new TypeError('there are trials');
  const job = { ...first.job, ordinal: 100, repeats: first.job.ordinal };
  const isLate = { kind: 'completed', quarantine: ['the machine was slow'] } as const;
  const late = { ...first, outcome: { ...first.outcome, ...isLate } } as Trial;
  const repeated = [late, ...trials.slice(1), { ...first, job }];
  expect(watch.enough(trials)).toBe(false);
  expect(watch.enough(repeated)).toBe(false);
});

test('a block that was broken off is not judged', () => {
  expect(wholeBlocks(question, trials)).toEqual(trials);
  expect(wholeBlocks(question, trials.slice(0, 5))).toEqual(trials.slice(0, 4));
  expect(wholeBlocks(question, trials.slice(0, 1))).toEqual([]);
  expect(wholeBlocks(question, [])).toEqual([]);
});

test('the side that a broken block still got is not judged either', () => {
  const [ratio] = question.assertions;
  if (ratio?.kind !== 'ratio') throw new TypeError('it is a ratio');
  const { a: of, sentence, role, quantity, expected, published } = ratio;
  const facts = { sentence, role, quantity, expected, published };
  const both = { ...question, assertions: [ratio, { ...facts, kind: 'level' as const, of }] };
  const blocks = judge(both, trials.slice(0, 7)).assertions.map((one) => one.blocks);
  expect(blocks).toEqual([3, 3]);
});

test('arms whose assertions are settled leave the run, and the others go on', () => {
  const [ratio] = question.assertions;
  if (ratio?.kind !== 'ratio') throw new TypeError('it is a ratio');
  const arms = (a: string, b: string) => ({
    ...ratio,
    a: { ...ratio.a, deviceId: a },
    b: { ...ratio.b, deviceId: b },
    expected: { above: 1.5 },
    published: { text: '', low: null, high: null },
  });
  const two = { ...question, assertions: [arms('old', 'new'), arms('third', 'fourth')] };
  const devices = ['old', 'new', 'third', 'fourth'];
  // The first ratio is 2 in each block; the other one wanders around what is expected of it.
  const valueOf = (device: string, block: number): number =>
    device === 'old' ? 2 : device === 'third' ? (block % 2 === 0 ? 1.2 : 1.9) : 1;
  const cells = Array.from({ length: 13 }, (_, block) =>
    devices.map((deviceId, index) => aJob({ deviceId, block, ordinal: block * 4 + index })),
  ).flat();
  const watch = watchQuestion(
    two,
    aPlan(
      cells,
      devices.map((id) => aFoundDevice(id)),
    ),
  );
  const sofar: Trial[] = [];
  const left: string[] = [];
  for (const job of cells) {
    const reason = watch.reasonToLeaveOut(job);
    if (reason !== null) left.push(`${job.deviceId} ${String(job.block)}`);
    sofar.push(
      reason === null
        ? aTrial(job, [valueOf(job.deviceId, job.block)])
        : aTrial(job, { kind: 'skipped', reason, remedy: '' }),
    );
    expect(watch.enough(sofar)).toBe(false);
  }
  expect(left[0]).toBe('old 6');
  expect(new Set(left.map((one) => one.split(' ')[0]))).toEqual(new Set(['old', 'new']));
  expect(sofar.at(-1)?.outcome.kind).toBe('completed');
  expect(wholeBlocks(two, sofar)).toEqual(sofar);
  const { assertions } = judge(two, sofar);
  expect(assertions.map(({ outcome, blocks }) => [outcome, blocks])).toEqual([
    ['holds', 6],
    ['open', 13],
  ]);
});

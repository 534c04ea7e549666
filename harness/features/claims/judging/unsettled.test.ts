import { expect, test } from '@playwright/test';
import type { Question } from '../../../core/model/question.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import type { Trial } from '../../../core/model/trial.ts';
import { aFoundDevice, aJob, anAnomaly, aRecord, aTrial } from '../../../testing/builders.ts';
import { seededGenerator } from '../../../core/analysis/stats/random.ts';
import { judge } from './judge.ts';
import {
  describeUnsettled,
  moreBlocksFor,
  questionState,
  type OpenAssertions,
} from './unsettled.ts';

/** It is slower, published as 1.4 to 1.6 times. */
const { question } = anAnomaly();

function trialsOf(blocks: number, ratio: number, noise = 0.2): readonly Trial[] {
  const generator = seededGenerator(5);
  return Array.from({ length: blocks }, (_, block) =>
    ['old', 'new'].map((deviceId, index) =>
      aTrial(aJob({ deviceId, block, ordinal: block * 2 + index }), [
        10 * (deviceId === 'old' ? ratio : 1) * Math.exp(noise * generator.normal()),
      ]),
    ),
  ).flat();
}

function unsettled(trials: readonly Trial[], run: Partial<RunRecord['run']> = {}): OpenAssertions {
  const record = aRecord(
    ['old', 'new'].map((id) => aFoundDevice(id)),
    trials,
  );
  const told = { ...record, run: { ...record.run, ...run } };
  return describeUnsettled(told, question, judge(question, trials));
}

test('projects how many more blocks a run takes, and these settle it', () => {
  const few = trialsOf(8, 1.5);
  const more = moreBlocksFor(question, judge(question, few));
  expect(more).toBeGreaterThan(0);
  expect(more).toBeLessThan(100);
  expect(questionState(question, trialsOf(8 + 2 * (more ?? 0), 1.5)).kind).toBe('answered');
  expect(moreBlocksFor(question, judge(question, trialsOf(150, 1.5)))).toBeNull();
});

test('says why the run ended: blocks, time, or Ctrl-C', () => {
  const few = trialsOf(8, 1.5);
  const command = 'npx crossfarm findings reproduce N1 --max-blocks 8 --budget 900 --seed 1';
  expect(unsettled(few, { command }).text).toMatch(/\d+ more blocks.* 8 blocks of --max-blocks/);
  const longer = command.replace('8', '24');
  expect(unsettled(few, { command: longer }).text).toContain('900 s of --budget');
  expect(unsettled(few, { status: 'interrupted' }).text).toContain('interrupted');
  expect(unsettled(few, { command: 'x' }).text).toMatch(/^[\w ]+ \d+ more blocks [\w ]+$/);
});

test('projects nothing where that is impossible, and nothing once all is settled', () => {
  expect(unsettled(trialsOf(1, 1.5), { command: 'x' })).toEqual({
    text: expect.stringContaining('cannot be foreseen'),
    moreBlocks: null,
  });
  expect(unsettled([], { command: 'x' }).text).toMatch(/^no block counts: /);
  expect(unsettled(trialsOf(150, 1.5))).toEqual({ text: null, moreBlocks: null });
  const [ratio] = question.assertions;
  if (ratio?.kind !== 'ratio') throw new TypeError('it is a ratio');
  const level: Question = {
    ...question,
    assertions: [{ ...ratio, kind: 'level', of: ratio.a }],
  };
  expect(moreBlocksFor(level, judge(level, trialsOf(3, 1.5)))).toBeNull();
});

test('reports equal sides, and asks for no more blocks', () => {
  const told = unsettled(trialsOf(40, 1, 0.004));
  expect(told.text).toMatch(/^it is slower:.*equal within 2 %/);
  expect(told.moreBlocks).toBeNull();
});

import { expect, test } from '@playwright/test';
import { aNight } from '../../testing/nights.ts';
import { NightDiary } from './diary.ts';
import type { NightDocument } from './night-document.ts';

function aDiary(save: (document: NightDocument) => Promise<void> = () => Promise.resolve()) {
  return new NightDiary(aNight(), { save, complain: () => undefined });
}

test('a step that hangs is given up at its deadline, and the night continues', async () => {
  const diary = aDiary();
  const hangs = (): Promise<never> => new Promise(() => undefined);
  expect(await diary.step('analysis', { deadlineMs: 5, act: hangs })).toBeNull();
  expect(diary.abandoned).toBe(true);
  expect(diary.document.steps).toMatchObject([
    { step: 'analysis', outcome: 'failed', because: expect.stringMatching(/analysis .* 0 s$/) },
  ]);
  const quick = (): Promise<object> => Promise.resolve({ done: true });
  expect(await diary.step('report', { deadlineMs: 1_000, act: quick })).toEqual({ done: true });
});

test('a step that fails by itself is not counted as one that hangs', async () => {
  const diary = aDiary();
  await diary.step('report', { deadlineMs: 1_000, act: () => Promise.reject(new Error('boom')) });
  expect(diary.abandoned).toBe(false);
});

test('notes that come at once are written one after the other, and the last one stays', async () => {
  const written: (number | null)[] = [];
  let first = true;
  const diary = aDiary(async ({ run }) => {
    // The first takes longer than those after it.
    if (first) for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    first = false;
    written.push(run);
  });
  await Promise.all([1, 2, 3].map((run) => diary.note({ run })));
  expect(written.at(-1)).toBe(3);
  expect(written).toHaveLength(3);
});

test('an endless message is cut', async () => {
  const diary = aDiary();
  const act = (): Promise<never> => Promise.reject(new Error('x'.repeat(1e6)));
  await diary.step('report', { deadlineMs: 1_000, act });
  expect(diary.document.steps[0]!.because!.length).toBeLessThan(2_000);
});

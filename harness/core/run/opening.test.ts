import { expect, test } from '@playwright/test';
import { TrialClock } from './deadline.ts';
import { askUntilAnswered, type OpeningSetting, readyToOpen } from './opening.ts';

/** The steps, in order, until the page is open. */
async function recordSteps(
  emptyUrl: string | null,
  missing?: 'navigate' | 'rest',
): Promise<string> {
  const course: string[] = [];
  const note = (what: string) => (url: string) => Promise.resolve(void course.push(what + url));
  const session: OpeningSetting['session'] = {
    ended: new Promise(() => undefined),
    open: note('open '),
    ...(missing !== 'navigate' && { navigate: note('lead to ') }),
    // The page is there when it is asked for the second time.
    evaluate: () =>
      note('look')('').then(() => course.filter((what) => what === 'look').length > 1 || null),
  };
  const setting = {
    session,
    limits: { loadMs: 1000 },
    clock: new TrialClock(1000, () => 0),
    signal: new AbortController().signal,
    ...(missing !== 'rest' && { rest: () => note('rest')('') }),
  };
  const open = await readyToOpen(emptyUrl, setting);
  course.push('ready');
  await open('page');
  return course.join(', ');
}

test("loads a page in a rested browser, in its origin's process", async () => {
  expect(await recordSteps('empty')).toBe('open empty, look, look, rest, ready, lead to page');
});

test('only the browser rests for a page without origin or redirection', async () => {
  expect(await recordSteps('empty', 'navigate')).toBe('rest, ready, open page');
  expect(await recordSteps(null)).toBe('rest, ready, open page');
});

test('in a session that is open already the page is opened at once', async () => {
  expect(await recordSteps('empty', 'rest')).toBe('ready, open page');
});

test('asks a page again when its starting process lost the question', async () => {
  const lost = new Promise<never>(() => undefined);
  const answers = [
    () => lost,
    () => Promise.reject(new Error('no page yet')),
    () => Promise.resolve('there'),
  ];
  const answer = await askUntilAnswered(() => answers.shift()?.() ?? lost, 'x', {
    everyMs: 0,
    lostMs: 1,
    signal: new AbortController().signal,
  });
  expect(answer).toBe('there');
});

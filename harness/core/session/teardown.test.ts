import { expect, test } from '@playwright/test';
import { settles, Teardown } from './teardown.ts';

test('undoes everything in reverse order and reports the first failure', async () => {
  const done: string[] = [];
  const teardown = new Teardown();
  teardown.add(() => done.push('directory'));
  teardown.add(() => Promise.reject(new Error('second')));
  teardown.add(() => {
    throw new Error('first');
  });
  teardown.add(() => done.push('browser'));
  expect(await teardown.run()).toMatchObject({ message: 'first' });
  expect(done).toEqual(['browser', 'directory']);
});

test('running twice takes back once', async () => {
  let count = 0;
  const teardown = new Teardown();
  teardown.add(() => (count += 1));
  expect(await Promise.all([teardown.run(), teardown.run()])).toEqual([null, null]);
  expect(count).toBe(1);
});

test('a promise settles either way, or not in time', async () => {
  expect(await settles(Promise.resolve(), 5000)).toBe(true);
  expect(await settles(Promise.reject(new Error('no')), 5000)).toBe(true);
  expect(await settles(new Promise(() => undefined), 1)).toBe(false);
});

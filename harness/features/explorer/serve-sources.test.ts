import { expect, test } from '@playwright/test';
import { PromiseCache } from './serve-sources.ts';

function counted() {
  const made: string[] = [];
  const make = (name: string) => () => {
    made.push(name);
    return Promise.resolve(name);
  };
  return { made, make };
}

test('an answer is made once for one state, also for concurrent questions', async () => {
  const kept = new PromiseCache<string>(2);
  const { made, make } = counted();
  await Promise.all([kept.get('q', '1', make('a')), kept.get('q', '1', make('b'))]);
  expect(await kept.get('q', '1', make('c'))).toBe('a');
  expect(await kept.get('q', '2', make('d'))).toBe('d');
  expect(made).toEqual(['a', 'd']);
});

test('the oldest goes when there are too many', async () => {
  const kept = new PromiseCache<string>(2);
  const { made, make } = counted();
  for (const question of ['x', 'y', 'z', 'z', 'y', 'x'])
    await kept.get(question, '', make(question));
  expect(made).toEqual(['x', 'y', 'z', 'x']);
});

test('a failure is returned, and not kept', async () => {
  const kept = new PromiseCache<string>(2);
  await expect(kept.get('q', '', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await kept.get('q', '', () => Promise.resolve('yes'))).toBe('yes');
});

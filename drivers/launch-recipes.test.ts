import { test, expect } from '@playwright/test';
import { chromiumFlags } from './launch-recipes.ts';

test('several --js-flags become one, because Chromium heeds only the last', () => {
  const flags = ['--js-flags=--expose-gc', '--mute-audio', '--js-flags=--single-threaded-gc'];
  const given = chromiumFlags({ flags, sandbox: true });
  expect(given.filter((flag) => flag.startsWith('--js-flags'))).toEqual([
    '--js-flags=--expose-gc --single-threaded-gc',
  ]);
  expect(given).toContain('--mute-audio');
});

test('a single one stays where it is', () => {
  const flags = ['--js-flags=--expose-gc', '--mute-audio'];
  expect(chromiumFlags({ flags, sandbox: true }).slice(-2)).toEqual(flags);
});

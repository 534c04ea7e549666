import { expect, test } from '@playwright/test';
import { findOrInstallAb } from './load-generators.ts';

const { signal } = new AbortController();

test('names ab where it is, with the command where missing', async () => {
  const said: string[] = [];
  const say = (sentence: string): void => void said.push(sentence);
  const look = (path: string | null): Promise<string | null> =>
    findOrInstallAb({ check: true, signal, say, find: () => path });
  expect(await look('/usr/bin/ab')).toBe('/usr/bin/ab');
  expect(await look(null)).toBeNull();
  expect(said).toEqual([
    'ab: found at /usr/bin/ab',
    expect.stringMatching(/^ab is missing: .*(apache2-utils|httpd|Apache).*generator=ab/),
  ]);
});

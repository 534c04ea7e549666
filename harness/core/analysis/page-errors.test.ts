import { expect, test } from '@playwright/test';
import { aBenchmark, aJob, aTrial } from '../../testing/builders.ts';
import { pageFailures, pageFailureText } from './page-errors.ts';

test('a page that fails in some sessions is a finding, with how often and why', () => {
  const names = ['old.html', 'new.html'];
  const parameters = [{ ...aBenchmark.parameters[0]!, name: 'version', values: names }];
  const [other, one] = names.map((version) => ({
    benchmark: { ...aBenchmark, parameters },
    parameters: { version },
  }));
  const failure = { code: 'page-error', message: 'no result came' } as const;
  const trials = [0, 1, 2].flatMap((block) => [
    aTrial(aJob({ block, case: other! }), [1]),
    aTrial(aJob({ block, case: one! }), block === 1 ? { kind: 'failed', failure } : [1]),
  ]);
  const texts = pageFailures(trials).map((found) => pageFailureText(found, 'firefox 150'));
  expect(texts).toEqual(['new.html fails in 1 of 3 sessions of firefox 150: no result came']);
});

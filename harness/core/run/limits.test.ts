import { expect, test } from '@playwright/test';
import { aDevice } from '../../testing/builders.ts';
import { defaultLimits, findLimits } from './limits.ts';

test('a phone may take five minutes to start and to load, or what its owner says', () => {
  expect(findLimits(aDevice('desk'), defaultLimits)).toBe(defaultLimits);
  expect(findLimits(aDevice('a', { phone: { platform: 'ios' } }), defaultLimits)).toMatchObject({
    launchMs: 300_000,
    loadMs: 300_000,
    // A slow load does not make a slow trial.
    trialMs: defaultLimits.trialMs + 270_000,
  });
  const quick = { platform: 'android', limits: { loadMs: 10_000 } } as const;
  expect(findLimits(aDevice('b', { phone: quick }), defaultLimits)).toMatchObject({
    launchMs: 300_000,
    loadMs: 10_000,
    trialMs: defaultLimits.trialMs,
  });
});

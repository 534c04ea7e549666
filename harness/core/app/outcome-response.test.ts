import { expect, test } from '@playwright/test';
import '../../features.ts';
import { aFoundDevice, anAnomaly, aRecord } from '../../testing/builders.ts';
import { outcomeResponse } from './outcome-response.ts';

test('a run that answers a question reports its answer, no verdict count', async () => {
  const record = aRecord([aFoundDevice('old'), aFoundDevice('new')], []);
  expect(await outcomeResponse({ ...record, question: anAnomaly().question })).toMatchObject({
    headline: 'Anomaly N1: inconclusive',
    faster: 0,
    slower: 0,
    equivalent: 0,
    undecided: 0,
  });
  expect((await outcomeResponse(record)).headline).toBeNull();
});

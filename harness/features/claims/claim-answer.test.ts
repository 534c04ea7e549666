import { expect, test } from '@playwright/test';
import { claims } from './catalogue/index.ts';
import { readClaimAnswer } from './claim-answer.ts';

const unanswered = { readAnswer: () => Promise.resolve(null) };

const ask = (id: string) =>
  readClaimAnswer(
    claims.find((claim) => claim.id === id)!,
    unanswered,
  );

test('an unmeasured claim is open and says how to measure it', async () => {
  expect(await ask('A3')).toMatchObject({
    verdict: 'inconclusive',
    run: null,
    measured: null,
    reason: expect.stringMatching(/not measured.*npx crossfarm claims reproduce A3$/) as unknown,
  });
});

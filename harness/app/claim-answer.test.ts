import { expect, test } from '@playwright/test';
import { claims } from '../analysis/claims/catalogue/index.ts';
import { readClaimAnswer } from './claim-answer.ts';

const unanswered = { readAnswer: () => Promise.resolve(null) };

const ask = (id: string) =>
  readClaimAnswer(
    claims.find((claim) => claim.id === id)!,
    unanswered,
  );

test('a claim that no device could answer is not testable instead of unmeasured', async () => {
  expect(await ask('A10')).toMatchObject({ verdict: 'not-testable', run: null, measured: null });
  expect((await ask('A10')).reason).toContain('iPad');
  expect(await ask('A3')).toMatchObject({
    verdict: 'inconclusive',
    reason: expect.stringMatching(/not measured.*npx farm reproduce A3$/) as unknown,
  });
});

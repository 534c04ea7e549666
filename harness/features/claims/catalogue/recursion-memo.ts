import type { Claim } from '../judging/claim.ts';
import { everywhere, exactly, fibArm, inWords, source } from './fib-arms.ts';

/** Time that is proportional to n doubles with it; an order of 0.8 to 1.2 counts as proportional. */
const doubled = { above: 2 ** 0.8, below: 2 ** 1.2 };

/** A13 and A14: the recursions with a memo. */
export const memoClaims: readonly Claim[] = [
  {
    id: 'A13',
    sentence: 'syncMemoFib is linear and takes under a millisecond at the largest finite n.',
    source,
    published: 'n = 1476: 0.95 ms',
    ask: {
      products: everywhere,
      assertions: [
        {
          kind: 'level',
          sentence: '{product}: syncMemoFib(1476) takes less than a millisecond',
          quantity: 'duration',
          of: fibArm('syncMemoFib', 1476)('each'),
          expected: { below: 1 },
          published: exactly(0.95, '0.95 ms'),
        },
        {
          kind: 'ratio',
          sentence: '{product}: twice the n takes about twice as long',
          quantity: 'duration',
          a: fibArm('syncMemoFib', 1476)('each'),
          b: fibArm('syncMemoFib', 738)('each'),
          expected: doubled,
          published: inWords('linear'),
        },
      ],
      counterfactuals: [],
      notes: ['“Linear” is taken as an order of 0.8 to 1.2 between n = 738 and n = 1476.'],
    },
  },
  {
    id: 'A14',
    sentence: 'asyncMemoFib is not linear: it takes as long as asyncFib.',
    source,
    published: 'almost the same in Firefox, exactly the same in Chromium; unexplained',
    ask: {
      products: everywhere,
      assertions: [
        {
          kind: 'ratio',
          sentence: '{product}: asyncMemoFib takes as long as asyncFib, within 25 %',
          quantity: 'duration',
          a: fibArm('asyncMemoFib', 20)('each'),
          b: fibArm('asyncFib', 20)('each'),
          expected: { above: 1 / 1.25, below: 1.25 },
          published: inWords('almost or exactly the same'),
        },
        {
          kind: 'ratio',
          sentence: '{product}: twice the n takes asyncMemoFib far more than twice as long',
          quantity: 'duration',
          a: fibArm('asyncMemoFib', 20)('each'),
          b: fibArm('asyncMemoFib', 10)('each'),
          expected: { above: 2 ** 1.2 },
          published: inWords('not linear'),
        },
        {
          kind: 'ratio',
          role: 'explanation',
          sentence: '{product}: asyncMemoFib makes exactly as many calls as asyncFib',
          quantity: 'counter:calls',
          a: fibArm('asyncMemoFib', 20)('each'),
          b: fibArm('asyncFib', 20)('each'),
          expected: { above: 0.9999, below: 1.0001 },
          published: inWords('not looked at'),
        },
        {
          kind: 'level',
          role: 'explanation',
          sentence:
            '{product}: with the promise in the memo instead of the value, 39 calls are made',
          quantity: 'counter:calls',
          of: fibArm('asyncPromiseMemoFib', 20)('each'),
          expected: { above: 38.5, below: 39.5 },
          published: inWords('not looked at'),
        },
        {
          kind: 'ratio',
          role: 'explanation',
          sentence: '{product}: so repaired, twice the n takes about twice as long',
          quantity: 'duration',
          a: fibArm('asyncPromiseMemoFib', 20)('each'),
          b: fibArm('asyncPromiseMemoFib', 10)('each'),
          expected: doubled,
          published: inWords('not looked at'),
        },
      ],
      counterfactuals: [],
      notes: [
        'Why: memo[n] is written only after the await, but both recursive calls are made before the first await returns, so no call ever finds a filled entry. A memo that keeps the promise is filled at once.',
        '“The same” is taken as within 25 %, “linear” as an order of 0.8 to 1.2 between two values of n. Calls are counted in a copy of each function that counts and is not timed.',
        'n = 20 instead of up to 26.',
      ],
    },
  },
];

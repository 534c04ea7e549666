import type { AssertionTemplate, Claim, ArmTemplate } from '../judging/claim.ts';
import {
  about,
  asyncBusy,
  asyncFib,
  exactly,
  fibArm,
  inWords,
  singleCalls,
  smallerBusyN,
  smallerN,
  source,
  syncBusy,
  syncFib,
} from './fib-arms.ts';

/** A factor of 2, give or take a third. */
const aboutTwice = { above: 1.5, below: 2.7 };

const on = (cores: ArmTemplate['cores'] & {}): Pick<ArmTemplate, 'cores'> => ({ cores });

function advantageOn(
  cores: number | 'all',
  published: AssertionTemplate['published'],
): AssertionTemplate {
  return {
    kind: 'ratio',
    role: 'explanation',
    sentence: `the advantage of Chromium on ${cores === 'all' ? 'all cores' : cores === 1 ? '1 core' : `${String(cores)} cores`}`,
    quantity: 'duration',
    a: asyncFib('firefox', on(cores)),
    b: asyncFib('chromium', on(cores)),
    expected: {},
    published,
  };
}

const shellN = 22;

/** Where a shell can do the same. */
const inShell = (product: ArmTemplate['product']): ArmTemplate => ({
  product,
  benchmark: 'fib',
  parameters: { function: 'asyncFib', n: shellN, place: 'main' },
});

const oneDevice = 'Its browsers have to be on one mobile device.';

/** Safari, which all others have to equal. */
function equalOnIos(name: string, arm: typeof asyncFib): readonly AssertionTemplate[] {
  return (['firefox', 'chromium'] as const).map((product) => ({
    kind: 'ratio',
    sentence: `${name} takes as long in ${product === 'firefox' ? 'Firefox' : 'Chrome'} as in Safari, within 25 %`,
    quantity: 'duration',
    a: arm(product),
    b: arm('safari'),
    expected: about(1),
    published: inWords('equal'),
  }));
}

/** A6 to A12 and A16: one browser against another. */
export const browserClaims: readonly Claim[] = [
  {
    id: 'A6',
    sentence: 'The advantage of Chromium at asyncFib grows with the number of cores.',
    source,
    published: '4 cores: 3.5× (n = 28); 12 cores: 6× (Linux), 5.9× (Windows)',
    ask: {
      leastCores: 2,
      products: ['chromium', 'firefox'],
      assertions: [
        {
          kind: 'change',
          sentence: 'the advantage of Chromium is larger on all cores than on one',
          quantity: 'duration',
          a: asyncFib('firefox', on('all')),
          b: asyncFib('chromium', on('all')),
          c: asyncFib('firefox', on(1)),
          d: asyncFib('chromium', on(1)),
          expected: { above: 1 },
          published: inWords('1.7 times as large on 12 cores as on 4, on two machines'),
        },
        advantageOn(1, inWords('not looked at')),
        advantageOn(2, inWords('not looked at')),
        advantageOn(4, exactly(3.5, '3.5×, on a machine with 4')),
        advantageOn(8, inWords('not looked at')),
        advantageOn('all', { text: '6× and 5.9×, on machines with 12', low: 5.9, high: 6 }),
      ],
      counterfactuals: [],
      notes: [
        smallerN,
        'The source compared machines that differ in more than their cores; here the same machine lends 1, 2, 4 … of its own. “Grows” is asked of all cores against one.',
      ],
    },
  },
  {
    id: 'A7',
    sentence: 'Edge is far slower than both at asyncFib.',
    source,
    published: 'n = 25 on Windows: 0.5 s, 3.9 s and 69.5 s',
    ask: {
      products: ['chromium', 'firefox', 'chakracore'],
      assertions: [
        {
          kind: 'ratio',
          sentence: 'asyncFib takes more than twice as long in ChakraCore as in Chromium',
          quantity: 'duration',
          a: inShell('chakracore'),
          b: inShell('chromium'),
          expected: { above: 2 },
          published: exactly(139, '69.5 s / 0.5 s ≈ 139×'),
        },
        {
          kind: 'ratio',
          sentence: 'asyncFib takes more than twice as long in ChakraCore as in Firefox',
          quantity: 'duration',
          a: inShell('chakracore'),
          b: inShell('firefox'),
          expected: { above: 2 },
          published: exactly(17.8, '69.5 s / 3.9 s ≈ 18×'),
        },
      ],
      counterfactuals: [],
      notes: [
        'ChakraCore, not Edge: the Edge of the source had this engine, which is no longer made; today’s Edge is Chromium. Measured is its last published library (1.11.16) in a shell, without the page and the event loop of that Edge.',
        `n = ${String(shellN)}, where the source used 25, because one call takes this engine more than half a second; on the page’s own thread, because a shell has no workers.`,
        '“Far slower” is taken as more than twice.',
      ],
    },
  },
  {
    id: 'A8',
    sentence: 'syncFib is about twice as fast in Safari.',
    source,
    published: 'n = 45: 12.8 s against 25.1 s (Chrome) and 25.7 s (Firefox)',
    ask: {
      products: ['chromium', 'firefox', 'safari'],
      assertions: [
        {
          kind: 'ratio',
          sentence: 'syncFib takes about twice as long in Chromium as in Safari',
          quantity: 'duration',
          a: syncFib('chromium'),
          b: syncFib('safari'),
          expected: aboutTwice,
          published: exactly(1.96, '25.1 s / 12.8 s ≈ 1.96×'),
        },
        {
          kind: 'ratio',
          sentence: 'syncFib takes about twice as long in Firefox as in Safari',
          quantity: 'duration',
          a: syncFib('firefox'),
          b: syncFib('safari'),
          expected: aboutTwice,
          published: exactly(2.01, '25.7 s / 12.8 s ≈ 2.01×'),
        },
      ],
      counterfactuals: [],
      notes: ['n = 30 instead of 45.', '“About twice” is taken as 1.5 to 2.7 times.'],
    },
  },
  {
    id: 'A9',
    sentence: 'asyncFib in Safari lies between Chromium and Firefox.',
    source,
    published: 'n = 28: 9.4 s (Chrome), 24.7 s (Safari), 33.1 s (Firefox)',
    ask: {
      products: ['chromium', 'firefox', 'safari'],
      assertions: [
        {
          kind: 'ratio',
          sentence: 'asyncFib takes longer in Safari than in Chromium',
          quantity: 'duration',
          a: asyncFib('safari'),
          b: asyncFib('chromium'),
          expected: { above: 1 },
          published: exactly(2.63, '24.7 s / 9.4 s ≈ 2.6×'),
        },
        {
          kind: 'ratio',
          sentence: 'asyncFib takes longer in Firefox than in Safari',
          quantity: 'duration',
          a: asyncFib('firefox'),
          b: asyncFib('safari'),
          expected: { above: 1 },
          published: exactly(1.34, '33.1 s / 24.7 s ≈ 1.3×'),
        },
      ],
      counterfactuals: [],
      notes: [smallerN],
    },
  },
  {
    id: 'A10',
    sentence: 'On iOS all browsers are equal.',
    source,
    published: 'Mobile Safari, Firefox and Chrome on one iPad',
    ask: {
      platform: 'ios',
      products: ['safari', 'firefox', 'chromium'],
      assertions: [...equalOnIos('syncFib', syncFib), ...equalOnIos('asyncFib', asyncFib)],
      counterfactuals: [],
      notes: [
        smallerN,
        '“Equal” is taken as within 25 %.',
        'All browsers of iOS had to use Safari’s engine when this was published.',
        oneDevice,
      ],
    },
  },
  {
    id: 'A11',
    sentence: 'On Android Firefox is an order of magnitude slower at asyncFib.',
    source,
    published: 'n = 27: 51.1 s against 4.8 s (10.6×)',
    ask: {
      platform: 'android',
      products: ['chromium', 'firefox'],
      assertions: [
        {
          kind: 'ratio',
          sentence: 'asyncFib takes about ten times as long in Firefox as in Chrome',
          quantity: 'duration',
          a: asyncFib('firefox'),
          b: asyncFib('chromium'),
          expected: { above: 10 ** 0.5, below: 10 ** 1.5 },
          published: exactly(10.6, '51.1 s / 4.8 s ≈ 10.6×'),
        },
      ],
      counterfactuals: [],
      notes: [
        smallerN,
        '“An order of magnitude” is taken as 3.2 to 32 times: nearer to ten than to one or a hundred.',
        oneDevice,
      ],
    },
  },
  {
    id: 'A12',
    sentence: 'On Linux syncFib is slightly faster in Firefox than in Chromium.',
    source,
    published: 'a chart without numbers',
    ask: {
      system: 'linux',
      products: ['chromium', 'firefox'],
      assertions: [
        {
          kind: 'ratio',
          sentence: 'syncFib takes a little longer in Chromium than in Firefox',
          quantity: 'duration',
          a: fibArm('syncFib', 30)('chromium'),
          b: fibArm('syncFib', 30)('firefox'),
          expected: { above: 1, below: 1.5 },
          published: inWords('slightly more than 1'),
        },
      ],
      counterfactuals: [],
      notes: ['n = 30 instead of 1 to 45.', '“Slightly” is taken as up to 1.5 times.'],
    },
  },
  {
    id: 'A16',
    sentence: 'On Linux the busy recursions are a little faster in Firefox than in Chromium.',
    source,
    published: 'a chart without numbers, up to n = 13: “even a little bit faster”',
    ask: {
      system: 'linux',
      products: ['chromium', 'firefox'],
      measurement: singleCalls,
      assertions: [syncBusy, asyncBusy].map((arm) => ({
        kind: 'ratio',
        sentence: `${String(arm('firefox').parameters['function'])} takes a little longer in Chromium than in Firefox`,
        quantity: 'first-call',
        a: arm('chromium'),
        b: arm('firefox'),
        expected: { above: 1, below: 1.5 },
        published: inWords('slightly more than 1'),
      })),
      counterfactuals: [],
      notes: [smallerBusyN, '“A little” is taken as up to 1.5 times.'],
    },
  },
];

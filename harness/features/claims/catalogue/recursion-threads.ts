import type { Claim } from '../judging/claim.ts';
import {
  asyncBusy,
  asyncFib,
  everywhere,
  fibArm,
  inWords,
  singleCalls,
  smallerBusyN,
  smallerN,
  source,
  syncBusy,
} from './fib-arms.ts';

/** A browser uses a few per cent of a second core for its compositor, its timers and its messages. */
const oneCore = 1.2;

/** The share that counts as all cores: the browser shares them with the farm. */
const allCores = 0.9;

/** A15: what the source held to be impossible. */
export const subWorkerClaim: Claim = {
  id: 'A15',
  sentence:
    'The recursion cannot be written so that its calls spawn sub-workers: nothing can be awaited of a worker, in browsers or in Node.js.',
  source,
  published: '“not possible”; Chromium had no sub-workers then',
  ask: {
    products: [...everywhere, 'node'],
    assertions: [
      {
        kind: 'level',
        sentence: '{product}: sub-workers of workerFib(3) that answer, of 4 (claimed: none)',
        quantity: 'counter:workers',
        of: fibArm('workerFib', 3)('each'),
        expected: { below: 0.5 },
        published: inWords('not possible'),
      },
      {
        kind: 'level',
        role: 'explanation',
        sentence: '{product}: all 4 of them answer, each made by its caller',
        quantity: 'counter:workers',
        of: fibArm('workerFib', 3)('each'),
        expected: { above: 3.5, below: 4.5 },
        published: inWords('not possible'),
      },
    ],
    counterfactuals: [],
    notes: [
      'A message of a worker can be awaited after all: by a promise that its handler resolves. workerFib is asyncFib with every call but the first in a worker of its own, which its caller made; the value is checked as of every other function.',
      'n = 3, which is four workers, two deep. Firefox 153 stops now and then when a worker starts two workers at once, without the farm too: a page of a few lines, with classic workers, did in its third, sixth and ninth recursion. Such a trial ends at its deadline, so a short one saves time (--deadline 20s).',
      'Where it really is impossible, its trials fail, and the claim stays open with their reason.',
    ],
  },
};

/** A1 to A5: the cost of the asynchronous recursion, and the threads that do its work. */
export const threadClaims: readonly Claim[] = [
  {
    id: 'A1',
    sentence: 'asyncFib is orders of magnitude slower than syncFib in every browser.',
    source,
    published: 'n = 26: 11.5 s against under 9 ms, mean over all browsers and devices',
    ask: {
      products: everywhere,
      assertions: [
        {
          kind: 'ratio',
          sentence: '{product}: asyncFib takes more than 100 times as long as syncFib',
          quantity: 'duration',
          a: fibArm('asyncFib', 22)('each'),
          b: fibArm('syncFib', 22)('each'),
          // “Orders”, in the plural: two of them.
          expected: { above: 100 },
          published: inWords(
            'more than 1,280× (11.5 s against under 9 ms), over all browsers together',
          ),
        },
      ],
      counterfactuals: [],
      notes: [
        'n = 22 instead of 26.',
        '“Orders of magnitude”, in the plural, is taken as more than 100 times. The published mean is over all browsers and devices, old Edge among them, so it is no size for one of them.',
      ],
    },
  },
  {
    id: 'A2',
    sentence:
      'With busy work in every call, the synchronous and the asynchronous recursion are equal.',
    source,
    published: 'up to n = 13, “two lines on top of each other”',
    ask: {
      products: everywhere,
      measurement: singleCalls,
      assertions: [
        {
          kind: 'ratio',
          sentence: '{product}: asyncBusyFib takes as long as syncBusyFib, within 5 %',
          quantity: 'first-call',
          a: asyncBusy('each'),
          b: syncBusy('each'),
          expected: { above: 1 / 1.05, below: 1.05 },
          published: inWords('equal'),
        },
      ],
      counterfactuals: [],
      notes: [smallerBusyN, '“Equal” is taken as within 5 %.'],
    },
  },
  {
    id: 'A3',
    sentence: 'On Linux asyncFib is much faster in Chromium than in Firefox.',
    source,
    published: 'n = 30: 9.2 s against 49.7 s (5.4×); n = 28: 3.1 s against 18.7 s (6×)',
    ask: {
      system: 'linux',
      products: ['chromium', 'firefox'],
      assertions: [
        {
          kind: 'ratio',
          sentence: 'asyncFib takes more than twice as long in Firefox as in Chromium',
          quantity: 'duration',
          a: asyncFib('firefox'),
          b: asyncFib('chromium'),
          expected: { above: 2 },
          published: { text: '5.4× to 7.8×, less for larger n', low: 5.4, high: 7.8 },
        },
      ],
      counterfactuals: [
        {
          cause: 'parallel-gc',
          sentence: 'Chromium without parallel and concurrent garbage collection',
          quantity: 'duration',
          of: asyncFib('chromium'),
          effect: { kind: 'ratio', against: asyncFib('firefox') },
        },
        {
          cause: 'cores',
          sentence: 'Chromium on one core',
          quantity: 'duration',
          of: asyncFib('chromium'),
          effect: { kind: 'ratio', against: asyncFib('firefox') },
        },
      ],
      notes: [smallerN, '“Much faster” is taken as more than twice as fast.'],
    },
  },
  {
    id: 'A4',
    sentence:
      'Chromium keeps all logical cores busy during asyncFib, Firefox never more than one at a time.',
    source,
    published: '12 of 12 cores on the CPU chart of a desktop tool, n = 30',
    ask: {
      leastCores: 2,
      products: everywhere,
      assertions: [
        {
          kind: 'level',
          sentence: 'Chromium keeps all cores busy during asyncFib',
          quantity: 'cores-busy',
          of: asyncFib('chromium'),
          expected: { aboveShareOfCores: allCores },
          published: { text: 'all of them', low: 'all-cores', high: 'all-cores' },
        },
        {
          kind: 'level',
          sentence: 'Firefox keeps no more than one core busy during asyncFib, on average',
          quantity: 'cores-busy',
          of: asyncFib('firefox'),
          expected: { below: oneCore },
          published: inWords('never more than one at a time'),
        },
        {
          kind: 'level',
          role: 'explanation',
          sentence: 'Chromium keeps more than one core busy during asyncFib',
          quantity: 'cores-busy',
          of: asyncFib('chromium'),
          expected: { above: oneCore },
          published: inWords('all of them'),
        },
        {
          kind: 'level',
          role: 'explanation',
          sentence: 'no JavaScript runs in parallel in Chromium',
          quantity: 'javascript-parallelism',
          of: asyncFib('chromium'),
          expected: { below: 1.05 },
          published: inWords('the source thought that the calls run in parallel'),
        },
        {
          kind: 'level',
          role: 'explanation',
          sentence:
            'threads of the garbage collector take more than a tenth of the CPU time in Chromium',
          quantity: 'gc-share',
          of: asyncFib('chromium'),
          expected: { above: 0.1 },
          published: inWords('not looked at'),
        },
        {
          kind: 'level',
          role: 'explanation',
          sentence: 'Safari keeps no more than one core busy during asyncFib, on average',
          quantity: 'cores-busy',
          of: asyncFib('safari'),
          expected: { below: oneCore },
          published: inWords('the source suspects so'),
        },
      ],
      counterfactuals: [
        {
          cause: 'parallel-gc',
          sentence: 'Chromium without parallel and concurrent garbage collection',
          quantity: 'cores-busy',
          of: asyncFib('chromium'),
          effect: { kind: 'level', base: 1 },
        },
      ],
      notes: [
        smallerN,
        `“All cores” is taken as ${String(100 * allCores)} % of them, “more than one” as more than ${String(oneCore)}: the compositor, timers and messages of a browser take some per cent of a second core by themselves. Both are means over the timed window; what happens at one instant only the sched probe shows.`,
        'Which threads are the garbage collector’s is known by their names; Chromium’s compilers use the same pool. The counterfactual is the evidence.',
      ],
    },
  },
  {
    id: 'A5',
    sentence: 'Chromium does not use several cores for asyncBusyFib.',
    source,
    published: 'the CPU chart of a desktop tool, n = 13',
    ask: {
      products: ['chromium'],
      assertions: [
        {
          kind: 'level',
          sentence: 'Chromium keeps no more than one core busy during asyncBusyFib',
          quantity: 'cores-busy',
          of: fibArm('asyncBusyFib', 8)('chromium'),
          expected: { below: oneCore },
          published: inWords('one'),
        },
      ],
      counterfactuals: [],
      leastCores: 2,
      notes: ['n = 8 instead of 13: the busy loop grows by the ninth power of n.'],
    },
  },
];

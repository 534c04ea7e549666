import type { Claim } from '../judging/claim.ts';
import { exactly, inWords } from './fib-arms.ts';
import {
  byHand,
  explained,
  firstRuns,
  inBrowsers,
  instruction,
  message,
  own,
  source,
} from './thread-arms.ts';

/** E3: Web Workers against native threads. */
export const webWorkers: Claim = {
  id: 'E3',
  sentence:
    'Starting a Web Worker takes two to three orders of magnitude longer than a native thread.',
  source,
  published: 'about 200× at 100 threads: 3188 µs to the first message against 16 µs',
  ask: {
    products: ['native', 'chromium', 'firefox', 'safari'],
    assertions: [
      ...inBrowsers((product, name) => ({
        kind: 'ratio',
        sentence: `a Web Worker’s first message in ${name} takes more than 100 times as long as a native thread’s first instruction`,
        quantity: message,
        against: instruction,
        a: own(100, 'sequential')(product),
        b: own(100, 'sequential')('native'),
        expected: { above: 100 },
        published: exactly(199, '199× (3188 µs against 16 µs)'),
      })),
      ...inBrowsers((product, name) => ({
        kind: 'ratio',
        sentence: `the same for a Web Worker’s first instruction in ${name}`,
        quantity: instruction,
        a: own(100, 'sequential')(product),
        b: own(100, 'sequential')('native'),
        expected: { above: 100 },
        published: inWords('the source could not time it'),
      })).map(explained),
    ],
    counterfactuals: [],
    notes: [
      firstRuns,
      '“Two to three orders of magnitude” is taken as more than 100 times; more than 1000 times is another size, and refutes nothing.',
      byHand,
    ],
  },
};

/** E6: what the source took for granted, to speak of browsers by figures of Node.js. */
export const nodeForBrowsers: Claim = {
  id: 'E6',
  sentence: 'Starting a worker in Node.js takes about as long as starting one in a browser.',
  source,
  published: '“similar (identical?)”, assumed and not measured',
  ask: {
    products: ['node', 'chromium', 'firefox', 'safari'],
    assertions: [
      ...inBrowsers((product, name) => ({
        kind: 'ratio',
        sentence: `a worker’s first message takes as long in ${name} as in Node.js, within a factor of two`,
        quantity: message,
        a: own(100, 'sequential')(product),
        b: own(100, 'sequential')('node'),
        expected: { above: 0.5, below: 2 },
        published: inWords('similar (identical?)'),
      })),
      ...inBrowsers((product, name) => ({
        kind: 'ratio',
        sentence: `the same for 100 at once in ${name}`,
        quantity: message,
        a: own(100, 'parallel')(product),
        b: own(100, 'parallel')('node'),
        expected: { above: 0.5, below: 2 },
        published: inWords('not looked at'),
      })).map(explained),
    ],
    counterfactuals: [],
    notes: [
      firstRuns,
      '“Similar” is taken as within a factor of two; either browser refutes it.',
      'A worker of Node.js is a thread of the same process, that of a browser may be one, too, and has its script from a server.',
      byHand,
    ],
  },
};

/** E4: all at once, in browsers. */
export const atOnce: Claim = {
  id: 'E4',
  sentence:
    'Spawning 100 Web Workers at once is far worse for each of them than spawning them one after the other.',
  source,
  published: '122577 µs against 3188 µs to the first message: 38×',
  ask: {
    products: ['chromium', 'firefox', 'safari'],
    assertions: [
      {
        kind: 'ratio',
        sentence:
          '{product}: at once, the mean to the first message is more than ten times as long',
        quantity: message,
        a: own(100, 'parallel')('each'),
        b: own(100, 'sequential')('each'),
        expected: { above: 10 },
        published: exactly(38.4, '38× (122577 µs against 3188 µs)'),
      },
      {
        kind: 'ratio',
        role: 'explanation',
        sentence: '{product}: how long all 100 take together, at once against one after the other',
        quantity: 'duration',
        a: own(100, 'parallel')('each'),
        b: own(100, 'sequential')('each'),
        expected: {},
        published: inWords('not looked at'),
      },
    ],
    counterfactuals: [],
    notes: [
      firstRuns,
      '“Far worse” is taken as more than ten times.',
      'Of threads that are made at once each waits for those before it, so their mean grows with their number although none is slower than before. Whether starting them at once costs anything is said by the time that all of them take together.',
      byHand,
    ],
  },
};

import type { Claim } from '../claim.ts';
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

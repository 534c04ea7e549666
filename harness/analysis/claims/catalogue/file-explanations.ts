import type {
  AssertionTemplate,
  CounterfactualTemplate,
  ArmTemplate,
  Product,
  PublishedTemplate,
} from '../claim.ts';
import { async, explaining, inWorker, longer, promises, reads, sync } from './file-arms.ts';
import { inWords } from './fib-arms.ts';

/** First reads with what may be slow about them done before, one thing at a time. */
export function whyFirstReadsAreSlow(): readonly AssertionTemplate[] {
  const asyncAfter = (after: string): ArmTemplate => async('node', 1, { after });
  return [
    {
      kind: 'change',
      role: 'explanation',
      sentence: 'the ratio of the first reads of a process is larger than after 200 others',
      quantity: 'reading',
      a: async('node', 1),
      b: sync('node', 1),
      c: asyncAfter('many'),
      d: sync('node', 1, { after: 'many' }),
      expected: longer,
      published: inWords(
        'the source takes its first run of two files for a matter of the compiler',
      ),
    },
    explaining('after 200 others an asynchronous read takes longer than a synchronous one', {
      a: asyncAfter('many'),
      b: sync('node', 1, { after: 'many' }),
      expected: longer,
    }),
    explaining('the first asynchronous read takes longer before fs.promises was looked up', {
      a: asyncAfter('nothing'),
      b: asyncAfter('module'),
      expected: longer,
    }),
    explaining('the first asynchronous read takes longer before the thread pool was used', {
      a: asyncAfter('nothing'),
      b: asyncAfter('pool'),
      expected: longer,
    }),
    explaining('once the pool was used, it takes longer before another file was read so', {
      a: asyncAfter('pool'),
      b: asyncAfter('read'),
      expected: longer,
    }),
    explaining(
      'after one other file was read in the same way, it takes longer than a synchronous one',
      {
        a: asyncAfter('read'),
        b: sync('node', 1, { after: 'read' }),
        expected: longer,
      },
    ),
  ];
}

/** The same threads and the same files, and callbacks in place of promises. */
export function withoutPromises(): readonly AssertionTemplate[] {
  const byCallbacks = (files: number): ArmTemplate =>
    reads('node', files, { mode: 'callback-parallel', after: 'sync' });
  return [
    explaining('without promises, by a callback, one file takes longer than synchronously, too', {
      a: byCallbacks(1),
      b: sync('node', 1),
      expected: longer,
    }),
    explaining('without promises, by callbacks, 100 files take longer than synchronously, too', {
      a: byCallbacks(100),
      b: sync('node', 100),
      expected: longer,
    }),
    explaining('the first file takes longer by fs.promises than by a callback', {
      a: async('node', 1),
      b: byCallbacks(1),
      expected: longer,
    }),
    explaining('100 files take longer by fs.promises than by callbacks', {
      a: async('node', 100),
      b: byCallbacks(100),
      expected: longer,
    }),
  ];
}

export function emptyPromises(
  sentence: string,
  n: number,
  published: PublishedTemplate,
): AssertionTemplate {
  const of = promises('node', n);
  const quantity = 'waiting';
  return { kind: 'level', role: 'explanation', sentence, quantity, of, expected: {}, published };
}

/** A browser's own pair: getFile().arrayBuffer() and a synchronous access handle, in a worker. */
export function inBrowser([product, name]: readonly [
  Product,
  string,
]): readonly AssertionTemplate[] {
  const openBefore = { ...inWorker, state: 'warm', open: 'before' };
  return [
    explaining(`in ${name} an open file, read again and again, takes longer asynchronously`, {
      quantity: 'duration',
      a: async(product, 1, openBefore),
      b: sync(product, 1, openBefore),
      expected: longer,
    }),
    explaining(
      `in ${name} the first file of a page, asynchronously over synchronously, its opening included`,
      {
        a: async(product, 1, inWorker),
        b: sync(product, 1, inWorker),
        expected: {},
      },
    ),
  ];
}

export const inBrowsers =
  'In a browser a synchronous access handle can only be opened asynchronously. So it is compared twice: files that were opened before, and the first file of a page from its name on. Safari is left out: WebKitGTK, which stands in for it, opens no such files in an automated session.';

/** The published hypothesis: that the delay comes from the threads that read. */
export function onePoolThread(files: number): CounterfactualTemplate {
  return {
    cause: 'thread-pool',
    sentence: 'Node.js with one thread that reads instead of four',
    quantity: 'reading',
    of: async('node', files),
    effect: { kind: 'ratio', against: sync('node', files) },
  };
}

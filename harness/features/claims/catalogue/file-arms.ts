import type {
  ArmTemplate,
  AssertionTemplate,
  CounterfactualTemplate,
  Product,
  PublishedTemplate,
} from '../judging/claim.ts';
import { inWords } from './fib-arms.ts';

/**
 * Section B: synchronous and asynchronous file reads in Node.js. Node.js decides; the other
 * runtimes and the browsers are shown as well.
 */

export const source = '“Evaluating the performance of a Node.js Promise”, nexus-security.github.io';

type Parameters = ArmTemplate['parameters'];

/** The number of processes of a trial; the published figures are single runs of scripts. */
export const measurement = {
  window: { ms: 1_000, iterations: 10 },
};

export function reads(product: Product, files: number, parameters: Parameters): ArmTemplate {
  const benchmark = 'file-read';
  return {
    product,
    benchmark,
    parameters: { files, state: 'first', place: 'main', ...parameters },
  };
}

export function sync(product: Product, files: number, more: Parameters = {}): ArmTemplate {
  return reads(product, files, { mode: 'sync', ...more });
}

/** Reads as the source did: in parallel, right after the same files were read synchronously. */
export function async(product: Product, files: number, more: Parameters = {}): ArmTemplate {
  return reads(product, files, { mode: 'async-parallel', after: 'sync', ...more });
}

export const warm: Parameters = { state: 'warm', after: 'nothing' };

/** A server that reads a file for each request. */
export function served(product: Product, route: 'sync' | 'async'): ArmTemplate {
  const load = { work: 'file', concurrency: 20, requests: 5000 };
  return { product, benchmark: 'password-server', parameters: { ...load, route } };
}

export function promises(product: Product, n: number): ArmTemplate {
  const parameters = { operation: 'resolve', n, state: 'first', place: 'main' };
  return { product, benchmark: 'promise', parameters };
}

export function range(low: number, high: number, text: string): PublishedTemplate {
  return { text, low, high };
}

type Ratio = Extract<AssertionTemplate, { kind: 'ratio' }>;

/** Explains something that the source did not measure. */
export function explaining(
  sentence: string,
  sides: Pick<Ratio, 'a' | 'b' | 'expected'> & Partial<Pick<Ratio, 'quantity' | 'against'>>,
): AssertionTemplate {
  const published = inWords('not looked at');
  return { quantity: 'reading', ...sides, kind: 'ratio', role: 'explanation', sentence, published };
}

export const longer = { above: 1 };

/** The version of the source, where it is installed (`farm devices setup`, device node10): the claim as it was published. */
export function asThen(
  sentence: string,
  files: number,
  { expected, published }: Pick<AssertionTemplate, 'published'> & Pick<Ratio, 'expected'>,
): AssertionTemplate {
  return {
    ...explaining(`with Node.js 10, as published: ${sentence}`, {
      a: async('node10', files),
      b: sync('node10', files),
      expected,
    }),
    published,
  };
}

export const otherRuntimes: readonly (readonly [Product, string])[] = [
  ['deno', 'Deno'],
  ['bun', 'Bun'],
];

/**
 * Without Safari: WebKitGTK 2.50, its stand-in, has its origin-private file system switched off.
 * With it switched on, it refuses to open it in an automated session, so the arm would fail in
 * every block.
 */
export const browsers: readonly (readonly [Product, string])[] = [
  ['chromium', 'Chromium'],
  ['firefox', 'Firefox'],
];

/** In a worker, where browsers have synchronous handles; nothing happens before the first reads. */
const inWorker: Parameters = { place: 'worker', after: 'nothing' };

export const products: readonly Product[] = ['node', 'deno', 'bun'];

export const freshProcesses =
  'The source started its script by hand, once for each row of its tables. Here every reading happens in a fresh process of its own, and a trial’s value is the median of ten. Each side is timed inside that process: starting it is not counted.';

export const asPublished =
  'As in the published listing: files of 2 KiB of random bytes (there as base64 text, 2,732 bytes), the asynchronous reads by fs.promises right after the same files were read synchronously. Its files were written by the same process when there were 100 of them; here another process wrote them. The page cache holds them in either case.';

export const oldNode =
  'The source used Node.js 10.14.2, where fs.promises was experimental: its first use printed a warning, which falls into the published time of the asynchronous read and into no later version’s. By hand, the published listing gave about the published times with that version on our machine as well, and less with the warning switched off (NODE_NO_WARNINGS=1).';

/** Explains slow first reads: what may be slow about them is done before, one thing at a time. */
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

/** Compares the same threads and files with callbacks instead of promises. */
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

/**
 * Compares the two ways of a browser in a worker: getFile().arrayBuffer() and a synchronous access
 * handle.
 */
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

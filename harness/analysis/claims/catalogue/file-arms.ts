import type { AssertionTemplate, ArmTemplate, Product, PublishedTemplate } from '../claim.ts';
import { inWords } from './fib-arms.ts';

/**
 * Section B: synchronous and asynchronous file reads in Node.js. Node.js decides; the other runtimes
 * and the browsers are shown beside.
 */

export const source = '“Evaluating the performance of a Node.js Promise”, nexus-security.github.io';

type Parameters = ArmTemplate['parameters'];

/** How often a process is started; what is published are single runs of scripts. */
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

/** As in the source: in parallel, right after the same files were read synchronously. */
export function async(product: Product, files: number, more: Parameters = {}): ArmTemplate {
  return reads(product, files, { mode: 'async-parallel', after: 'sync', ...more });
}

export const warm: Parameters = { state: 'warm', after: 'nothing' };

export function promises(product: Product, n: number): ArmTemplate {
  const parameters = { operation: 'resolve', n, state: 'first', place: 'main' };
  return { product, benchmark: 'promise', parameters };
}

export function range(low: number, high: number, text: string): PublishedTemplate {
  return { text, low, high };
}

type Ratio = Extract<AssertionTemplate, { kind: 'ratio' }>;

/** Something that the source did not look at. */
export function explaining(
  sentence: string,
  sides: Pick<Ratio, 'a' | 'b' | 'expected'> & Partial<Pick<Ratio, 'quantity' | 'against'>>,
): AssertionTemplate {
  const published = inWords('not looked at');
  return { quantity: 'reading', ...sides, kind: 'ratio', role: 'explanation', sentence, published };
}

export const longer = { above: 1 };

export const otherRuntimes: readonly (readonly [Product, string])[] = [
  ['deno', 'Deno'],
  ['bun', 'Bun'],
];

/**
 * Not Safari: WebKitGTK 2.50, which would stand in for it, has its origin-private file system
 * switched off, and with it switched on refuses to open it in an automated session, so that the
 * arm would fail in every block.
 */
export const browsers: readonly (readonly [Product, string])[] = [
  ['chromium', 'Chromium'],
  ['firefox', 'Firefox'],
];

/** In a worker, where browsers have synchronous handles; before the first reads they did nothing. */
export const inWorker: Parameters = { place: 'worker', after: 'nothing' };

export const products: readonly Product[] = ['node', 'deno', 'bun'];

export const freshProcesses =
  'The source started its script by hand, once for each row of its tables. Here every reading happens in a fresh process of its own, and a trial’s value is the median of ten. Each side is timed inside that process: starting it is not counted.';

export const asPublished =
  'As in the published listing: files of 2 KiB of random bytes (there as base64 text, 2,732 bytes), the asynchronous reads by fs.promises right after the same files were read synchronously. Its files were written by the same process when there were 100 of them; here another process wrote them. The page cache holds them in either case.';

export const oldNode =
  'The source used Node.js 10.14.2, where fs.promises was experimental: its first use printed a warning, which falls into the published time of the asynchronous read and into no later version’s. By hand, the published listing gave about the published times with that version on our machine as well, and less with the warning switched off (NODE_NO_WARNINGS=1).';

import type { AssertionTemplate, ArmTemplate, Product } from '../judging/claim.ts';

/** Shared parts of the claims of section E. */

export const source =
  '“bench-thread-spawn”, the overhead of creating threads in WebAssembly environments';

/** In browsers the source could time only the first message, otherwise the first instruction. */
export const instruction = 'first-instruction-mean';
export const message = 'first-message-mean';

export type Order = 'sequential' | 'parallel';

/** Threads that are each joined before the next (sequential) or start all at once (parallel). */
export function own(threads: number, order: Order): (product: Product | 'each') => ArmTemplate {
  return (product) => ({ product, benchmark: 'thread-start', parameters: { threads, order } });
}

export function emscripten(threads: number, order: Order): (product: Product) => ArmTemplate {
  return (product) => ({
    product,
    benchmark: 'thread-start',
    parameters: { threads, order, kind: 'emscripten' },
  });
}

export const firstRuns =
  'A trial is a new process or a new browser, of which the first threads are timed; a value is the mean over the threads of a trial, as published.';

export const ownStart =
  'The published parallel program kept the start of all threads in one variable, so that late threads were measured from the start of another. Here each has its own; --param shared-start=true repeats the published program.';

export const byHand =
  'A Web Worker’s script comes from the farm’s own server on this machine, and is asked for anew by every worker, which is a part of what is timed.';

export const emscriptenClock =
  'Emscripten’s own clock sets that of a worker by a message, and loses the time that the message took. Here all threads use performance.timeOrigin + performance.now(), which is checked through shared memory.';

export const names: Readonly<Partial<Record<Product, string>>> = {
  chromium: 'Chromium',
  firefox: 'Firefox',
  safari: 'Safari',
};

/**
 * Makes an assertion for each browser: it decides for the named engines, and explains for a
 * stand-in.
 */
export function inBrowsers(
  make: (product: Product, name: string) => AssertionTemplate,
): readonly AssertionTemplate[] {
  return Object.entries(names).map(([product, name]) => ({
    ...make(product as Product, name),
    ...(product === 'safari' ? { role: 'explanation' as const } : {}),
  }));
}

export function explained(assertion: AssertionTemplate): AssertionTemplate {
  return { ...assertion, role: 'explanation' };
}

import type { Expectation } from '../../../core/model/question.ts';
import type { ArmTemplate, Product, PublishedTemplate } from '../judging/claim.ts';
import { sameSize } from '../judging/outcome.ts';

/**
 * Shared parts of the claims of section A. The six functions run in a Web Worker, as in the source;
 * `--param place=main` asks the same of the main thread.
 */

export const source =
  '“Don’t read this if you seek clarity about asynchronicity in JavaScript”, Explorations in Asynchronicity';

export const everywhere: readonly Product[] = ['chromium', 'firefox', 'safari'];

type ArmMaker = (product: ArmTemplate['product'], more?: Pick<ArmTemplate, 'cores'>) => ArmTemplate;

export function fibArm(name: string, n: number): ArmMaker {
  return (product, more = {}) => ({
    product,
    benchmark: 'fib',
    parameters: { function: name, n },
    ...more,
  });
}

/** Smaller than the published n, because every trial is repeated. */
const asyncN = 24;

export const asyncFib = fibArm('asyncFib', asyncN);
export const syncFib = fibArm('syncFib', 30);

export const smallerN = `n = ${String(asyncN)}, where the source used 25 to 30: a trial that takes a minute could not be repeated often enough. The published advantage of Chromium itself falls with n (7.8× at 25, 6× at 28, 5.4× at 30, on two systems), so a size at another n is a neighbour of the published one, not its repetition.`;

/**
 * The functions with busywork, at a size where their loops count past 2³¹, as at the source's own: in
 * Firefox single calls of n = 11 took 4.2 to 4.9 s in 56 of 57 sessions. Of n = 8 they took 73 to 273 ms
 * in nine: below 2³¹ it has several speeds for these loops.
 */
export const syncBusy = fibArm('syncBusyFib', 11);
export const asyncBusy = fibArm('asyncBusyFib', 11);

/** One call, and hardly more after it: each lasts for seconds. */
export const singleCalls = {
  settled: { ms: 1, calls: 1 },
  window: { ms: 1, iterations: 1 },
  maxMs: 2,
};

export const smallerBusyN =
  'n = 11, and single calls, where the source has them up to 13: each step takes more than twice as long.';

/** The source timed single calls, right after its page was loaded. */
export const warmCalls =
  'The source timed one call; here a trial’s value is the mean of calls once the compilers have settled.';

export function exactly(value: number, text: string): PublishedTemplate {
  return { text, low: value, high: value };
}

/** The expectation of a sentence that states a size: the published size within a quarter. */
export function about(low: number, high: number = low): Expectation {
  return { above: low / sameSize, below: high * sameSize };
}

export function inWords(text: string): PublishedTemplate {
  return { text };
}

import { readThreadTotals } from '../../../core/analysis/cpu.ts';
import { readValue, type CompletedTrial } from '../../../core/analysis/series.ts';
import type { Arm, Quantity } from '../../../core/model/question.ts';

/** The name of a quantity, and its reader. */
interface QuantityReader {
  readonly title: string;
  readonly unit: string;
  /** Null if this trial does not have it: a probe was off, or the page counted nothing. */
  read(trial: CompletedTrial): number | null;
}

/** The first call of all in a trial: what a study timed that called each function once. */
const firstCall: QuantityReader = {
  title: 'first call',
  unit: 'ms',
  read: ({ outcome }) => outcome.result.steadyState?.firstMs ?? null,
};

const ofThreads: Readonly<Record<string, QuantityReader>> = {
  'cores-busy': {
    title: 'cores busy',
    unit: 'cores',
    read: (trial) => readThreadTotals(trial)?.coresBusy ?? null,
  },
  'javascript-parallelism': {
    title: 'JavaScript parallelism',
    unit: 'cores',
    read: (trial) => readThreadTotals(trial)?.javascriptParallelism ?? null,
  },
  'gc-share': {
    title: 'share of garbage collection',
    unit: '',
    read: (trial) => readThreadTotals(trial)?.gcShare ?? null,
  },
};

/** Returns whether a quantity comes from the times of threads, and so from a probe. */
export function isOfThreads(quantity: Quantity): boolean {
  return Object.hasOwn(ofThreads, quantity);
}

const counterOf = /^counter:(.+)$/;

/** Returns whether a quantity is a number that the page counted. */
export function isCounted(quantity: Quantity): boolean {
  return counterOf.test(quantity);
}

/**
 * Returns the reader of a quantity of an arm.
 * @throws RangeError for a quantity that the arm's benchmark does not have: a bug of the catalogue.
 */
export function chooseReader(quantity: Quantity, { case: { benchmark } }: Arm): QuantityReader {
  const derived = ofThreads[quantity];
  if (derived !== undefined) return derived;
  if (quantity === 'first-call') return firstCall;
  const [, counter] = counterOf.exec(quantity) ?? [];
  if (counter !== undefined) return counterReader(counter);
  const metric = benchmark.metrics.find(({ id }) => id === quantity);
  if (metric === undefined) throw new RangeError(`${benchmark.id} has no metric "${quantity}"`);
  const { title, unit } = metric;
  return { title: title.toLowerCase(), unit, read: (trial) => readValue(trial, metric) };
}

function counterReader(counter: string): QuantityReader {
  return {
    title: counter,
    unit: '',
    read: ({ outcome }) => outcome.result.counters[counter] ?? null,
  };
}

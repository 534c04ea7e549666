import { join } from 'node:path';
import { median } from 'simple-statistics';
import { groupBy } from '../../../core/analysis/grouping.ts';
import { readVersion, versionPairs } from '../../../core/analysis/run-pairs.ts';
import {
  type CompletedTrial,
  countingDisturbed,
  isCompleted,
  readValue,
  withoutQuarantined,
} from '../../../core/analysis/series.ts';
import { defaultAlpha } from '../../../core/analysis/stats/verdict.ts';
import type { MeasuringCaller } from '../../../core/app/caller.ts';
import { withTemporaryFolder } from '../../../core/app/temporary-folder.ts';
import { FarmError } from '../../../core/errors.ts';
import type { Metric } from '../../../core/model/case.ts';
import { searchVersions, type VersionsComparison } from '../../compare/compare-versions.ts';
import type { VersionsOptions } from '../../compare/options.ts';
import { type FoundFunction, nameOfPlace } from './instrument.ts';
import { copyPage, openPage, type OpenedPage } from './page-copy.ts';
import { readCalls, writeCounter, writeDelays } from './prelude.ts';
import { type DelayedBlock, estimateSlope, type Slope } from './slope.ts';

export interface CausalOptions extends VersionsOptions {
  /** Functions by name, or by name and place; the first ones that are called when empty. */
  readonly functions: readonly string[];
  /** Command that repeats it, without its seed. */
  readonly command: string;
}

/** A function that a page calls. */
export interface CalledFunction extends FoundFunction {
  /** In one operation of what is measured; where it has none, in the whole page. */
  readonly calls: number;
  /** Whether it is called during what is measured. */
  readonly isInOperation: boolean;
}

/** What the time of one function costs in one browser. */
export interface FunctionSlope extends Slope {
  readonly called: CalledFunction;
  /** The delays of one operation, in milliseconds. */
  readonly delaysMs: readonly number[];
}

/** What was found in one browser. */
export interface BrowserSlopes {
  readonly deviceId: string;
  readonly metric: Metric;
  /** Typical value without a delay. */
  readonly value: number;
  readonly functions: readonly FunctionSlope[];
}

export interface Causal {
  readonly browsers: readonly BrowserSlopes[];
  readonly compared: VersionsComparison;
  /** Functions that are called, and were not delayed. */
  readonly notDelayed: number;
  /** Why scripts could not be read. */
  readonly unread: readonly string[];
}

/** Delays of one operation, as shares of its time. */
const sizes = [0.1, 0.2];

/** Functions that are delayed by default: each adds two trials to a block. */
const usualFunctions = 6;

const mostFunctions = 20;

/** Of the ratio of a version with the shorter delay: then its slope is known to ± 0.1. */
const precision = 0.01;

/**
 * Measures what a millisecond in each function of a page costs: the farm serves copies of it, in each of
 * which one function waits at each call, so that one operation is 10 or 20 % longer if all of that time
 * counts, and one without a wait, all in one block in random order.
 * @throws FarmError `bad-argument` for a page that is not on this disk, has no such function, or calls none
 */
export async function measureCausal(
  name: string,
  { root, ...options }: CausalOptions,
  caller: MeasuringCaller,
): Promise<Causal> {
  const [measure, ...others] = options.measure;
  if (measure === undefined || others.length > 0) {
    throw new FarmError('bad-argument', {
      what: 'A causal question is about one measure.',
      next: 'Give one --measure, such as measure:render, bench or lcp.',
    });
  }
  const page = await openPage(name, root);
  page.unread.forEach(caller.say);
  return withTemporaryFolder(async (folder) => {
    const { called, value } = await countCalls(page, { measure, folder, options, caller });
    const chosen = chooseFunctions(called, options.functions);
    caller.say(
      `delays ${chosen.map(nameOfPlace).join(', ')} of ${String(called.length)} functions that are called`,
    );
    const versions = planVersions(chosen, value);
    for (const { folder: own, index, delayMs } of versions) {
      await copyPage(page, join(folder, own), {
        prelude: writeDelays(index, delayMs),
        indexOf: (one) => findIndex(chosen, one),
      });
    }
    const compared = await searchVersions(
      versions.map((one) => one.folder),
      {
        ...options,
        page: page.address,
        from: folder,
        precision,
        search: {
          pairs: versionPairs,
          alpha: defaultAlpha,
          isDone: () => false,
          command: (seed) => `${options.command} --seed ${String(seed)}`,
        },
      },
      caller,
    );
    const browsers = findSlopes(compared, chosen, versions);
    return { browsers, compared, notDelayed: called.length - chosen.length, unread: page.unread };
  });
}

function findIndex(chosen: readonly FoundFunction[], one: FoundFunction): number | null {
  const index = chosen.findIndex(
    ({ file, line, column }) => file === one.file && line === one.line && column === one.column,
  );
  return index === -1 ? null : index;
}

interface Counting {
  readonly measure: string;
  readonly folder: string;
  readonly options: CausalOptions;
  readonly caller: MeasuringCaller;
}

/** Opens a page in the first browser to count the calls of its functions during an operation. */
async function countCalls(
  page: OpenedPage,
  { measure, folder, options, caller }: Counting,
): Promise<{ readonly called: readonly CalledFunction[]; readonly value: number }> {
  const index = new Map(page.functions.map((one, at) => [one, at]));
  const copies = ['calls-1', 'calls-2'];
  for (const copy of copies) {
    await copyPage(page, join(folder, copy), {
      prelude: writeCounter(page.functions.length),
      indexOf: (one) => index.get(one) ?? null,
    });
  }
  caller.say(`counts the calls of ${String(page.functions.length)} functions`);
  const { trials } = await searchVersions(
    copies,
    {
      ...options,
      page: page.address,
      from: folder,
      database: join(folder, 'calls.db'),
      measure: [measure, `crossfarmCalls(${JSON.stringify(measure)})`],
      measurement: 'fast',
      maxBlocks: 1,
      search: { pairs: versionPairs, alpha: defaultAlpha, isDone: () => true },
    },
    { ...caller, say: () => undefined, listener: {} },
  );
  const [trial] = trials.filter(isCompleted);
  const [value, counts] = trial?.outcome.result.samples ?? [];
  if (value === undefined || counts === undefined) {
    throw new FarmError('bad-argument', {
      what: `${page.page} gave no ${measure} while its calls were counted.`,
      next: 'Look at it in a browser, or give another --measure.',
    });
  }
  const called = readCalls(counts.timed, page.functions.length).flatMap(
    ({ index: at, inOperation, all }): CalledFunction[] => {
      const one = page.functions[at];
      const isInOperation = inOperation > 0;
      return one === undefined
        ? []
        : [{ ...one, isInOperation, calls: isInOperation ? inOperation : all }];
    },
  );
  if (called.length === 0) {
    throw new FarmError('bad-argument', {
      what: `${page.page} calls none of its own functions.`,
      next: 'Scripts of other origins, and those that eval makes, cannot be delayed.',
    });
  }
  return { called, value: median([...value.timed]) };
}

/** @throws FarmError `bad-argument` for a name that no function has */
function chooseFunctions(
  called: readonly CalledFunction[],
  names: readonly string[],
): readonly CalledFunction[] {
  if (names.length === 0) {
    const inOperation = called.filter(({ isInOperation }) => isInOperation);
    return (inOperation.length > 0 ? inOperation : called).slice(0, usualFunctions);
  }
  const chosen = names.flatMap((name) => {
    const found = called.filter((one) => one.name === name || nameOfPlace(one) === name);
    if (found.length > 0) return found;
    throw new FarmError('bad-argument', {
      what: `The page calls no function ${name}.`,
      next: `It calls ${called.slice(0, mostFunctions).map(nameOfPlace).join(', ')}.`,
    });
  });
  if (chosen.length <= mostFunctions) return chosen;
  throw new FarmError('bad-argument', {
    what: `${String(chosen.length)} functions have these names, and ${String(mostFunctions)} are delayed at most.`,
    next: 'Name them with their place: "render (app.js:12)".',
  });
}

/** A copy of the page. */
interface DelayedVersion {
  readonly folder: string;
  /** Of the function that waits; null in the one without a delay. */
  readonly index: number | null;
  /** Of each call. */
  readonly delayMs: number;
  /** Of one operation. */
  readonly totalMs: number;
}

function planVersions(chosen: readonly CalledFunction[], value: number): readonly DelayedVersion[] {
  const none = { folder: 'without a delay', index: null, delayMs: 0, totalMs: 0 };
  return [
    none,
    ...chosen.flatMap(({ name, calls }, index) =>
      sizes.map((size): DelayedVersion => {
        const totalMs = size * value;
        const label = `${name.replaceAll(/[^\w.]/g, '').slice(0, 40)} ${String(index + 1)}`;
        const folder = `${label} +${totalMs.toPrecision(3)} ms`;
        return { folder, index, delayMs: totalMs / calls, totalMs };
      }),
    ),
  ];
}

function findSlopes(
  compared: VersionsComparison,
  chosen: readonly CalledFunction[],
  versions: readonly DelayedVersion[],
): readonly BrowserSlopes[] {
  const counted = withoutQuarantined(countingDisturbed(compared.trials)).filter(isCompleted);
  const metrics = new Map(compared.entries.map(({ pair }) => [pair.a.deviceId, pair.metric]));
  return [...metrics].map(([deviceId, metric]) => {
    const ours = counted.filter(({ job }) => job.deviceId === deviceId);
    const blocks = readBlocks(ours, versions, metric);
    const values = blocks.flatMap((block) => block.get(null)?.map(({ value }) => value) ?? []);
    return {
      deviceId,
      metric,
      value: values.length === 0 ? NaN : median(values),
      functions: chosen.flatMap((called, index) => {
        const own = blocks.flatMap((block): DelayedBlock[] => {
          const all = [...(block.get(null) ?? []), ...(block.get(index) ?? [])];
          return all.length === 1 + sizes.length ? [all] : [];
        });
        if (own.length === 0) return [];
        const delaysMs = versions
          .filter((one) => one.index === index)
          .map(({ totalMs }) => totalMs);
        return [{ called, delaysMs, ...estimateSlope(own, defaultAlpha / chosen.length) }];
      }),
    };
  });
}

type ReadBlock = ReadonlyMap<number | null, DelayedBlock>;

/** The values of each block, by the function that waited. */
function readBlocks(
  trials: readonly CompletedTrial[],
  versions: readonly DelayedVersion[],
  metric: Metric,
): readonly ReadBlock[] {
  const byBlock = groupBy(trials, ({ job }) => job.block);
  return [...byBlock.values()].map((ours) => {
    const read = ours.flatMap((trial) => {
      const version = versions.find(({ folder }) => folder === readVersion(trial.job));
      const value = readValue(trial, metric);
      return version === undefined || value === null
        ? []
        : [{ index: version.index, delayMs: version.totalMs, value }];
    });
    return groupBy(read, ({ index }) => index);
  });
}

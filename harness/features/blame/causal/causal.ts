import { join } from 'node:path';
import { versionPairs } from '../../../core/analysis/run-pairs.ts';
import { defaultAlpha } from '../../../core/analysis/stats/verdict.ts';
import type { MeasuringCaller } from '../../../core/app/caller.ts';
import { withTemporaryFolder } from '../../../core/app/temporary-folder.ts';
import { FarmError } from '../../../core/errors.ts';
import type { Plan } from '../../../core/model/plan.ts';
import type { Pair } from '../../../core/analysis/pairs.ts';
import { searchVersions, type VersionsComparison } from '../../compare/compare-versions.ts';
import type { VersionsOptions } from '../../compare/options.ts';
import { type FoundFunction, nameOfPlace } from '../profile/sources/instrument.ts';
import { copyPage, openPage } from './page-copy.ts';
import { type CalledFunction, measurePilot } from './pilot.ts';
import { type Delay, writeDelays } from './prelude.ts';
import {
  areKnown,
  type BrowserSlopes,
  type DelayedVersion,
  findSlopes,
  planVersions,
} from './versions.ts';

export interface CausalOptions extends VersionsOptions {
  /** Functions by name, or by name and place; those with the most self time when empty. */
  readonly functions: readonly string[];
  /** Command that repeats it, without its seed. */
  readonly command: string;
}

export interface Causal {
  readonly browsers: readonly BrowserSlopes[];
  readonly compared: VersionsComparison;
  /** Functions that are called, and were not delayed. */
  readonly notDelayed: number;
  /** Why scripts could not be read. */
  readonly unread: readonly string[];
}

/** Functions that are delayed by default: each adds two trials to a block. */
const usualFunctions = 6;

/** Smallest self time of a function that is chosen, as a share of the value. */
const leastShare = 0.01;

const mostFunctions = 20;

/**
 * Measures what a millisecond in each function of a page costs: the farm serves copies of it, in each of
 * which one function waits at each call, so that one operation is longer by two sizes if all of that time
 * counts, and some without a wait, all in one block in random order and one browser session.
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
    const asked = { ...options, page: page.address, from: folder };
    const pilot = await measurePilot(page, { measure, folder, options: asked, caller });
    const { called, value } = pilot;
    const chosen = chooseFunctions(called, options.functions, value);
    const versions = planVersions(chosen, pilot);
    const [longestMs = 0] = versions.map(({ totalMs }) => totalMs).toSorted((a, b) => b - a);
    caller.say(
      `delays ${chosen.map(nameOfPlace).join(', ')} by up to ${longestMs.toPrecision(2)} ms, of ${String(called.length)} functions that are called`,
    );
    for (const [at, version] of versions.entries()) {
      await copyPage(page, join(folder, version.folder), {
        // Copies with the same bytes would be reported as such.
        prelude: `${writeDelays(makeDelay(version, chosen))}, ${String(at)}`,
        indexOf: (one) => findIndex(chosen, one),
      });
    }
    const compared = await searchVersions(
      versions.map((one) => one.folder),
      {
        ...asked,
        sharedBrowser: true,
        measure: [measure, `crossfarmDelay(${JSON.stringify(measure)})`],
        search: {
          pairs: ofMeasure,
          alpha: defaultAlpha,
          isDone: (_, trials) => areKnown(findSlopes(trials, chosen, versions), chosen),
          goesOn: true,
          blocksPerSession: 1,
          command: (seed) => `${options.command} --seed ${String(seed)}`,
        },
      },
      caller,
    );
    const browsers = findSlopes(compared.trials, chosen, versions);
    return { browsers, compared, notDelayed: called.length - chosen.length, unread: page.unread };
  });
}

function makeDelay(
  { index, delayMs }: DelayedVersion,
  chosen: readonly CalledFunction[],
): Delay | null {
  if (index === null) return null;
  return { index, ms: delayMs, isInOperation: chosen[index]?.isInOperation ?? true };
}

/** Pairs of what was asked for; the other metric is what was waited. */
function ofMeasure(plan: Plan): readonly Pair[] {
  return versionPairs(plan).filter(
    ({ a, metric }) => metric.id === a.case.benchmark.metrics[0]?.id,
  );
}

function findIndex(chosen: readonly FoundFunction[], one: FoundFunction): number | null {
  const index = chosen.findIndex(
    ({ file, line, column }) => file === one.file && line === one.line && column === one.column,
  );
  return index === -1 ? null : index;
}

/** @throws FarmError `bad-argument` for a name that no function has */
function chooseFunctions(
  called: readonly CalledFunction[],
  names: readonly string[],
  value: number,
): readonly CalledFunction[] {
  if (names.length === 0) {
    const inOperation = called.filter(({ isInOperation }) => isInOperation);
    const busy = inOperation.filter(({ selfMs }) => (selfMs ?? 0) > leastShare * value);
    const [some = called] = [busy, inOperation].filter(({ length }) => length > 0);
    return some.slice(0, usualFunctions);
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

import { plural } from '../../../reports/html/number.ts';
import { decideTable } from '../../core/analysis/decide.ts';
import { parseFailOn } from '../../core/analysis/fail-on.ts';
import { type Pair, runCircumstances } from '../../core/analysis/pairs.ts';
import {
  parseErrorRate,
  parseMargin,
  parsePrecision,
  versionPairs,
} from '../../core/analysis/run-pairs.ts';
import { countingDisturbed } from '../../core/analysis/series.ts';
import { listOpen, type Rules, untilWorseBy } from '../../core/analysis/stopping.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import {
  cannotResume,
  continuedOrder,
  listDevices,
  readUnfinished,
  withRest,
} from '../../core/app/run/continue-run.ts';
import type { Watching } from '../../core/app/run/block-watch.ts';
import { requireTrustedDatabase } from '../../core/app/trust.ts';
import { findPreset } from '../../core/model/case.ts';
import { type Arm, armKey } from '../../core/model/question.ts';
import { planFurther, planRest } from '../../core/plan/rest.ts';
import { measureReady, type VersionsComparison } from './compare-versions.ts';
import { type ContinueOptions, refuseMissing } from './continue-comparison.ts';
import { furtherCommand } from './options.ts';
import { listUnexplained } from './versions-explained.ts';

/** A continued comparison, and the limit for its exit code. */
export interface ContinuedVersions extends VersionsComparison {
  readonly failOn?: number | undefined;
}

/**
 * Continues a stored comparison of versions of a page: only what is open gets further blocks of the
 * same run, decided together with those that it has.
 * @throws FarmError `bad-argument` when a page changed, or the devices here differ from those of the run
 */
export async function continueVersions(
  which: number | 'latest',
  asked: ContinueOptions,
  caller: MeasuringCaller,
): Promise<ContinuedVersions> {
  const { record, stored } = await readUnfinished(which, asked);
  const { run } = record;
  const { ownPages } = stored.document;
  if (ownPages === undefined)
    throw cannotResume(record, 'an older farm stored no place of its pages');
  requireTrustedDatabase(asked.database, listDevices(record), stored.document);
  const failOn = parseFailOn(run.command);
  const rules = {
    margin: asked.margin ?? parseMargin(run.command),
    alpha: parseErrorRate(run.command),
    precision: asked.precision ?? parsePrecision(run.command),
    isOpen: untilWorseBy(failOn ?? 0),
  };
  const versions = ownPages.versions.map(({ name }) => name);
  const { byDefault } = ownPages;
  return withRest(record, stored.document, {
    caller,
    use: async (rest) => {
      const sofar = planRest(record, rest);
      for (const presence of sofar.presences) refuseMissing(record, presence);
      const pairs = versionPairs(sofar);
      const trials = countingDisturbed(record.trials);
      const table = decideTable(trials, pairs, { ...rules, ...runCircumstances(sofar) });
      const open = listOpen(table, trials, rules).map(({ pair }) => pair);
      const isDecided = run.status === 'finished' && open.length === 0;
      const decided = { entries: table, trials: record.trials, alpha: rules.alpha };
      const unexplained = isDecided ? listUnexplained(decided).map(({ pair }) => pair) : [];
      if (isDecided && unexplained.length === 0) {
        caller.say(`run ${String(run.id)} is decided already: a verdict that was reached stays`);
        const { margin, precision } = rules;
        const { seed, measurement, presences } = sofar;
        const of = { run: run.id, preset: findPreset(measurement), versions, presences, seed };
        const found = { ...decided, byDefault, command: run.command };
        return { ...of, margin, precision, ...found, ...asDecided, failOn };
      }
      const what = isDecided
        ? `all is decided, and ${plural(unexplained.length, 'difference')} may be explained by more blocks`
        : `measures ${plural(open.length, 'undecided comparison')}, and nothing else`;
      caller.say(`going on with run ${String(run.id)}: ${what}`);
      const [first, ...others] = isDecided ? unexplained : open;
      const arms = listArms(first === undefined ? pairs : [first, ...others]);
      const plan = planFurther(sofar, { arms, blocks: asked.maxBlocks });
      const blocks = { blocks: plan.blocks, margin: rules.margin, precision: rules.precision };
      const order = {
        ...continuedOrder({ record, stored }, asked),
        command: furtherCommand(run.command, blocks),
      };
      const until = isDecided ? untilExplained(rules) : {};
      const watching = { ...rules, ...until, budget: asked.budget };
      const ready = { plan, pairs, watching, order, versions, byDefault };
      return { ...(await measureReady(ready, caller)), failOn };
    },
  });
}

/** Asks for blocks until a part of each difference may be settled: every verdict is reached. */
function untilExplained(
  rules: Rules & { readonly alpha: number },
): Pick<Watching, 'isOpen' | 'isDone'> {
  return {
    isOpen: () => true,
    isDone: (entries, trials) =>
      listOpen(entries, trials, rules).length === 0 &&
      listUnexplained({ entries, trials, alpha: rules.alpha }).length === 0,
  };
}

/** Of a comparison that gets no trial. */
const asDecided = {
  interrupted: false,
  ended: 'decided',
  stopped: null,
  moreBlocks: new Map<never, never>(),
} as const;

/** The sides of pairs, the first version of each page before the others. */
function listArms(pairs: readonly Pair[]): readonly Arm[] {
  const sides = pairs.flatMap(({ a, b }) => [b, a]);
  return [...new Map(sides.map((side) => [armKey(side), side])).values()];
}

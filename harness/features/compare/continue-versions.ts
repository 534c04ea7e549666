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
import { listOpen, untilWorseBy } from '../../core/analysis/stopping.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import {
  cannotResume,
  listDevices,
  readUnfinished,
  withRest,
} from '../../core/app/run/continue-run.ts';
import { requireTrustedDatabase } from '../../core/app/trust.ts';
import { findPreset } from '../../core/model/case.ts';
import { type Arm, armKey } from '../../core/model/question.ts';
import { planFurther, planRest } from '../../core/plan/rest.ts';
import { measureReady, type VersionsComparison } from './compare-versions.ts';
import { continuedOptions, type ContinueOptions, refuseMissing } from './continue-comparison.ts';
import { furtherCommand } from './options.ts';

/** A continued comparison, and the limit of its own exit code. */
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
      if (run.status === 'finished' && open.length === 0) {
        caller.say(`run ${String(run.id)} is decided already: a verdict that was reached stays`);
        const { margin, alpha, precision } = rules;
        const { seed, measurement, presences } = sofar;
        const of = { run: run.id, preset: findPreset(measurement), versions, presences, seed };
        const found = { entries: table, trials: record.trials, byDefault, command: run.command };
        return { ...of, margin, alpha, precision, ...found, ...asDecided, failOn };
      }
      caller.say(
        `going on with run ${String(run.id)}: ${String(open.length)} of ${String(table.length)} comparisons are undecided, and only these are measured`,
      );
      const plan = planFurther(sofar, {
        arms: listArms(open.length > 0 ? open : pairs),
        blocks: asked.maxBlocks,
      });
      const blocks = { blocks: plan.blocks, margin: rules.margin, precision: rules.precision };
      const order = {
        ...continuedOptions({ record, stored }, asked),
        command: furtherCommand(run.command, blocks),
      };
      const watching = { ...rules, budget: asked.budget };
      const ready = { plan, pairs, watching, order, versions, byDefault };
      return { ...(await measureReady(ready, caller)), failOn };
    },
  });
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

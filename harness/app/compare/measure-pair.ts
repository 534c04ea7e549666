import { whyNotCounted } from '../../analysis/busy-machine.ts';
import { decidePair, runCircumstances, type Pair } from '../../analysis/decisions.ts';
import type { IsOpen } from '../../analysis/sequential.ts';
import { comparisonSuite } from '../../analysis/verdicts.ts';
import type { MeasurementRules } from '../../model/case.ts';
import type { Presence } from '../../model/device.ts';
import { firstRoundBlocks, type Plan } from '../../model/plan.ts';
import type { SeriesTest } from '../../model/run.ts';
import { makePlan } from '../../plan/plan.ts';
import { planFurther, planRest } from '../../plan/rest.ts';
import { defaultMargin, type Decision } from '../../analysis/stats/verdict.ts';
import { watchBlocks } from './block-watch.ts';
import type { MeasuringCaller } from '../caller.ts';
import { executePlan, type MeasuringOptions, type RunOrder } from '../run/execute-plan.ts';
import { furtherCommand } from './continue-comparison.ts';
import type { UnfinishedRun } from '../run/continue-run.ts';

/** Two builds of one device, on one case. */
export interface BuildSides {
  readonly pair: Pair;
  /** After, before: the sides a and b of the pair. */
  readonly presences: readonly [Presence, Presence];
}

export interface MeasureOrder {
  /** Error rate of the sequential test. */
  readonly alpha: number;
  /** As `DecisionRules` has it. */
  readonly margin?: number;
  /** As `Rules` has it. */
  readonly isOpen?: IsOpen;
  readonly budgetMs?: number;
  readonly maxBlocks: number;
  readonly measurement: MeasurementRules;
  readonly seed: number;
  /** The command that repeats it. */
  readonly command: string;
  readonly options: MeasuringOptions;
  /** The test that a night makes with it; stored, so that a later night recognises it. */
  readonly test?: SeriesTest;
  /** A stored run of the same sides, which gets so many blocks more, instead of a new one. */
  readonly goesOn?: UnfinishedRun;
}

export interface MeasuredPair {
  readonly run: number;
  /** Null when the two gave no block in common. */
  readonly decision: Decision | null;
  /** Why it ended before it was decided, or why most blocks do not count; null when it was decided, or its time was over. */
  readonly stopped: string | null;
  readonly interrupted: boolean;
}

/** Measures two builds in blocks, as `farm compare` does it, until it is decided. */
export async function measurePair(
  sides: BuildSides,
  order: MeasureOrder,
  caller: MeasuringCaller,
): Promise<MeasuredPair> {
  const { pair } = sides;
  const { alpha, margin = defaultMargin, isOpen, budgetMs, options, test, goesOn } = order;
  const rules = { margin, alpha };
  const plan = planPair(sides, order);
  const watch = watchBlocks(plan, [pair], { ...rules, isOpen, budget: budgetMs });
  const runOrder = {
    suite: comparisonSuite,
    options,
    enough: watch.enough,
    window: watch.window,
    ...(test !== undefined && { test }),
    ...(goesOn === undefined
      ? { command: order.command }
      : resuming(goesOn, { blocks: plan.blocks, margin: rules.margin })),
  };
  const { run, trials, interrupted } = await executePlan(plan, runOrder, caller);
  const decided = decidePair(trials, pair, { ...rules, ...runCircumstances(plan) });
  const standing = watch.standing();
  return {
    run,
    decision: decided.kind === 'decided-on' ? decided.decision : null,
    stopped: standing.kind === 'vanished' ? standing.reason : whyNotCounted(trials, pair),
    interrupted,
  };
}

/** Of a run that goes on, the first round is there: it gets single blocks alone. */
function planPair(
  { pair, presences }: BuildSides,
  { maxBlocks: blocks, measurement, seed, goesOn }: MeasureOrder,
): Plan {
  const arms = [pair.a, pair.b];
  if (goesOn === undefined) {
    const firstRound = firstRoundBlocks;
    return makePlan({
      seed,
      isolation: 'session',
      blocks,
      firstRound,
      measurement,
      presences,
      arms,
    });
  }
  const { record, stored } = goesOn;
  const benchmarks = [pair.a.case.benchmark];
  const sofar = planRest(record, { setting: stored.document, presences, benchmarks });
  return planFurther(sofar, { arms, blocks });
}

function resuming(
  { record, stored }: UnfinishedRun,
  whole: Parameters<typeof furtherCommand>[1],
): Pick<RunOrder, 'command' | 'resumes'> {
  return {
    command: furtherCommand(record.run.command, whole),
    resumes: { record, before: stored.farm },
  };
}

import { decidePair, runCircumstances, type Pair } from '../../analysis/decisions.ts';
import { comparisonSuite } from '../../analysis/verdicts.ts';
import type { MeasurementRules } from '../../model/case.ts';
import type { Presence } from '../../model/device.ts';
import { firstRoundBlocks, type Plan } from '../../model/plan.ts';
import type { SeriesTest } from '../../model/run.ts';
import { makePlan } from '../../plan/plan.ts';
import { planFurther, planRest } from '../../plan/rest.ts';
import type { RunListener } from '../../run/listener.ts';
import { defaultMargin, type Decision } from '../../analysis/stats/verdict.ts';
import { watchBlocks } from './block-watch.ts';
import { carryOut, type CarryOut, type MeasuringOptions } from '../run/execute-plan.ts';
import { furtherCommand } from './continue-comparison.ts';
import type { Unfinished } from '../run/continue-run.ts';
import type { Io } from '../../cli/io.ts';

/** Two builds of one device, on one case. */
export interface BuildSides {
  readonly pair: Pair;
  /** After, before: the sides a and b of the pair. */
  readonly presences: readonly [Presence, Presence];
}

export interface MeasureOrder {
  /** Error rate of the sequential test. */
  readonly alpha: number;
  readonly budgetMs?: number;
  readonly maxBlocks: number;
  readonly measurement: MeasurementRules;
  readonly seed: number;
  /** The command that repeats it. */
  readonly command: string;
  readonly options: MeasuringOptions;
  readonly io: Io;
  readonly listener: RunListener;
  /** What a night asks with it; stored, so that a later night knows the same question. */
  readonly test?: SeriesTest;
  /** A stored run of the same sides, which gets so many blocks more, instead of a new one. */
  readonly goesOn?: Unfinished;
}

export interface MeasuredPair {
  readonly run: number;
  /** Null when the two gave no block in common. */
  readonly decision: Decision | null;
  /** Why it ended before it was decided; null when it was, or when its time was over. */
  readonly stopped: string | null;
  readonly interrupted: boolean;
}

/** Two builds in blocks, as `farm compare` does it, until it is decided. */
export async function measurePair(sides: BuildSides, order: MeasureOrder): Promise<MeasuredPair> {
  const { pair } = sides;
  const { alpha, budgetMs, options, io, listener, test, goesOn } = order;
  const rules = { margin: defaultMargin, alpha };
  const plan = planPair(sides, order);
  const watch = watchBlocks(plan, [pair], { ...rules, budget: budgetMs });
  const { run, trials, interrupted } = await carryOut(plan, {
    suite: comparisonSuite,
    enough: watch.enough,
    window: watch.window,
    ...{ options, io, listener },
    ...(test !== undefined && { test }),
    ...(goesOn === undefined
      ? { command: order.command }
      : resuming(goesOn, { blocks: plan.blocks, margin: rules.margin })),
  });
  const decided = decidePair(trials, pair, { ...rules, ...runCircumstances(plan) });
  const standing = watch.standing();
  return {
    run,
    decision: decided.kind === 'decided-on' ? decided.decision : null,
    stopped: standing.kind === 'vanished' ? standing.reason : null,
    interrupted,
  };
}

/** Of a run that goes on, the first round is there: it gets single blocks alone. */
function planPair(
  { pair, presences }: BuildSides,
  { maxBlocks: blocks, measurement, seed, goesOn }: MeasureOrder,
): Plan {
  const lanes = [pair.a, pair.b];
  if (goesOn === undefined) {
    const firstRound = firstRoundBlocks;
    return makePlan({
      ...{ seed, isolation: 'session', blocks, firstRound, measurement, presences, lanes },
    });
  }
  const { record, stored } = goesOn;
  const benchmarks = [pair.a.case.benchmark];
  const sofar = planRest(record, { setting: stored.document, presences, benchmarks });
  return planFurther(sofar, { lanes, blocks });
}

function resuming(
  { record, stored }: Unfinished,
  whole: Parameters<typeof furtherCommand>[1],
): Pick<CarryOut, 'command' | 'resumes'> {
  return {
    command: furtherCommand(record.run.command, whole),
    resumes: { record, before: stored.farm },
  };
}

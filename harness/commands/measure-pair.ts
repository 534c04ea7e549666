import { decidePair, runCircumstances, type Pair } from '../analysis/decisions.ts';
import { comparisonSuite } from '../analysis/verdicts.ts';
import type { MeasurementRules } from '../model/case.ts';
import type { Presence } from '../model/device.ts';
import { firstRoundBlocks } from '../model/plan.ts';
import { makePlan } from '../plan/plan.ts';
import type { RunListener } from '../runner/listener.ts';
import { defaultMargin, type Decision } from '../stats/verdict.ts';
import { watchBlocks } from './block-watch.ts';
import { carryOut, type MeasuringOptions } from './carry-out.ts';
import type { Io } from './io.ts';

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
export async function measurePair(
  { pair, presences }: BuildSides,
  order: MeasureOrder,
): Promise<MeasuredPair> {
  const { alpha, budgetMs, maxBlocks, measurement, seed, ...rest } = order;
  const rules = { margin: defaultMargin, alpha };
  const plan = makePlan({
    seed,
    isolation: 'session',
    blocks: maxBlocks,
    firstRound: firstRoundBlocks,
    measurement,
    presences,
    lanes: [pair.a, pair.b],
  });
  const watch = watchBlocks(plan, [pair], { ...rules, budget: budgetMs });
  const { run, trials, interrupted } = await carryOut(plan, {
    suite: comparisonSuite,
    enough: watch.enough,
    window: watch.window,
    ...rest,
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

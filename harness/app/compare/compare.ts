import { randomInt } from 'node:crypto';
import { defaultAlpha } from '../../analysis/stats/verdict.ts';
import { comparisonSuite } from '../../analysis/verdicts.ts';
import { loadCatalog } from '../../plan/catalog/catalog.ts';
import { chooseRules } from '../../plan/catalog/measurement.ts';
import { makePlan } from '../../plan/plan.ts';
import type { MeasuringCaller } from '../caller.ts';
import { executePlan } from '../run/execute-plan.ts';
import { checkFirstRound, watchBlocks } from './block-watch.ts';
import { compareCommand } from './compare-command.ts';
import { type Comparison, concludeComparison } from './conclude.ts';
import { findSides, makePair } from './sides.ts';
import type { CompareOptions, Sides } from './options.ts';

/**
 * Compares two sides, block by block, until the verdict is there or the budget is gone.
 * @throws FarmError
 */
export async function compare(
  names: Sides,
  options: CompareOptions,
  caller: MeasuringCaller,
): Promise<Comparison> {
  const firstRound = checkFirstRound(options, caller);
  const catalog = await loadCatalog(options.pages);
  const presences = await findSides(names, options, caller);
  const pair = await makePair(catalog, presences, options);
  const plan = makePlan({
    seed: options.seed ?? randomInt(2 ** 32),
    isolation: 'session',
    blocks: options.maxBlocks,
    firstRound,
    measurement: chooseRules(options.measurement),
    presences,
    arms: [pair.a, pair.b],
    ...(options.repeat ? {} : { repeatQuarantined: false }),
  });
  const command = compareCommand(names, options, plan.seed);
  const watch = watchBlocks(plan, [pair], {
    ...options,
    alpha: defaultAlpha,
    say: caller.say,
  });
  const { enough, window } = watch;
  const order = { suite: comparisonSuite, command, options, enough, window };
  const { run, trials, interrupted } = await executePlan(plan, order, caller);
  const { margin, database, save } = options;
  const measured = { run, trials, interrupted, plan, pair, command, margin };
  const ending = { stopped: watch.standing(), continues: false };
  return concludeComparison({ ...measured, ...ending }, { database, save });
}

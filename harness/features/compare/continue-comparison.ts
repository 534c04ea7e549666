import { decisionIn, type TableEntry } from '../../core/analysis/decide.ts';
import { stopStateOf } from '../../core/analysis/stopping.ts';
import { type Pair } from '../../core/analysis/pairs.ts';
import {
  comparedPair,
  comparisonSuite,
  parseErrorRate,
  parseMargin,
  parsePrecision,
} from '../../core/analysis/run-pairs.ts';
import { FarmError } from '../../core/errors.ts';
import type { Presence } from '../../core/model/device.ts';
import type { Plan } from '../../core/model/plan.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { planFurther, planRest, type Rest } from '../../core/plan/rest.ts';
import { watchBlocks } from '../../core/app/run/block-watch.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { executePlan } from '../../core/app/run/execute-plan.ts';
import { type Comparison, concludeComparison } from './conclude.ts';
import { describeLook } from './look-text.ts';
import { furtherCommand } from './options.ts';
import {
  cannotResume,
  continuedOrder,
  listDevices,
  readUnfinished,
  type UnfinishedRun,
  withRest,
} from '../../core/app/run/continue-run.ts';
import type { FurtherOptions } from '../../core/app/run/continue-table.ts';
import { requireTrustedDatabase } from '../../core/app/trust.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

export interface ContinueOptions extends FurtherOptions {
  /** That of the run when left out. */
  readonly precision?: number | undefined;
  /** Sentence about the finding, to save it as an anomaly. */
  readonly save?: string;
}

/**
 * Continues a stored comparison: the same sides in further blocks of the same run, decided together
 * with those that it has. The test may be looked at whenever one likes, so its evidence does not
 * expire.
 * @throws FarmError `bad-argument` when the devices or pages here differ from those of the run.
 */
export async function continueComparison(
  which: number | 'latest',
  asked: ContinueOptions,
  caller: MeasuringCaller,
): Promise<Comparison> {
  const { database } = asked;
  const unfinished = await readComparison(which, asked);
  const { record, stored } = unfinished;
  requireTrustedDatabase(database, listDevices(record), stored.document);
  return withRest(record, stored.document, {
    caller,
    use: (rest) => continueWith(unfinished, { asked, rest }, caller),
  });
}

async function continueWith(
  unfinished: UnfinishedRun,
  { asked, rest }: { readonly asked: ContinueOptions; readonly rest: Rest },
  caller: MeasuringCaller,
): Promise<Comparison> {
  const { record } = unfinished;
  const { database, save } = asked;
  const { plan, pair } = planOn(record, rest, asked.maxBlocks);
  const margin = asked.margin ?? parseMargin(record.run.command);
  const alpha = parseErrorRate(record.run.command);
  const { budget } = asked;
  const { say } = caller;
  const { presences } = plan;
  const describe = (table: readonly TableEntry[]): readonly string[] =>
    describeLook(table, { presences, margin });
  const precision = asked.precision ?? parsePrecision(record.run.command);
  const rules = { margin, precision, alpha };
  const watch = watchBlocks(plan, [pair], { ...rules, budget, say, describe });
  const { run } = record;
  const all = { plan, pair, margin, precision, continues: true };
  const kept = { database, save };
  const sofar = watch.decide(record.trials);
  const standing = stopStateOf(sofar, record.trials, { precision });
  if (run.status === 'finished' && standing.kind === 'decided') {
    caller.say(`run ${String(run.id)} is decided already: a verdict that was reached stays`);
    const ended = {
      interrupted: false,
      stopped: standing,
      ended: 'decided' as const,
      decision: decisionIn(sofar),
    };
    const { id, command } = run;
    const { trials } = record;
    return concludeComparison({ ...all, run: id, command, trials, ...ended }, kept);
  }
  caller.say(`going on with run ${String(run.id)}: ${blocksText(record)} so far`);
  const command = furtherCommand(run.command, { blocks: plan.blocks, margin, precision });
  const { enough, look, window } = watch;
  const order = { ...continuedOrder(unfinished, asked), command, enough, look, window };
  const { trials, interrupted } = await executePlan(plan, order, caller);
  const decision = decisionIn(watch.decide(trials));
  const ended = {
    interrupted,
    stopped: watch.standing(),
    ended: interrupted ? ('interrupted' as const) : watch.ending(trials),
    decision,
  };
  return concludeComparison({ ...all, run: run.id, command, trials, ...ended }, kept);
}

/** Reads a stored run of `farm compare` that no farm executes now. */
async function readComparison(
  which: number | 'latest',
  asked: ContinueOptions,
): Promise<UnfinishedRun> {
  const unfinished = await readUnfinished(which, asked);
  const { id, suite } = unfinished.record.run;
  if (suite === comparisonSuite) return unfinished;
  throw new FarmError('bad-argument', {
    what: `Run ${String(id)} is one of ${suite}, and no comparison of two sides.`,
    next: `${npxCrossfarm} continue ${String(id)} finds how it is continued.`,
  });
}

function blocksText({ trials }: RunRecord): string {
  const blocks = new Set(trials.map(({ job }) => job.block)).size;
  return blocks === 1 ? '1 block' : `${String(blocks)} blocks`;
}

/** Plans the trials that the run lacks, and further blocks. */
function planOn(
  record: RunRecord,
  rest: Rest,
  blocks: number,
): { readonly plan: Plan; readonly pair: Pair } {
  const sofar = planRest(record, rest);
  for (const presence of sofar.presences) refuseMissing(record, presence);
  const pair = comparedPair(sofar);
  if (pair === null) throw cannotResume(record, 'its sides are not known');
  return { plan: planFurther(sofar, { arms: [pair.a, pair.b], blocks }), pair };
}

/** @throws FarmError for a device that the run measured, and that is missing or another now */
export function refuseMissing(record: RunRecord, presence: Presence): void {
  const then = record.presences.find(({ device }) => device.id === presence.device.id);
  if (presence.status === 'found' || then?.status === 'missing') return;
  throw cannotResume(record, `${presence.device.id} is missing: ${presence.reason}`);
}

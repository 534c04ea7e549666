import { plural } from '../../../../reports/html/number.ts';
import { decideTable, type TableEntry } from '../../analysis/decide.ts';
import { runCircumstances } from '../../analysis/pairs.ts';
import { listComparisons, parseErrorRate, parseMargin } from '../../analysis/run-pairs.ts';
import { listOpen } from '../../analysis/stopping.ts';
import { FarmError } from '../../errors.ts';
import { type Arm, armKey } from '../../model/question.ts';
import type { RunRecord } from '../../model/run.ts';
import { canGetBlocks, npxCrossfarm } from '../../model/typed-command.ts';
import { planFurther, planRest, type Rest } from '../../plan/rest.ts';
import type { MeasuringCaller } from '../caller.ts';
import { requireTrustedDatabase } from '../trust.ts';
import { watchBlocks } from './block-watch.ts';
import {
  continuedOrder,
  type ContinueOptions,
  listDevices,
  readUnfinished,
  type UnfinishedRun,
  withRest,
} from './continue-run.ts';
import { executePlan, type RunResult } from './execute-plan.ts';

export interface FurtherOptions extends ContinueOptions {
  /** The most blocks that are added. */
  readonly maxBlocks: number;
  /** Milliseconds for the further blocks. */
  readonly budget?: number;
  /** That of the run when left out. */
  readonly margin?: number | undefined;
  /** Also a run whose farm cannot be seen from here. */
  readonly takeOver?: boolean;
}

/** How the comparisons that go on stand, in lines. */
type DescribeOpen = (
  open: readonly TableEntry[],
  shown: { readonly presences: Rest['presences']; readonly margin: number },
) => readonly string[];

interface TableOptions extends FurtherOptions {
  readonly describe?: DescribeOpen;
}

/**
 * Continues the table of a run: only the comparisons that are open get further blocks, until each has
 * a verdict. What is decided keeps its trials, and its verdict.
 * @returns null where nothing is open
 * @throws FarmError `bad-argument` when the devices or pages here differ from those of the run.
 */
export async function continueTable(
  which: number | 'latest',
  asked: TableOptions,
  caller: MeasuringCaller,
): Promise<RunResult | null> {
  const { database } = asked;
  const { record, stored } = await readUnfinished(which, asked);
  const { run } = record;
  if (record.question !== undefined || !canGetBlocks(run)) throw notContinued(record);
  requireTrustedDatabase(database, listDevices(record), stored.document);
  return withRest(record, stored.document, {
    caller,
    use: (rest) => continueOpen({ record, stored }, { asked, rest }, caller),
  });
}

async function continueOpen(
  { record, stored }: UnfinishedRun,
  { asked, rest }: { readonly asked: TableOptions; readonly rest: Rest },
  caller: MeasuringCaller,
): Promise<RunResult | null> {
  const { run } = record;
  const { budget, maxBlocks, describe } = asked;
  const sofar = planRest(record, rest);
  const pairs = listComparisons(sofar);
  if (pairs.length === 0) {
    throw new FarmError('bad-argument', {
      what: `Run ${String(run.id)} compares nothing: it has one device.`,
      next: `${npxCrossfarm} compare measures two sides until it is decided.`,
    });
  }
  const margin = asked.margin ?? parseMargin(run.command);
  const rules = { margin, alpha: parseErrorRate(run.command) };
  const circumstances = { ...rules, ...runCircumstances(sofar) };
  const table = decideTable(record.trials, pairs, circumstances);
  const open = listOpen(table, record.trials);
  if (open.length === 0) return null;
  caller.say(
    `going on with run ${String(run.id)}: measures ${plural(open.length, 'undecided comparison')}, and nothing else`,
  );
  const sides = open.flatMap(({ pair: { a, b } }) => [a, b]);
  const arms: readonly Arm[] = [...new Map(sides.map((side) => [armKey(side), side])).values()];
  const plan = planFurther(sofar, { arms, blocks: maxBlocks });
  const { presences } = plan;
  const watch = watchBlocks(plan, pairs, {
    ...rules,
    budget,
    describe: (entries) =>
      describe?.(
        entries.filter(({ pair }) => open.some((one) => one.pair === pair)),
        { presences, margin },
      ) ?? [],
  });
  const { enough, look } = watch;
  return executePlan(plan, { ...continuedOrder({ record, stored }, asked), enough, look }, caller);
}

function notContinued({ run }: RunRecord): FarmError {
  return new FarmError('bad-argument', {
    what: `Run ${String(run.id)} is one of ${run.suite}, whose blocks are planned by another command.`,
    next: `${npxCrossfarm} continue ${String(run.id)} finds how it is continued.`,
  });
}

import { decideTable } from '../../core/analysis/decide.ts';
import { runCircumstances } from '../../core/analysis/pairs.ts';
import { listComparisons, parseErrorRate, parseMargin } from '../../core/analysis/run-pairs.ts';
import { listOpen } from '../../core/analysis/stopping.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { watchBlocks } from '../../core/app/run/block-watch.ts';
import {
  continuedOrder,
  listDevices,
  readUnfinished,
  type UnfinishedRun,
  withRest,
} from '../../core/app/run/continue-run.ts';
import { executePlan, type RunResult } from '../../core/app/run/execute-plan.ts';
import { requireTrustedDatabase } from '../../core/app/trust.ts';
import type { ReportOption } from '../../core/cli/end-report.ts';
import type { Io } from '../../core/cli/io.ts';
import type { JsonOption } from '../../core/cli/options.ts';
import { type ExitCode, exitCodes, FarmError } from '../../core/errors.ts';
import { type Arm, armKey } from '../../core/model/question.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { canGetBlocks, npxCrossfarm } from '../../core/model/typed-command.ts';
import { planFurther, planRest, type Rest } from '../../core/plan/rest.ts';
import type { ContinueOptions } from './continue-comparison.ts';
import { describeLook } from './look-text.ts';

/** `continueTable` for the command line. @returns the exit code */
export async function continueTableHere(
  which: number | 'latest',
  asked: ContinueOptions & ReportOption & JsonOption,
  io: Io,
): Promise<ExitCode> {
  const { endRun, holdEnd } = await import('../../core/cli/run-output.ts');
  const held = holdEnd(asked.json, io);
  const result = await continueTable(which, asked, held.caller);
  return result === null ? exitCodes.fine : endRun(result, asked, { io, held });
}

/**
 * Continues the table of a run: only the comparisons that are open get further blocks, until each has
 * a verdict. What is decided keeps its trials, and its verdict.
 * @throws FarmError `bad-argument` when the devices or pages here differ from those of the run.
 */
async function continueTable(
  which: number | 'latest',
  asked: ContinueOptions,
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
  { asked, rest }: { readonly asked: ContinueOptions; readonly rest: Rest },
  caller: MeasuringCaller,
): Promise<RunResult | null> {
  const { run } = record;
  const { budget, maxBlocks } = asked;
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
  if (open.length === 0) {
    caller.say(`run ${String(run.id)} is decided already: a verdict that was reached stays`);
    return null;
  }
  caller.say(
    `going on with run ${String(run.id)}: ${String(open.length)} of ${String(table.length)} comparisons are undecided, and only these are measured`,
  );
  const sides = open.flatMap(({ pair: { a, b } }) => [a, b]);
  const arms: readonly Arm[] = [...new Map(sides.map((side) => [armKey(side), side])).values()];
  const plan = planFurther(sofar, { arms, blocks: maxBlocks });
  const { presences } = plan;
  const watch = watchBlocks(plan, pairs, {
    ...rules,
    budget,
    describe: (entries) =>
      describeLook(
        entries.filter(({ pair }) => open.some((one) => one.pair === pair)),
        { presences, margin },
      ),
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

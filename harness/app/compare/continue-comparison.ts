import { runCircumstances, type Pair } from '../../analysis/decisions.ts';
import { standingOf } from '../../analysis/sequential.ts';
import { comparedPair, comparisonSuite, marginOf } from '../../analysis/verdicts.ts';
import { FarmError } from '../../errors.ts';
import type { Presence } from '../../model/device.ts';
import type { Plan } from '../../model/plan.ts';
import type { RunRecord } from '../../model/run.ts';
import { planFurther, planRest } from '../../plan/rest.ts';
import { defaultAlpha } from '../../analysis/stats/verdict.ts';
import { watchBlocks } from './block-watch.ts';
import { carryOut, chooseListener } from '../run/execute-plan.ts';
import type { Compared, CompareOptions } from '../../cli/compare.ts';
import {
  cannotResume,
  continueCommand,
  findAnew,
  readStoredSetting,
  refuseOtherMachine,
  refuseWhatGoesOn,
  type Unfinished,
} from '../run/continue-run.ts';
import { note, type Io } from '../../cli/io.ts';
import { readRecord } from '../records.ts';

/** A margin that was not said is that of the run. */
type Asked = Pick<
  CompareOptions,
  'maxBlocks' | 'budget' | 'database' | 'json' | 'port' | 'takeOver'
> & { readonly margin: number | undefined };

/**
 * Goes on with a stored comparison: the same sides in further blocks of the same run, decided
 * together with those that it has. The test may be looked at whenever one likes, so its evidence does
 * not expire.
 * @throws FarmError `bad-argument` when what is here now may not be pooled with what the run has.
 */
export async function continueComparison(
  which: number | 'latest',
  asked: Asked,
  io: Io,
): Promise<Compared> {
  const { database, json } = asked;
  const unfinished = await readComparison(which, asked);
  const { record, stored } = unfinished;
  const { plan, pair } = await planOn(unfinished, asked.maxBlocks, io);
  const margin = asked.margin ?? marginOf(record.run.command);
  const rules = { margin, alpha: defaultAlpha, ...runCircumstances(plan) };
  const watch = watchBlocks(plan, [pair], { margin, alpha: defaultAlpha, budget: asked.budget });
  const { run } = record;
  const all = { plan, pair, margin, continues: true };
  const standing = standingOf(record.trials, [pair], rules);
  if (run.status === 'finished' && standing.kind === 'decided') {
    note(io, `run ${String(run.id)} is decided already: a verdict that was reached stays`);
    const { id, command } = run;
    return {
      ...all,
      run: id,
      command,
      trials: record.trials,
      interrupted: false,
      stopped: standing,
    };
  }
  note(io, `going on with run ${String(run.id)}: ${blocksText(record)} so far`);
  const command = furtherCommand(run.command, { blocks: plan.blocks, margin });
  const { pages, deadlineMs: deadline, probes, probe, port = 0 } = stored.document;
  const options = { database, json, pages, deadline, probes, probe };
  const carried = await carryOut(plan, {
    suite: run.suite,
    command,
    options: { ...options, port: asked.port === 0 ? port : asked.port },
    io,
    listener: json ? {} : chooseListener(false, io),
    enough: watch.enough,
    window: watch.window,
    resumes: { record, before: stored.farm },
  });
  return { ...all, ...carried, command, stopped: watch.standing() };
}

/** A stored run of `farm compare` that nobody carries out. */
async function readComparison(
  which: number | 'latest',
  { database, takeOver }: Asked,
): Promise<Unfinished> {
  const record = await readRecord(which, database);
  const { id, suite } = record.run;
  if (suite !== comparisonSuite) {
    throw new FarmError('bad-argument', {
      what: `Run ${String(id)} is one of ${suite}, and only a run of farm compare with two sides can be continued.`,
      next: 'farm resume goes on with others that were interrupted.',
    });
  }
  const stored = await readStoredSetting(id, database);
  if (stored === null) throw cannotResume(record, 'it was imported, or made by an older farm');
  const further = `${continueCommand(id)} --take-over`;
  refuseWhatGoesOn(record, stored.farm, takeOver === true ? null : further);
  refuseOtherMachine(record);
  return { record, stored };
}

function blocksText({ trials }: RunRecord): string {
  const blocks = new Set(trials.map(({ job }) => job.block)).size;
  return blocks === 1 ? '1 block' : `${String(blocks)} blocks`;
}

/** What the run lacks, and so many further blocks. */
async function planOn(
  { record, stored }: Unfinished,
  blocks: number,
  io: Io,
): Promise<{ readonly plan: Plan; readonly pair: Pair }> {
  const rest = await findAnew(record, stored.document, io);
  const sofar = planRest(record, rest);
  for (const presence of sofar.presences) refuseMissing(record, presence);
  const pair = comparedPair(sofar);
  if (pair === null) throw cannotResume(record, 'its sides are not known');
  return { plan: planFurther(sofar, { lanes: [pair.a, pair.b], blocks }), pair };
}

function refuseMissing(record: RunRecord, presence: Presence): void {
  if (presence.status === 'found') return;
  throw cannotResume(record, `${presence.device.id} is missing: ${presence.reason}`);
}

/** What would have measured all of it in one go. */
export function furtherCommand(
  command: string,
  { blocks, margin }: { readonly blocks: number; readonly margin: number },
): string {
  return command
    .replace(/--max-blocks \d+/, `--max-blocks ${String(blocks)}`)
    .replace(/--margin \S+/, `--margin ${String(margin)}`);
}

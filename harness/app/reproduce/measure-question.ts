import { judge, type Judgement, settledReason } from '../../analysis/claims/judge.ts';
import { neededArms, questionState, type QuestionState } from '../../analysis/claims/unsettled.ts';
import { endsRound } from '../../analysis/sequential.ts';
import { isCompleted } from '../../analysis/series.ts';
import { smallestValues } from '../../analysis/stats/median-interval.ts';
import { defaultAlpha } from '../../analysis/stats/verdict.ts';
import type { Presence } from '../../model/device.ts';
import type { Job, Plan } from '../../model/plan.ts';
import { armKey, armsOf, type Question } from '../../model/question.ts';
import type { RunRecord } from '../../model/run.ts';
import { isQuarantined, type Trial } from '../../model/trial.ts';
import type { Choices } from '../../plan/catalog/expansion.ts';
import { makePlan } from '../../plan/plan.ts';
import type { MeasuringCaller } from '../caller.ts';
import { checkMaxBlocks } from '../compare/block-watch.ts';
import { readRecord } from '../records.ts';
import { executePlan, type MeasuringOptions } from '../run/execute-plan.ts';
import { circumstancesOf, probeArguments, shellWord } from '../run/repeat-command.ts';

export interface QuestionOptions extends MeasuringOptions {
  readonly maxBlocks: number;
  /** Milliseconds; a block that would not end in time is not begun, and one that does not is broken off. */
  readonly budget?: number;
  /** Whether a quarantined trial is done once more. */
  readonly repeat: boolean;
}

interface QuestionOrder {
  readonly presences: readonly Presence[];
  readonly options: QuestionOptions;
  /** The command that repeats it. */
  readonly command: string;
  readonly seed: number;
}

export interface QuestionAnswer {
  readonly record: RunRecord;
  readonly judgement: Judgement;
  readonly interrupted: boolean;
  /** Why the run ended before everything was settled; null when it was, or when the budget ended it. */
  readonly vanished: string | null;
}

/** @throws FarmError `bad-argument` for fewer blocks than a level needs, which needs the most of all. */
export function checkBlocksOf({ maxBlocks }: QuestionOptions, caller: MeasuringCaller): void {
  checkMaxBlocks(maxBlocks, caller, smallestValues(defaultAlpha));
}

/** Runs the arms of a question in blocks until it is answered or the budget is gone, and judges. */
export async function measureQuestion(
  question: Question,
  { presences, options, command, seed }: QuestionOrder,
  caller: MeasuringCaller,
): Promise<QuestionAnswer> {
  const plan = makePlan({
    seed,
    isolation: 'session',
    blocks: options.maxBlocks,
    measurement: question.measurement,
    presences,
    arms: armsOf(question),
    ...(options.repeat ? {} : { repeatQuarantined: false }),
  });
  const watch = watchQuestion(question, plan, { budget: options.budget });
  const suite = question.title.toLowerCase();
  const { enough, reasonToLeaveOut } = watch;
  const order = { suite, command, options, question, enough, reasonToLeaveOut };
  const { run, interrupted } = await executePlan(plan, order, caller);
  const record = await readRecord(run, options.database);
  const standing = watch.standing();
  return {
    record,
    judgement: judge(question, record.trials),
    interrupted,
    vanished: standing.kind === 'vanished' ? standing.reason : null,
  };
}

/** Whether an answer is open because the farm got no data, and not because the data do not decide it. */
export function isUnfinished({
  interrupted,
  vanished,
  record,
}: Pick<QuestionAnswer, 'record' | 'interrupted' | 'vanished'>): boolean {
  const hasSome = record.trials.some((one) => isCompleted(one) && !isQuarantined(one));
  return interrupted || vanished !== null || !hasSome;
}

interface Watching {
  /** Milliseconds. */
  readonly budget?: number | undefined;
  /** Milliseconds of a clock that does not jump. */
  readonly now?: () => number;
}

interface QuestionWatch {
  readonly enough: (trials: readonly Trial[]) => boolean;
  /** Arms of which all that needs them is settled leave the run. */
  readonly reasonToLeaveOut: (job: Job) => string | null;
  readonly standing: () => QuestionState;
}

/**
 * Looks at the answer after every block: that is allowed, the intervals are made for it. The budget
 * is looked at after every trial, as one block may take longer than all of it.
 */
export function watchQuestion(
  question: Question,
  plan: Plan,
  { budget = Infinity, now = () => performance.now() }: Watching = {},
): QuestionWatch {
  const startedAt = now();
  let standing: QuestionState = { kind: 'go-on' };
  let needed = new Set(armsOf(question).map(armKey)) as ReadonlySet<string>;
  return {
    standing: () => standing,
    reasonToLeaveOut: (job) => (needed.has(armKey(job)) ? null : settledReason),
    enough(trials) {
      const last = trials.at(-1);
      const elapsed = now() - startedAt;
      if (last === undefined || !endsRound(plan, trials)) return elapsed > budget;
      const judgement = judge(question, trials);
      standing = questionState(question, trials, judgement);
      needed = neededArms(judgement);
      const another = elapsed + elapsed / (last.job.block + 1);
      return standing.kind !== 'go-on' || another > budget;
    },
  };
}

/** The options of `farm reproduce`; a claim, an anomaly and a bundle take some of them each. */
interface Asked extends QuestionOptions {
  readonly inventory?: string;
  readonly device?: readonly string[];
  readonly param?: Choices;
  readonly without?: readonly string[];
  readonly cores?: readonly number[];
  readonly trust?: boolean;
}

/** The command that reproduces this again, order and all. `what` is a claim, an anomaly or a file. */
export function reproduceCommand(what: string, asked: Asked, seed: number): string {
  const { param = {}, maxBlocks, budget, repeat, trust } = asked;
  const list = (name: string, values: readonly (string | number)[] = []): readonly string[] =>
    values.length === 0 ? [] : [`--${name} ${shellWord(values.join(','))}`];
  return [
    `npx farm reproduce ${shellWord(what)}`,
    ...(trust === true ? ['--trust'] : []),
    ...list('device', asked.device),
    ...Object.entries(param).flatMap(([name, value]) =>
      list('param', [`${name}=${[value].flat().join(',')}`]),
    ),
    ...list('without', asked.without),
    ...list('cores', asked.cores),
    `--max-blocks ${String(maxBlocks)}`,
    ...(budget === undefined ? [] : [`--budget ${String(budget / 1000)}`]),
    ...probeArguments(asked),
    ...(repeat ? [] : ['--no-repeat']),
    ...circumstancesOf(asked),
    `--seed ${String(seed)}`,
  ].join(' ');
}

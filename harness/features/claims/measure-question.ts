import type { ReportOption } from '../../core/cli/end-report.ts';
import { FarmError } from '../../core/errors.ts';
import { judge, type Judgement, notNeededReason } from './judging/judge.ts';
import { isOfThreads } from './judging/quantity.ts';
import {
  moreBlocksFor,
  neededArms,
  questionState,
  type QuestionState,
} from './judging/unsettled.ts';
import { endsRound } from '../../core/analysis/stopping.ts';
import { isCompleted } from '../../core/analysis/series.ts';
import { smallestValues } from '../../core/analysis/stats/median-interval.ts';
import { defaultAlpha } from '../../core/analysis/stats/verdict.ts';
import type { Presence } from '../../core/model/device.ts';
import { type Job, jobsToDo, type Plan } from '../../core/model/plan.ts';
import { armKey, listArms, type Question } from '../../core/model/question.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { isQuarantined, type Trial } from '../../core/model/trial.ts';
import type { Choices } from '../../core/plan/catalog/expansion.ts';
import { makePlan } from '../../core/plan/plan.ts';
import { planFurther, planRest } from '../../core/plan/rest.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { checkMaxBlocks, typicalBlocks } from '../../core/app/run/block-watch.ts';
import { readRecord, writeWhole } from '../../core/app/records.ts';
import type { UnfinishedRun } from '../../core/app/run/continue-run.ts';
import {
  executePlan,
  type MeasuringOptions,
  type RunOrder,
} from '../../core/app/run/execute-plan.ts';
import { timeWithoutWaits } from '../../core/app/run/host-lock.ts';
import { readCircumstances, probeArguments, shellWord } from '../../core/app/run/repeat-command.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { join, resolve } from 'node:path';
import type { EvidenceFindings } from '../../core/results/index.ts';
import { farmVersion, reportsFolder } from '../../core/project.ts';
import { pickNumbers } from '../bundles/bundle/format.ts';
import { writeBundle } from '../bundles/bundle/write.ts';

export interface QuestionOptions extends MeasuringOptions {
  readonly maxBlocks: number;
  /** Milliseconds; a block that would not end in time is not begun, and one that does not is broken off. */
  readonly budget?: number;
  /** True if a quarantined trial is repeated. */
  readonly repeat: boolean;
}

interface QuestionOrder {
  readonly presences: readonly Presence[];
  readonly options: QuestionOptions;
  /** The command that repeats it. */
  readonly command: string;
  readonly seed: number;
  /** A stored run of the same question, which gets further blocks, instead of a new one. */
  readonly goesOn?: UnfinishedRun;
}

export interface QuestionAnswer {
  readonly record: RunRecord;
  readonly judgement: Judgement;
  readonly interrupted: boolean;
  /** Why the run ended before everything was settled; null when it was, or when the budget ended it. */
  readonly vanished: string | null;
}

/** @throws FarmError `bad-argument` for fewer blocks than a level needs, which needs the most of all. */
export function checkBlocks({ maxBlocks }: QuestionOptions, caller: MeasuringCaller): void {
  checkMaxBlocks(maxBlocks, caller, smallestValues(defaultAlpha));
}

/** Runs the arms of a question in blocks until it is answered or the budget is gone, and judges. */
export async function measureQuestion(
  question: Question,
  order: QuestionOrder,
  caller: MeasuringCaller,
): Promise<QuestionAnswer> {
  const { options, goesOn } = order;
  refuseWithoutProbes(question, options);
  const plan = planQuestion(question, order);
  const sofar = goesOn?.record.trials;
  const watch = watchQuestion(question, plan, { budget: options.budget, sofar });
  const suite = question.title.toLowerCase();
  const { enough, look, reasonToLeaveOut } = watch;
  const whole = { suite, options, question, enough, look, reasonToLeaveOut };
  const { run, interrupted } = await executePlan(
    plan,
    { ...whole, ...goingOn(order, plan) },
    caller,
  );
  const record = await readRecord(run, options.database);
  const standing = watch.standing();
  return {
    record,
    judgement: judge(question, record.trials),
    interrupted,
    vanished: standing.kind === 'vanished' ? standing.reason : null,
  };
}

/** What only a probe reads is not measured without it. @throws FarmError `bad-argument` */
function refuseWithoutProbes({ assertions }: Question, { probes }: QuestionOptions): void {
  const read = probes ? undefined : assertions.find(({ quantity }) => isOfThreads(quantity));
  if (read === undefined) return;
  throw new FarmError('bad-argument', {
    what: `A probe reads ${read.quantity}, and --no-probes turns probes off.`,
    next: 'Leave --no-probes out.',
  });
}

/** Of a continued run: its missing jobs, and a number of further blocks. */
function planQuestion(
  question: Question,
  { presences, options, seed, goesOn }: Omit<QuestionOrder, 'command'>,
): Plan {
  const arms = listArms(question);
  const blocks = options.maxBlocks;
  if (goesOn !== undefined) {
    const benchmarks = arms.map((arm) => arm.case.benchmark);
    const { record, stored } = goesOn;
    const sofar = planRest(record, { setting: stored.document, presences, benchmarks });
    return planFurther(sofar, { arms, blocks });
  }
  const { measurement } = question;
  const whole = { seed, isolation: 'session', blocks, measurement, presences, arms } as const;
  return makePlan({ ...whole, ...(options.repeat ? {} : { repeatQuarantined: false }) });
}

/** A run that goes on gets the command that would have measured all of it in one go. */
function goingOn(
  { command, options, goesOn }: QuestionOrder,
  { blocks }: Plan,
): Pick<RunOrder, 'command' | 'resumes'> {
  if (goesOn === undefined) return { command };
  const { record, stored } = goesOn;
  const all = record.run.command
    .replace(/--max-blocks \d+/, `--max-blocks ${String(blocks)}`)
    .replace(
      /--budget ([\d.]+)/,
      (_, seconds: string) => `--budget ${String(Number(seconds) + (options.budget ?? 0) / 1000)}`,
    );
  return { command: all, resumes: { record, before: stored.farm } };
}

/**
 * True if an answer is open because the farm got no data, and not because the data do not decide
 * it.
 */
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
  /** Of a run that goes on: what it has. */
  readonly sofar?: readonly Trial[] | undefined;
  /** Milliseconds of a clock that does not jump. */
  readonly now?: () => number;
}

interface QuestionWatch extends Required<Pick<RunOrder, 'enough' | 'look'>> {
  /** Arms that nothing open needs leave the run, and may come back. */
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
  { budget = Infinity, sofar = [], now = timeWithoutWaits }: Watching = {},
): QuestionWatch {
  const startedAt = now();
  const firstBlock = jobsToDo(plan)[0]?.block ?? 0;
  let standing: QuestionState = { kind: 'go-on' };
  let judgement = judge(question, sofar);
  let needed = neededArms(judgement);
  const countBlocks = (trials: readonly Trial[]): number =>
    // Not by the last trial: a repeat of a trial that was judged late is of an earlier block.
    Math.max(firstBlock - 1, ...trials.map(({ job }) => job.block)) - firstBlock + 1;
  return {
    standing: () => standing,
    reasonToLeaveOut: (job) => (needed.has(armKey(job)) ? null : notNeededReason),
    enough(trials) {
      const last = trials.at(-1);
      const elapsed = now() - startedAt;
      if (last === undefined || !endsRound(plan, trials)) return elapsed > budget;
      judgement = judge(question, trials);
      standing = questionState(question, trials, judgement);
      needed = neededArms(judgement);
      const another = elapsed + elapsed / countBlocks(trials);
      return standing.kind !== 'go-on' || another > budget;
    },
    look(trials) {
      const isBegin = trials.length === sofar.length;
      if (!isBegin && !endsRound(plan, trials)) return null;
      const more = moreBlocksFor(question, judgement);
      const ended = firstBlock + countBlocks(trials);
      const blocks = trials.length === 0 ? typicalBlocks : more === null ? null : ended + more;
      return {
        lines: [],
        found: null,
        blocks: blocks === null ? null : Math.min(blocks, plan.blocks),
        budgetMs: Number.isFinite(budget) ? budget - (now() - startedAt) : null,
      };
    },
  };
}

/** The options of `farm claims reproduce`; a claim, an anomaly and a bundle take some of them each. */
interface ReproduceOptions extends QuestionOptions {
  readonly inventory?: string;
  readonly device?: readonly string[];
  readonly param?: Choices;
  readonly without?: readonly string[];
  readonly cores?: readonly number[];
  readonly trust?: boolean;
}

/** The command that reproduces this again, order and all. `what` is a claim, an anomaly or a file. */
export function reproduceCommand(what: string, asked: ReproduceOptions, seed: number): string {
  const { param = {}, maxBlocks, budget, repeat, trust } = asked;
  const group = /^N\d+$/i.test(what) ? 'findings' : 'claims';
  const list = (name: string, values: readonly (string | number)[] = []): readonly string[] =>
    values.length === 0 ? [] : [`--${name} ${shellWord(values.join(','))}`];
  return [
    `${npxCrossfarm} ${group} reproduce ${shellWord(what)}`,
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
    ...readCircumstances(asked),
    `--seed ${String(seed)}`,
  ].join(' ');
}

interface EvidencePlace extends ReportOption {
  readonly database: string;
  /** Its name there. */
  readonly name: string;
}

/**
 * Writes the evidence report, among the reports of the database unless another file is asked for.
 * @returns its absolute path, null where none is wanted, and its text. @throws FarmError `cannot-write`.
 */
export async function writeEvidence(
  evidence: EvidenceFindings,
  { report, database, name }: EvidencePlace,
): Promise<{ readonly path: string | null; readonly html: string }> {
  const { renderEvidence } = await import('./evidence-page.ts');
  const html = await renderEvidence(evidence);
  if (report === false) return { path: null, html };
  const path = resolve(report ?? join(reportsFolder(database), name));
  await writeWhole(path, html);
  return { path, html };
}

interface BundledAnswer {
  readonly question: Question;
  readonly answer: Pick<QuestionAnswer, 'record' | 'judgement'>;
  /** The evidence report. */
  readonly html: string;
  /** The folder of pages that the run was served from. */
  readonly pages: string;
}

/** Writes the measurement as a bundle, to be replayed anywhere. @returns its absolute path. */
export async function bundleAnswer(
  file: string,
  { question, answer, html, pages }: BundledAnswer,
): Promise<string> {
  const { record, judgement } = answer;
  const path = resolve(file);
  await writeBundle(path, {
    question,
    record,
    numbers: pickNumbers(judgement),
    evidenceHtml: html,
    pagesFolder: resolve(pages),
    farmVersion: farmVersion(),
    command: record.run.command,
  });
  return path;
}

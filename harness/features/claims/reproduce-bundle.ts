import type { ReportOption } from '../../core/cli/end-report.ts';
import type { FoundDevice } from '../../core/model/device.ts';
import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import type { EvidenceFindings } from '../../core/results/index.ts';
import { describeEvidence } from './judging/evidence.ts';
import { judge } from './judging/judge.ts';
import { chooseReader } from './judging/quantity.ts';
import { figure } from './judging/wording.ts';
import type { Writing } from '../../core/analysis/findings.ts';
import type { Assertion, PublishedValue, Question } from '../../core/model/question.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { farmVersion } from '../../core/project.ts';
import {
  type AssertionNumbers,
  type Bundle,
  Refusal,
  firstDifference,
  type Numbers,
  pickNumbers,
} from '../bundles/bundle/format.ts';
import { badBundle, readBundle } from '../bundles/bundle/read.ts';
import { compareNumbers, type Replay, type ReplayVerdict } from '../bundles/bundle/replay.ts';
import { differencesOfTargets } from '../bundles/bundle/stand-ins.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import {
  isUnfinished,
  measureQuestion,
  type QuestionOptions,
  checkBlocks,
  reproduceCommand,
  writeEvidence,
} from './measure-question.ts';
import { comparePages, findStandIns, type Obstacle, withPagesOf } from './stand-ins.ts';

export interface ReplayOptions extends QuestionOptions, ReportOption {
  /** The devices file. */
  readonly inventory: string;
  /** Takes over flags that are not known, and serves the bundle's own pages. */
  readonly trust: boolean;
  /** Of the order of the trials; a random one when left out. */
  readonly seed?: number;
}

/** The outcome of a bundle here. Everything in it was bounded to one line without control characters. */
export interface ReplayedBundle {
  readonly path: string;
  readonly bundle: Bundle;
  readonly verdict: ReplayVerdict;
  readonly reason: string;
  /** The remedy; null when it is missing. */
  readonly remedy: string | null;
  /** Null when nothing was run. */
  readonly replay: Replay | null;
  /** Differences of this machine, and notes on the bundle. */
  readonly differences: readonly string[];
  readonly run: number | null;
  /**
   * True if it is undecided because the farm got no data, and not because the data do not decide
   * it.
   */
  readonly unfinished: boolean;
  /** Path of the evidence report; null when nothing was run, or none was asked for. */
  readonly report: string | null;
  readonly command: string;
}

/**
 * Repeats the run of a bundle on the browsers that are here, and sets the numbers side by side.
 * @throws FarmError `bad-bundle` for a file that is not what `writeBundle` writes, `bad-argument`.
 */
export async function reproduceBundle(
  path: string,
  options: ReplayOptions,
  caller: MeasuringCaller,
): Promise<ReplayedBundle> {
  checkBlocks(options, caller);
  const bundle = await readBundle(path);
  const { numbers, notes } = judgeAgain(path, bundle);
  const checked = { ...bundle, numbers };
  const seed = options.seed ?? randomInt(2 ** 32);
  const basis = {
    path: resolve(path),
    bundle: checked,
    command: reproduceCommand(path, options, seed),
  };
  const standIns = await findStandIns(checked, options, caller);
  const pages = await comparePages(checked, options.pages);
  const obstacle = 'because' in standIns ? standIns : pageObstacle(pages, options);
  if (obstacle !== null || 'because' in standIns) {
    const { because, remedy } = obstacle ?? (standIns as Obstacle);
    const nothing = { replay: null, run: null, report: null, unfinished: false };
    const untried = { ...nothing, verdict: 'not-comparable' } as const;
    return { ...basis, ...untried, reason: because, remedy, differences: notes };
  }
  const replaying = { ...basis, presences: standIns, options, caller, seed };
  const noted = [...notes, ...pages.map((one) => `page ${one}; the bundle’s own was used`)];
  const { outcome, ...measured } =
    pages.length === 0
      ? await replay(replaying, options.pages)
      : await withPagesOf(bundle.pages, (folder) => replay(replaying, folder));
  const whole = { ...outcome, differences: [...noted, ...outcome.differences] };
  return { ...whole, report: await writeReplayEvidence(whole, measured, options) };
}

interface RejudgedBundle {
  readonly numbers: Numbers;
  readonly notes: readonly string[];
}

/**
 * Judges the bundle's raw data as this farm does. Numbers that the same version would not have made
 * of it were not made of it.
 */
function judgeAgain(
  path: string,
  { question, trials, numbers, farmVersion: theirs }: Bundle,
): RejudgedBundle {
  const ours = judgeOrRefuse(path, { question, trials });
  const place = firstDifference(numbers, ours);
  if (place === null) return { numbers, notes: [] };
  if (theirs === farmVersion()) {
    throw badBundle(
      path,
      new Refusal(`its numbers do not follow from its trials: $.numbers.${place}`),
    );
  }
  const note = `crossfarm ${farmVersion()} makes other numbers of the bundle’s trials than ${theirs} did (${place}); they are shown`;
  return { numbers: ours, notes: [note] };
}

function judgeOrRefuse(
  path: string,
  { question, trials }: Pick<Bundle, 'question' | 'trials'>,
): Numbers {
  try {
    return pickNumbers(judge(question, trials));
  } catch (error) {
    // A quantity that the benchmark does not have; the judge does not know that the question is untrusted.
    if (!(error instanceof RangeError)) throw error;
    throw badBundle(path, new Refusal(`its question cannot be asked: ${error.message}`));
  }
}

function pageObstacle(differences: readonly string[], { trust }: ReplayOptions): Obstacle | null {
  if (differences.length === 0 || trust) return null;
  const shown = differences.slice(0, 5).join('; ');
  const more = differences.length > 5 ? ` and ${String(differences.length - 5)} more` : '';
  return {
    because: `the pages are not the same: ${shown}${more}`,
    remedy: 'If you trust the sender of the bundle, measure with its pages: --trust',
  };
}

interface Replaying extends Pick<ReplayedBundle, 'path' | 'bundle' | 'command'> {
  readonly presences: readonly FoundDevice[];
  readonly options: ReplayOptions;
  readonly caller: MeasuringCaller;
  readonly seed: number;
}

/** The question and the run of a replay, with its outcome. */
interface FinishedReplay {
  readonly outcome: Omit<ReplayedBundle, 'report'>;
  readonly question: Question;
  readonly record: RunRecord;
}

async function replay(
  { path, bundle, command, presences, options, caller, seed }: Replaying,
  pages: string,
): Promise<FinishedReplay> {
  const question = replayQuestion(bundle.question);
  const order = { presences, options: { ...options, pages }, command, seed };
  const answer = await measureQuestion(question, order, caller);
  const { record, judgement, interrupted, vanished } = answer;
  const compared = compareNumbers(question, bundle.numbers, pickNumbers(judgement));
  const why = interrupted ? 'it was interrupted' : vanished;
  const outcome = {
    path,
    bundle,
    command,
    replay: compared,
    run: record.run.id,
    unfinished: isUnfinished(answer),
    verdict: compared.verdict,
    reason:
      compared.verdict === 'inconclusive' && why !== null
        ? `${compared.reason} (${why})`
        : compared.reason,
    remedy: null,
    differences: differencesOfTargets(bundle.targets, presences),
  };
  return { outcome, question, record };
}

async function writeReplayEvidence(
  { bundle, verdict, reason, differences, run }: Omit<ReplayedBundle, 'report'>,
  { question, record }: Omit<FinishedReplay, 'outcome'>,
  options: ReplayOptions,
): Promise<string | null> {
  const evidence = describeReplayEvidence(record, {
    bundle,
    question,
    writtenAt: new Date().toISOString(),
    farmVersion: farmVersion(),
    notes: [`The replay: ${verdict.replace('-', ' ')}: ${reason}.`, ...differences],
  });
  // Not named after the bundle's id, which is untrusted.
  const name = `replay-run-${String(run)}.html`;
  const { path } = await writeEvidence(evidence, { ...options, name });
  return path;
}

/** Under another id, so that `farm claims` does not take the replay for an answer to the claim. */
function replayQuestion(question: Question): Question {
  return { ...question, id: `bundle-${question.id}`, title: `Replay of ${question.title}` };
}

interface ReplayWriting extends Writing {
  /** With the numbers that this farm makes of its trials. */
  readonly bundle: Bundle;
  /** The question asked here, with the same assertions. */
  readonly question: Question;
  /** The result, and the differences of this machine, in sentences. */
  readonly notes: readonly string[];
}

/**
 * The evidence of a replay: the numbers of the bundle are the published ones. The verdict
 * is on the bundle's sentence; what the replay as a whole came to is the first note. Pure.
 */
export function describeReplayEvidence(
  record: RunRecord,
  { bundle, question, notes, ...writing }: ReplayWriting,
): EvidenceFindings {
  const { numbers, machine, farmVersion, startedAt } = bundle;
  const asked: Question = {
    ...question,
    source: `a bundle of ${startedAt}, made by crossfarm ${farmVersion} on ${machine.cpuModel}, ${String(machine.logicalCores)} cores, ${machine.system}`,
    published: `in the bundle ${numbers.verdict} after ${String(numbers.blocks)} blocks`,
    assertions: question.assertions.map((assertion, index) => ({
      ...assertion,
      published: thereOf(assertion, numbers.assertions[index]),
    })),
    notes: [...notes, ...question.notes],
  };
  return describeEvidence(record, asked, writing);
}

function thereOf(assertion: Assertion, there: AssertionNumbers | undefined): PublishedValue {
  const measured = there?.measured ?? null;
  if (measured === null) return { text: 'not measured in the bundle', low: null, high: null };
  const unit =
    assertion.kind === 'level' ? chooseReader(assertion.quantity, assertion.of).unit : '×';
  const { value, low, high } = measured;
  return { text: figure(measured, unit), low: low ?? value, high: high ?? value };
}

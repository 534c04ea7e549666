import { randomInt } from 'node:crypto';
import { join, resolve } from 'node:path';
import { BundleRefusal, type Bundle } from '../transfer/bundle/format.ts';
import { firstDifference, numbersOf, type Numbers } from '../transfer/bundle/numbers.ts';
import { badBundle, readBundle } from '../transfer/bundle/read.ts';
import { compareNumbers } from '../transfer/bundle/replay.ts';
import { differencesOfTargets } from '../transfer/bundle/stand-ins.ts';
import { judge } from '../analysis/claims/judge.ts';
import { exitCodes, type ExitCode } from '../errors.ts';
import type { Question } from '../model/question.ts';
import type { RunRecord } from '../model/run.ts';
import { farmVersion, projectRoot } from '../project.ts';
import {
  comparePages,
  findStandIns,
  withPagesOf,
  type Found,
  type Obstacle,
} from './bundle-surroundings.ts';
import { carryOutQuestion, type QuestionOptions } from './carry-out-question.ts';
import { undecidedCode } from '../cli/text/claim-text.ts';
import { print, printJson, type Io } from '../cli/io.ts';
import type { InventoryOption } from '../cli/options.ts';
import { writeWhole } from './records.ts';
import { describeReplayEvidence } from './replay-evidence.ts';
import { reproduceCommand } from './reproduce-command.ts';
import {
  describeReplay,
  replayCode,
  replayJson,
  type ToldReplay,
} from '../cli/text/replay-text.ts';

export interface ReplayOptions extends InventoryOption, QuestionOptions {
  /** Takes over flags that are not known, and serves the bundle's own pages. */
  readonly trust: boolean;
  readonly seed?: number;
  /** Where to write the evidence. */
  readonly out?: string;
}

/**
 * Repeats the run of a bundle on the browsers that are here, and sets the numbers side by side.
 * @throws FarmError `bad-bundle` for a file that is not what `writeBundle` writes.
 */
export async function reproduceBundle(
  path: string,
  options: ReplayOptions,
  io: Io,
): Promise<ExitCode> {
  const bundle = await readBundle(path);
  const { numbers, notes } = judgeAgain(path, bundle);
  const checked = { ...bundle, numbers };
  const seed = options.seed ?? randomInt(2 ** 32);
  const basis = {
    path: resolve(path),
    bundle: checked,
    command: reproduceCommand(path, options, seed),
  };
  const standIns = await findStandIns(checked, options);
  const pages = await comparePages(checked, options.pages);
  const obstacle = 'because' in standIns ? standIns : pageObstacle(pages, options);
  if (obstacle !== null || 'because' in standIns) {
    const { because, remedy } = obstacle ?? (standIns as Obstacle);
    const nothing = { replay: null, run: null, report: null, undecided: exitCodes.undecided };
    const untried = { ...nothing, verdict: 'not-comparable' } as const;
    return tell({ ...basis, ...untried, reason: because, remedy, differences: notes }, options, io);
  }
  const replaying = { ...basis, presences: standIns, options, io, seed };
  const noted = [...notes, ...pages.map((one) => `page ${one}; the bundle’s own was used`)];
  const { told, ...done } =
    pages.length === 0
      ? await replay(replaying, options.pages)
      : await withPagesOf(bundle.pages, (folder) => replay(replaying, folder));
  const whole = { ...told, differences: [...noted, ...told.differences] };
  return tell({ ...whole, report: await writeEvidence(whole, done, options) }, options, io);
}

interface Rejudged {
  readonly numbers: Numbers;
  readonly notes: readonly string[];
}

/**
 * What the bundle's raw data says to this farm. Numbers that the same version would not have made
 * of it were not made of it.
 */
function judgeAgain(
  path: string,
  { question, trials, numbers, farmVersion: theirs }: Bundle,
): Rejudged {
  const ours = judgeOrRefuse(path, { question, trials });
  const place = firstDifference(numbers, ours);
  if (place === null) return { numbers, notes: [] };
  if (theirs === farmVersion()) {
    throw badBundle(
      path,
      new BundleRefusal(`its numbers do not follow from its trials: $.numbers.${place}`),
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
    return numbersOf(judge(question, trials));
  } catch (error) {
    // A quantity that the benchmark does not have; the judge cannot know that a stranger asks.
    if (!(error instanceof RangeError)) throw error;
    throw badBundle(path, new BundleRefusal(`its question cannot be asked: ${error.message}`));
  }
}

function pageObstacle(differences: readonly string[], { trust }: ReplayOptions): Obstacle | null {
  if (differences.length === 0 || trust) return null;
  const shown = differences.slice(0, 5).join('; ');
  const more = differences.length > 5 ? ` and ${String(differences.length - 5)} more` : '';
  return {
    because: `the pages are not the same: ${shown}${more}`,
    remedy: 'If you trust whoever sent the bundle, measure with its pages: --trust',
  };
}

interface Replaying extends Pick<ToldReplay, 'path' | 'bundle' | 'command'> {
  readonly presences: readonly Found[];
  readonly options: ReplayOptions;
  readonly io: Io;
  readonly seed: number;
}

/** What was asked here and what was measured, beside what is told of it. */
interface Replayed {
  readonly told: Omit<ToldReplay, 'report'>;
  readonly question: Question;
  readonly record: RunRecord;
}

async function replay(
  { path, bundle, command, presences, options, io, seed }: Replaying,
  pages: string,
): Promise<Replayed> {
  const question = replayQuestion(bundle.question);
  const answer = await carryOutQuestion(question, {
    presences,
    options: { ...options, pages },
    command,
    io,
    seed,
  });
  const { record, judgement, interrupted, vanished } = answer;
  const compared = compareNumbers(question, bundle.numbers, numbersOf(judgement));
  const why = interrupted ? 'it was interrupted' : vanished;
  const told = {
    ...{ path, bundle, command, replay: compared, run: record.run.id },
    undecided: undecidedCode(answer),
    verdict: compared.verdict,
    reason:
      compared.verdict === 'inconclusive' && why !== null
        ? `${compared.reason} (${why})`
        : compared.reason,
    remedy: null,
    differences: differencesOfTargets(bundle.targets, presences),
  };
  return { told, question, record };
}

/** The evidence report of the replay; gives its path. */
async function writeEvidence(
  { bundle, verdict, reason, differences, run }: Omit<ToldReplay, 'report'>,
  { question, record }: Omit<Replayed, 'told'>,
  { out }: ReplayOptions,
): Promise<string> {
  const evidence = describeReplayEvidence(record, {
    ...{ bundle, question, writtenAt: new Date().toISOString(), farmVersion: farmVersion() },
    notes: [`The replay: ${verdict.replace('-', ' ')}: ${reason}.`, ...differences],
  });
  const { renderEvidence } = await import('../../reports/evidence.ts');
  // Not after the bundle's own name for itself: that is a stranger's.
  const file = `replay-run-${String(run)}.html`;
  const report = resolve(out ?? join(projectRoot(), 'reports', 'out', file));
  await writeWhole(report, await renderEvidence(evidence));
  return report;
}

/** Under an id of its own, so that `farm claims` does not take the replay for an answer to the claim. */
function replayQuestion(question: Question): Question {
  return { ...question, id: `bundle-${question.id}`, title: `Replay of ${question.title}` };
}

async function tell(told: ToldReplay, { json }: ReplayOptions, io: Io): Promise<ExitCode> {
  if (json) printJson(io, replayJson(told));
  else print(io, await describeReplay(told));
  return io.signal.aborted ? exitCodes.unfinished : replayCode(told);
}

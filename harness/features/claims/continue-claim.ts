import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { questionState } from './judging/unsettled.ts';
import { findPreset } from '../../core/model/case.ts';
import type { Presence } from '../../core/model/device.ts';
import { listArms, type Question } from '../../core/model/question.ts';
import { isSameMachine, type RunRecord, type RunSetting } from '../../core/model/run.ts';
import { isOfDeadFarm } from '../../core/session/farm-mark.ts';
import { describeMachine } from '../../core/setup/machine.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import type { Store } from '../../core/store/store.ts';
import { withStore } from '../../core/app/records.ts';
import type { UnfinishedRun } from '../../core/app/run/continue-run.ts';
import type { QuestionOptions } from './measure-question.ts';

interface WantedQuestion {
  /** Devices of the question as they are now. */
  readonly presences: readonly Presence[];
  readonly options: QuestionOptions;
}

/**
 * The number of runs that are looked through: a claim may be asked of builds alternately, each with
 * separate runs.
 */
const runsLookedAt = 20;

/**
 * Finds the newest run for a question whose blocks those of now may be pooled with, if it left
 * something open. Null, with the reason printed, where it is missing.
 */
export async function findOpenRun(
  question: Question,
  wanted: WantedQuestion,
  { say }: Pick<MeasuringCaller, 'say'>,
): Promise<UnfinishedRun | null> {
  const { database } = wanted.options;
  // Opening would create the file.
  if (!existsSync(database)) return null;
  const asked = await withStore(database, (store) => newestLike(store, question, wanted));
  if (asked === null) return null;
  const { record, stored, because } = asked;
  const { run, trials, question: then } = record;
  const standing = questionState(then, trials);
  if (standing.kind === 'answered') return null;
  const whyNot =
    standing.kind === 'vanished'
      ? standing.reason
      : stored !== null && run.status === 'running' && !isOfDeadFarm(stored.farm)
        ? 'another farm process is carrying it out'
        : because;
  if (whyNot === null && stored !== null) {
    const blocks = new Set(trials.map(({ job }) => job.block)).size;
    say(
      `going on with run ${String(run.id)}: ${String(blocks)} ${blocks === 1 ? 'block' : 'blocks'} so far (--anew starts from nothing)`,
    );
    return { record, stored };
  }
  say(`starting from nothing, and not going on with run ${String(run.id)}: ${String(whyNot)}`);
  return null;
}

interface StoredQuestion {
  readonly record: RunRecord & { readonly question: Question };
  readonly stored: UnfinishedRun['stored'] | null;
  /** Why blocks of now are not of the same test; null if they are. */
  readonly because: string | null;
}

/** The newest run of the same test; without one the newest of all. */
async function newestLike(
  store: Store,
  question: Question,
  wanted: WantedQuestion,
): Promise<StoredQuestion | null> {
  let newest: StoredQuestion | null = null;
  for (const id of (await store.listAsked(question.id)).slice(0, runsLookedAt)) {
    const record = await store.readRun(id);
    if (record?.question === undefined) continue;
    const stored = await store.readSetting(id);
    const because =
      stored === null
        ? 'it was imported, or made by an older farm'
        : whyNotPooled({ record, setting: stored.document }, question, wanted);
    const one = { record: { ...record, question: record.question }, stored, because };
    if (because === null) return one;
    newest ??= one;
  }
  return newest;
}

interface Before {
  readonly record: RunRecord;
  readonly setting: RunSetting;
}

/** Returns why blocks of now are not of the same test as those of a stored run; null if they are. */
function whyNotPooled(
  { record, setting }: Before,
  question: Question,
  { presences, options }: WantedQuestion,
): string | null {
  if (!isSameMachine(record.run.machine, describeMachine())) {
    return `it was measured on ${record.run.machine.hostname}, or with other cores`;
  }
  const other = presences.find((now) => !isSameBuild(record, now));
  if (other !== undefined) return `${other.device.id} is another build now, or set up differently`;
  if (record.question === undefined || !isSameQuestion(record.question, question)) {
    return 'its pages, sides or rules of measurement were others';
  }
  return isSameSetting(setting, question, options)
    ? null
    : 'its pages, probes or deadline were others';
}

function isSameBuild({ presences }: RunRecord, now: Presence): boolean {
  const then = presences.find(({ device }) => device.id === now.device.id);
  if (then?.status !== 'found' || now.status !== 'found') return false;
  const factsOf = ({ device, target }: typeof now): unknown =>
    JSON.parse(JSON.stringify([device, target.browser, target.executable]));
  return isDeepStrictEqual(factsOf(then), factsOf(now));
}

/** Sentences and notes may be others: they change no trial. */
function isSameQuestion(then: Question, now: Question): boolean {
  const askedOf = ({ assertions, counterfactuals, measurement }: Question): unknown =>
    JSON.parse(
      JSON.stringify([
        assertions.map((one) => ({ ...one, sentence: '' })),
        counterfactuals.map((one) => ({ ...one, sentence: '' })),
        measurement,
        listArms({ ...now, assertions, counterfactuals }),
      ]),
    );
  return isDeepStrictEqual(askedOf(then), askedOf(now));
}

function isSameSetting(
  setting: RunSetting,
  { measurement }: Question,
  options: QuestionOptions,
): boolean {
  const { pages, deadline, probes, probe = [], repeat } = options;
  // A preset excludes no trial, so that its plan repeats none.
  const repeats = repeat && findPreset(measurement) === undefined;
  return (
    setting.pages === resolve(pages) &&
    setting.deadlineMs === deadline &&
    setting.probes === probes &&
    setting.repeatQuarantined === repeats &&
    isDeepStrictEqual([...setting.probe].sort(), [...probe].sort())
  );
}

import type { Question } from '../../model/question.ts';
import type { RunRecord } from '../../model/run.ts';
import type { Judgement } from './judge.ts';
import { moreBlocksFor } from './more-blocks.ts';
import { isSettled, standingOf } from './standing.ts';
import { wholeBlocks } from './whole-blocks.ts';
import { equalText } from './wording.ts';

/** What a run left open of what decides. */
export interface Unsettled {
  /** One sentence; null where nothing is open. */
  readonly text: string | null;
  /** About as many would settle it; null where nothing is open, or where that cannot be foreseen. */
  readonly moreBlocks: number | null;
}

/** How many more blocks it would take, and why the run did not get them, as far as it is stored. */
export function describeUnsettled(
  record: RunRecord,
  question: Question,
  judgement: Judgement,
): Unsettled {
  const deciding = judgement.assertions.filter(({ assertion }) => assertion.role === 'verdict');
  const equal = deciding
    .filter((one) => one.equal)
    .map(({ assertion }) => `${assertion.sentence}: ${equalText}`);
  if (deciding.every(isSettled)) {
    return { text: equal.length === 0 ? null : equal.join('; '), moreBlocks: null };
  }
  const moreBlocks = moreBlocksFor(question, judgement);
  const isEmpty = deciding.some(({ blocks }) => blocks === 0);
  const needed = isEmpty
    ? 'no block counts: trials failed, or were quarantined because the machine was busy'
    : neededText(moreBlocks);
  const why = whyEnded(record, question, judgement);
  return { text: [...equal, needed, ...(why === null ? [] : [why])].join('; '), moreBlocks };
}

function neededText(count: number | null): string {
  if (count === null) return 'how many more blocks would settle it cannot be foreseen';
  return `about ${String(count)} more ${count === 1 ? 'block' : 'blocks'} would settle it`;
}

function whyEnded(record: RunRecord, question: Question, judgement: Judgement): string | null {
  const { run, trials } = record;
  if (run.status === 'running') return 'the run has not ended';
  if (run.status === 'interrupted') return 'the run was interrupted';
  const standing = standingOf(question, trials, judgement);
  if (standing.kind === 'vanished') return standing.reason;
  const given = (option: string): number | null => {
    const [, value] = new RegExp(`--${option} ([\\d.]+)`).exec(run.command) ?? [];
    return value === undefined ? null : Number(value);
  };
  const [most, seconds] = [given('max-blocks'), given('budget')];
  const whole = wholeBlocks(question, trials);
  const blocks = new Set(whole.map(({ job }) => job.block)).size;
  if (most !== null && blocks >= most)
    return `all ${String(most)} blocks of --max-blocks were used`;
  return seconds === null ? null : `the ${String(seconds)} s of --budget were used up`;
}

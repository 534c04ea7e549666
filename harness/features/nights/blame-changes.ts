import { z } from 'zod';
import { plural } from '../../../reports/html/number.ts';
import type { CallCommand } from '../../core/cli/io.ts';
import type { Anomaly } from '../../core/model/anomaly.ts';
import { formatDuration } from '../../core/run/progress/time-left.ts';
import type { NightAnalysis } from './analyse-night.ts';

type Confirmed = NightAnalysis['anomalies'];

/** What `crossfarm blame` prints, as far as a night shows it. */
const blameAnswer = z.object({ inShort: z.string().max(1_000) });

interface BlameMeans {
  readonly database: string;
  readonly anomalies: readonly Anomaly[];
  /** Milliseconds for all of them together. */
  readonly budgetMs: number;
  readonly callCommand: CallCommand;
  readonly signal: AbortSignal;
  readonly say: (sentence: string) => void;
}

/** Enough for the blocks of two looks; a change without an answer by then is rarely one function. */
const mostMs = 4 * 60_000;

/** Less ends before the first look. */
const leastMs = 30_000;

const mostBlocks = 20;

/**
 * Finds the function that made each confirmed change, by the command that a user would type: old build and
 * new are profiled side by side. What cannot be found has the reason instead, in half a sentence.
 */
export async function blameChanges(confirmed: Confirmed, means: BlameMeans): Promise<Confirmed> {
  const until = performance.now() + means.budgetMs;
  const most = formatDuration(Math.min(means.budgetMs, confirmed.length * mostMs));
  means.say(
    `looks for the functions of ${plural(confirmed.length, 'confirmed change')}, ${most} at most`,
  );
  const blamed: Confirmed[number][] = [];
  for (const one of confirmed) {
    const leftMs = Math.min(mostMs, until - performance.now());
    blamed.push(
      one.blame === undefined ? { ...one, blame: await blameChange(one.id, leftMs, means) } : one,
    );
  }
  return blamed;
}

async function blameChange(id: string, leftMs: number, means: BlameMeans): Promise<string> {
  const run = means.anomalies.find((one) => one.id === id)?.run ?? null;
  if (run === null) return 'its function is not known: the run that confirmed it is gone';
  if (leftMs < leastMs) return 'its function is not known: the time of the analysis was over';
  const { database, callCommand, signal, say } = means;
  const limit = AbortSignal.timeout(Math.floor(leftMs));
  const called = await callCommand(
    [
      ...['blame', String(run), '--database', database],
      ...['--budget', `${String(Math.floor(leftMs / 1000))}s`, '--max-blocks', String(mostBlocks)],
    ],
    { signal: AbortSignal.any([signal, limit]), onLine: say },
  );
  const answer = blameAnswer.safeParse(called.document);
  if (answer.success) return answer.data.inShort;
  const why = limit.aborted
    ? `${formatDuration(leftMs)} were not enough`
    : (called.text.split('\n').at(-1) ?? '');
  return `its function is not known: ${why.slice(0, 300)}`;
}

/** Describes a confirmed change: its id, what changed, and where. */
export function describeConfirmed(one: Confirmed[number]): string {
  return `${one.id}: ${titleConfirmed(one)}`;
}

export function titleConfirmed({
  title,
  blame,
}: Pick<Confirmed[number], 'title' | 'blame'>): string {
  return `${title}${blame === undefined ? '' : `; ${blame}`}`;
}

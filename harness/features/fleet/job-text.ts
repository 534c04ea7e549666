import { InvalidArgumentError } from 'commander';
import { plain } from '../../core/run/progress/plain-text.ts';
import { z } from 'zod';
import type { Job } from './jobs.ts';

/** How a job stands, in one line. */
export function describeProgress(job: Job): string {
  const { state, progress } = job;
  switch (state) {
    case 'waiting':
      return progress === null ? 'waits' : `waits, to be continued (${trialsOf(job)})`;
    case 'active':
    case 'cancelling': {
      const line = progress?.line ?? '';
      const how = progress === null ? 'begins' : trialsOf(job);
      return [state === 'cancelling' ? 'is being cancelled' : how, line]
        .filter(Boolean)
        .join(' · ');
    }
    case 'cancelled':
    case 'done':
      return describeEnd(job);
  }
}

/** The same with its number and host. */
export function describeStanding(job: Job): string {
  return `job ${String(job.id)} on ${job.host}: ${describeProgress(job)}`;
}

function describeEnd({ state, settled, exitCode }: Job): string {
  if (state === 'cancelled')
    return settled ? 'not needed: the other hosts had decided' : 'cancelled';
  return settled ? 'ended: the hosts together had decided' : `ended, ${exitMeaning(exitCode)}`;
}

function trialsOf({ progress }: Job): string {
  const { trials = 0, planned = 0 } = progress ?? {};
  return `${String(trials)} of ${String(planned)} trials`;
}

function exitMeaning(code: number | null): string {
  const meanings: Readonly<Record<number, string>> = {
    0: 'fine',
    1: 'a regression or a failed trial',
    2: 'wrong use',
    3: 'not finished',
    4: 'undecided',
  };
  return code === null ? 'answer unknown' : (meanings[code] ?? `exit code ${String(code)}`);
}

/** The words of a job, as one would type them. */
export function typedWords({ words }: Pick<Job, 'words'>): string {
  return words.map((word) => (/^[\w@./:=,+-]+$/.test(word) ? word : `'${word}'`)).join(' ');
}

const verdict = z.object({
  verdict: z.string(),
  ratio: z.number().nullish(),
  low: z.number().nullish(),
  high: z.number().nullish(),
});

/** A job with its answer, in a few lines. */
export function describeJob(job: Job): string {
  const { id, host, document } = job;
  const head = `job ${String(id)} on ${host}: ${typedWords(job)}\n  ${describeProgress(job)}`;
  const found = verdict.safeParse(document).data;
  if (found !== undefined) return `${head}\n  ${describeVerdict(found)}`;
  const last = lastWords(job);
  return last === '' ? head : `${head}\n  ${last}`;
}

/** The last lines of a command that has ended. */
export function lastWords({ endedAt, text }: Job): string {
  return endedAt === null ? '' : (text ?? '').trim().split('\n').slice(-3).join('\n  ');
}

function describeVerdict({ verdict: word, ratio, low, high }: z.infer<typeof verdict>): string {
  if (typeof ratio !== 'number') return word;
  const interval =
    typeof low === 'number' && typeof high === 'number'
      ? ` (${low.toFixed(3)} to ${high.toFixed(3)})`
      : '';
  return `${word}: × ${ratio.toFixed(3)}${interval}`;
}

export function parseJob(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0 && value < 2 ** 31) return value;
  throw new InvalidArgumentError('It must be the number of a job.');
}

export function jobJson(job: Job): object {
  const { id, host, words, state, askedBy, submittedAt, startedAt, endedAt } = job;
  const { progress, exitCode, document, batch, settled } = job;
  return {
    job: id,
    batch,
    settled,
    host,
    words,
    state,
    askedBy,
    submittedAt,
    startedAt,
    endedAt,
    progress,
    exitCode,
    document,
  };
}

export function plainLines(text: string): string {
  return text.split('\n').map(plain).join('\n');
}

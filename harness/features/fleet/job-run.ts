import { resolve } from 'node:path';
import { z } from 'zod';
import type { CalledCommand, CallCommand } from '../../core/cli/io.ts';
import { errorText, exitCodes } from '../../core/errors.ts';
import type { RunListener } from '../../core/run/listener.ts';
import { freeDiskBytes } from '../../core/setup/surroundings.ts';
import type { Job, JobProgress, JobResult } from './jobs.ts';
import type { JobEntry, Journal } from './journal.ts';
import { requireMeasuring } from './measuring-words.ts';

/** The reasons why a command is ended before it has its answer. */
export type Ending = 'cancelled' | 'yields' | 'leaves';

interface JobRunOptions {
  readonly database: string;
  readonly call: CallCommand;
  readonly journal: Journal;
  /** A run began, or a trial was stored. */
  readonly onNews: () => void;
}

/** The command of one job, as it is carried out in this process. */
export class JobRun {
  readonly entry: JobEntry;
  readonly #options: JobRunOptions;
  readonly #abort = new AbortController();
  #ending: Ending | null = null;
  #progress: JobProgress = { trials: 0, planned: 0, line: '' };
  #block: number | null = null;

  constructor(entry: JobEntry, options: JobRunOptions) {
    this.entry = entry;
    this.#options = options;
  }

  get isCancelled(): boolean {
    return this.#ending === 'cancelled';
  }

  get progress(): JobProgress {
    return this.#progress;
  }

  /** Ends the command as Ctrl-C does; one that yields ends before its next block. */
  end(ending: Ending): void {
    if (this.#ending === 'cancelled' || this.#ending === 'leaves') return;
    this.#ending = ending;
    if (ending !== 'yields') this.#abort.abort(new Error(`The job ${ending}.`));
  }

  /** Gives the answer; null where it was ended to go on later, or could not finish and may yet. */
  async carryOut(): Promise<JobResult | null> {
    let called: CalledCommand | null = null;
    for (const words of await this.#chooseWords()) {
      called = await this.#call(words);
      if (called.exitCode !== exitCodes.usage || this.entry.runs.length === 0) break;
    }
    if (called === null) return finishedBefore;
    if (this.#ending === 'yields' || this.#ending === 'leaves') {
      if (called.exitCode === exitCodes.unfinished) return null;
    }
    const { exitCode, document, text } = called;
    return { exitCode, document, text };
  }

  /** True if its newest run has not ended: a night that is red has. */
  async isOpen(): Promise<boolean> {
    const newest = this.entry.runs.at(-1);
    return newest !== undefined && (await this.#readStatus(newest)) !== 'finished';
  }

  async #call(words: readonly string[]): Promise<CalledCommand> {
    const { call, database } = this.#options;
    return call([...words, '--database', database], {
      signal: this.#abort.signal,
      watcher: this.#watcher(),
      onLine: (line) => {
        this.#progress = { ...this.#progress, line: line.slice(0, 500) };
      },
    });
  }

  /** A run that its worker left is continued; where it cannot be, the command begins again. */
  async #chooseWords(): Promise<readonly (readonly string[])[]> {
    const { words, runs } = this.entry;
    const newest = runs.at(-1);
    if (newest === undefined) return [words];
    const status = await this.#readStatus(newest);
    if (status === null || /^(nightly|bisect)$/.test(words[0] ?? '')) return [words];
    const goOn = ['continue', String(newest)];
    // A comparison that is decided gives its verdict again.
    if (status === 'finished') return words[0] === 'compare' ? [goOn] : [];
    return [goOn, words];
  }

  async #readStatus(run: number): Promise<string | null> {
    const { call, database } = this.#options;
    const { document } = await call(['db', '--limit', '10000', '--database', database]);
    const listed = listing.safeParse(document);
    return listed.data?.runs.find((one) => one.run === run)?.status ?? null;
  }

  #watcher(): RunListener {
    const { journal, onNews } = this.#options;
    return {
      onRunStarted: ({ run, plan }) => {
        if (!this.entry.runs.includes(run)) this.entry.runs.push(run);
        journal.keep(this.entry);
        this.#block = null;
        this.#count({ planned: plan.jobs.length });
        onNews();
      },
      onTrialStarted: ({ job }) => {
        if (this.#ending === 'yields' && this.#block !== null && job.block !== this.#block) {
          this.#abort.abort(new Error('A more urgent job waits.'));
        }
        this.#block = job.block;
      },
      onTrialEnded: () => {
        this.#count({ trials: 1 });
        onNews();
      },
    };
  }

  #count({
    trials = 0,
    planned = 0,
  }: {
    readonly trials?: number;
    readonly planned?: number;
  }): void {
    const before = this.#progress;
    this.#progress = {
      ...before,
      trials: before.trials + trials,
      planned: before.planned + planned,
    };
  }
}

/** Answers a job that is not to be measured; null for every other one. */
export function refuseJob({ state, words }: Job): JobResult | null {
  if (state === 'cancelling') {
    const text = 'It was cancelled while its worker was away.';
    return { exitCode: exitCodes.unfinished, document: null, text };
  }
  try {
    requireMeasuring(words);
    return null;
  } catch (error) {
    return { exitCode: exitCodes.usage, document: null, text: errorText(error) };
  }
}

/** Without so much room no job begins. */
const leastFreeBytes = 32 * 2 ** 20;

/** Says that a disk is full, and null where it is not. */
export async function describeLackOfRoom(database: string): Promise<string | null> {
  const bytes = await freeDiskBytes(resolve(database));
  if (bytes === null || bytes >= leastFreeBytes) return null;
  const free = String(Math.round(bytes / 2 ** 20));
  return `jobs wait for room: ${free} MiB are free where ${database} is`;
}

const finishedBefore: JobResult = {
  exitCode: null,
  document: null,
  text: 'Its run is finished; its worker ended before it could tell the answer.',
};

const listing = z.object({ runs: z.array(z.object({ run: z.int(), status: z.string() })) });

import { fork, type ChildProcess, type ForkOptions } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FarmError } from '../../core/errors.ts';
import type { SuiteHistory, RunOutcome } from '../../core/model/history.ts';
import type { WholeChanges } from '../../core/server/api/changes-response.ts';
import type { WholeFindings } from '../../core/server/api/findings-response.ts';
import type { RenderedPage } from '../../core/server/api/sources.ts';
import type { FirstScreen, OpenableTrial } from '../../../reports/comparison.ts';
import type { Analyst } from './analyst.ts';
import type { AnalysisReply, Question, SentFailure } from './analysis-answers.ts';

export interface ProcessFacts {
  /** Begins a process that answers as `analysis-answers.ts` does. */
  readonly start: () => ChildProcess;
  /** How long an idle process is kept. */
  readonly idleMs?: number;
}

/** Long enough from one page to the next; an idle server has no process. */
const usualIdleMs = 60_000;

/** Of every process that answers: numbers arrive as they were, and what it complains of is seen. */
export const answering: ForkOptions = {
  serialization: 'advanced',
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
};

/** Analyses in a separate process, which opens the database itself. */
export function analyseAside(database: string): AnalysisProcess {
  // Next to this file: `.js` when it was built, `.ts` from source.
  const program = new URL(`../../analysis-program${extname(import.meta.url)}`, import.meta.url);
  return new AnalysisProcess({ start: () => fork(fileURLToPath(program), [database], answering) });
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

interface RunningProcess {
  readonly child: ChildProcess;
  readonly waiting: Map<number, Waiting>;
  /** Settled when it is gone. */
  readonly gone: Promise<void>;
}

/**
 * Runs long analyses in another process, so that this one keeps answering. It begins with the
 * first question and ends after a while without questions; if it dies, its questions fail, and
 * the next question begins another.
 *
 * Not a thread: one that is ended while SQLite works for it takes the whole process with it (seen with
 * Node.js 20.20 and sqlite3 6.0: `FATAL ERROR: Error::ThrowAsJavaScriptException`), and Ctrl-C does not
 * wait for a search to end.
 */
export class AnalysisProcess implements Analyst {
  readonly #facts: ProcessFacts;
  #asked: RunningProcess | null = null;
  /** All processes that have not ended, also dismissed ones. */
  readonly #living = new Set<RunningProcess>();
  #questions = 0;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(facts: ProcessFacts) {
    this.#facts = facts;
  }

  findings(run: number, baseline: string | null): Promise<WholeFindings | null> {
    return this.#ask('findings', [run, baseline]);
  }

  changes(history: SuiteHistory): Promise<WholeChanges> {
    return this.#ask('changes', [history]);
  }

  added(name: string, id: string): Promise<unknown> {
    return this.#ask('added', [name, id]);
  }

  outcome(run: number): Promise<RunOutcome | null> {
    return this.#ask('outcome', [run]);
  }

  report(runs: readonly number[]): Promise<RenderedPage> {
    return this.#ask('report', [runs]);
  }

  firstScreen(run: number): Promise<FirstScreen> {
    return this.#ask('firstScreen', [run]);
  }

  caseInShort(
    run: number,
    caseName: string,
    trials: readonly OpenableTrial[],
  ): Promise<FirstScreen | null> {
    return this.#ask('caseInShort', [run, caseName, trials]);
  }

  trialPage(trial: number): Promise<RenderedPage | null> {
    return this.#ask('trialPage', [trial]);
  }

  /** Ends the process at once. Pending questions fail. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    for (const asked of this.#living) {
      failAll(asked, farmEnds());
      // It only reads, so that it may be ended anywhere.
      asked.child.kill('SIGKILL');
    }
    await Promise.all([...this.#living].map(({ gone }) => gone));
  }

  #ask<Name extends keyof Analyst>(
    name: Name,
    args: Parameters<Analyst[Name]>,
  ): ReturnType<Analyst[Name]> {
    // The answer is of the type that the same name has on the other side.
    return new Promise<unknown>((resolve, reject) => {
      if (this.#closed) throw farmEnds();
      clearTimeout(this.#idle);
      this.#asked ??= this.#begin();
      const { child, waiting } = this.#asked;
      this.#questions += 1;
      const question: Question = { id: this.#questions, name, args };
      waiting.set(question.id, { resolve, reject });
      child.send(question, (error) => {
        if (error === null) return;
        waiting.delete(question.id);
        reject(error);
      });
    }) as ReturnType<Analyst[Name]>;
  }

  #begin(): RunningProcess {
    const child = this.#facts.start();
    const gone = new Promise<void>((resolve) => {
      const forget = (how: string): void => {
        failAll(asked, new Error(`The process that was asked ended: ${how}`));
        this.#living.delete(asked);
        if (this.#asked === asked) this.#asked = null;
        resolve();
      };
      child.once('exit', (code, signal) => {
        forget(String(signal ?? code));
      });
      // It could not start, or receive a message.
      child.on('error', (error) => {
        child.kill('SIGKILL');
        forget(error.message);
      });
    });
    const asked: RunningProcess = { child, waiting: new Map(), gone };
    this.#living.add(asked);
    child.on('message', (answer: AnalysisReply) => {
      this.#take(asked, answer);
    });
    return asked;
  }

  #take(asked: RunningProcess, told: AnalysisReply): void {
    const waiting = asked.waiting.get(told.id);
    asked.waiting.delete(told.id);
    if ('failure' in told) waiting?.reject(errorOf(told.failure));
    else waiting?.resolve(told.answer);
    if (asked.waiting.size > 0 || asked !== this.#asked) return;
    this.#idle = setTimeout(() => {
      this.#dismiss(asked);
    }, this.#facts.idleMs ?? usualIdleMs);
    this.#idle.unref();
  }

  /** Later questions get another process. */
  #dismiss(asked: RunningProcess): void {
    this.#asked = null;
    if (asked.child.connected) asked.child.disconnect();
  }
}

function failAll({ waiting }: RunningProcess, error: Error): void {
  for (const { reject } of waiting.values()) reject(error);
  waiting.clear();
}

function farmEnds(): Error {
  return new Error('The farm is ending');
}

function errorOf({ code, message, next, stack }: SentFailure): Error {
  if (code !== null) return new FarmError(code, { what: message, next });
  const error = new Error(message);
  error.stack = stack;
  return error;
}

import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { FarmError } from '../errors.ts';
import type { SuiteHistory } from '../model/history.ts';
import type { ListedClaim } from '../server/api/sources.ts';
import type { ToldChanges, ToldFindings } from '../server/api/told.ts';
import type { Teller } from './teller.ts';
import { end, type Answer, type Question, type ToldFailure } from './telling-answers.ts';

export interface ThreadFacts {
  /** Begins a thread that answers as `telling-answers.ts` does. */
  readonly start: () => Worker;
  /** How long a thread that nobody asks is kept. */
  readonly idleMs?: number;
}

/** A reader who looks from one page to the next finds the thread, and a server that is left alone has none. */
const usualIdleMs = 60_000;

/** A search ends by itself in seconds; who presses Ctrl-C does not wait for it. */
const graceMs = 2_000;

/** Tells from a thread of its own, which opens the database itself. */
export function tellAside(database: string): TellingThread {
  // Beside this file: `.js` when it was built, `.ts` from source.
  const program = new URL(`./telling-program${extname(import.meta.url)}`, import.meta.url);
  return new TellingThread({ start: () => new Worker(program, { workerData: { database } }) });
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
  /** Settled when it is gone. */
  readonly gone: Promise<void>;
}

/**
 * Has another thread work out what takes its time, so that this one goes on answering. The thread begins
 * with the first question and ends when nobody has asked for a while; one that dies fails what it was
 * asked, and the next question begins another.
 */
export class TellingThread implements Teller {
  readonly #facts: ThreadFacts;
  #thread: Thread | null = null;
  /** All that have not gone, those too that were told to end. */
  readonly #living = new Set<Thread>();
  #asked = 0;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(facts: ThreadFacts) {
    this.#facts = facts;
  }

  findings(run: number, baseline: string | null): Promise<ToldFindings | null> {
    return this.#ask('findings', [run, baseline]);
  }

  changes(history: SuiteHistory): Promise<ToldChanges> {
    return this.#ask('changes', [history]);
  }

  claim(id: string): Promise<ListedClaim> {
    return this.#ask('claim', [id]);
  }

  /** Ends the thread, at most two seconds later by force. Who still waits is told that the farm ends. */
  async close(): Promise<void> {
    this.#closed = true;
    const living = [...this.#living];
    for (const thread of living) failAll(thread, farmEnds());
    this.#dismiss();
    await Promise.all(living.map(endInTime));
  }

  #ask<Name extends keyof Teller>(
    name: Name,
    args: Parameters<Teller[Name]>,
  ): ReturnType<Teller[Name]> {
    // What comes back is what the same name gives on the other side.
    return new Promise<unknown>((resolve, reject) => {
      if (this.#closed) throw farmEnds();
      clearTimeout(this.#idle);
      this.#thread ??= this.#begin();
      this.#asked += 1;
      const question: Question = { id: this.#asked, name, args };
      this.#thread.waiting.set(question.id, { resolve, reject });
      this.#thread.worker.postMessage(question);
    }) as ReturnType<Teller[Name]>;
  }

  #begin(): Thread {
    const worker = this.#facts.start();
    // Not `once`, which fails when the thread does.
    const gone = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        resolve();
      });
    });
    const thread: Thread = { worker, waiting: new Map(), gone };
    this.#living.add(thread);
    worker.on('message', (answer: Answer) => {
      this.#take(thread, answer);
    });
    worker.on('error', (error: Error) => {
      failAll(thread, error);
    });
    worker.on('exit', (code) => {
      failAll(thread, new Error(`The thread that was asked ended with ${String(code)}`));
      this.#living.delete(thread);
      if (this.#thread === thread) this.#thread = null;
    });
    return thread;
  }

  #take(thread: Thread, told: Answer): void {
    const waiting = thread.waiting.get(told.id);
    thread.waiting.delete(told.id);
    if ('failure' in told) waiting?.reject(errorOf(told.failure));
    else waiting?.resolve(told.answer);
    if (thread.waiting.size > 0 || thread !== this.#thread) return;
    this.#idle = setTimeout(() => {
      this.#dismiss();
    }, this.#facts.idleMs ?? usualIdleMs);
    this.#idle.unref();
  }

  /** It ends when it has answered; who asks from now on has another. */
  #dismiss(): void {
    clearTimeout(this.#idle);
    this.#thread?.worker.postMessage(end);
    this.#thread = null;
  }
}

function failAll({ waiting }: Thread, error: Error): void {
  for (const { reject } of waiting.values()) reject(error);
  waiting.clear();
}

async function endInTime({ worker, gone }: Thread): Promise<void> {
  const patience = new AbortController();
  const late = sleep(graceMs, 'late', { signal: patience.signal });
  const first = await Promise.race([gone, late]);
  patience.abort();
  if (first === 'late') await worker.terminate();
}

function farmEnds(): Error {
  return new Error('The farm is ending');
}

function errorOf({ code, message, next, stack }: ToldFailure): Error {
  if (code !== null) return new FarmError(code, { what: message, next });
  const error = new Error(message);
  error.stack = stack;
  return error;
}

import type { MessagePort } from 'node:worker_threads';
import { FarmError, type FarmErrorCode } from '../errors.ts';
import { openStore } from '../store/store.ts';
import { tellHere, type Teller } from './teller.ts';

/** What a thread is asked, and by which number it answers. */
export interface Question {
  readonly id: number;
  readonly name: keyof Teller;
  readonly args: readonly unknown[];
}

/** Ends the thread when it has answered what it was asked. */
export const end = 'end';

/** A failure as it crosses between threads, which keep no class and no member of an error's own. */
export interface ToldFailure {
  /** Null for what is a bug of the farm. */
  readonly code: FarmErrorCode | null;
  readonly message: string;
  readonly next: string;
  readonly stack: string;
}

export type Answer =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: ToldFailure };

/**
 * Answers the questions that come through the port, from a store of this thread's own. A store that
 * cannot be opened is what every question is answered with.
 */
export function answerQuestions(
  port: MessagePort,
  database: string,
  through: (teller: Teller) => Teller = (teller) => teller,
): void {
  const store = openStore(database);
  const teller = store.then((opened) => through(tellHere(opened)));
  // Whoever asks is told; until then nobody has to know.
  teller.catch(() => undefined);
  const open = new Set<Promise<void>>();
  port.on('message', (message: Question | typeof end) => {
    if (message === end) {
      void endAfter(open, store, port);
      return;
    }
    const answering = answer(message, teller).then((told) => {
      port.postMessage(told);
    });
    open.add(answering);
    void answering.finally(() => open.delete(answering));
  });
}

async function answer({ id, name, args }: Question, opening: Promise<Teller>): Promise<Answer> {
  try {
    const tell = (await opening)[name] as (...args: readonly unknown[]) => Promise<unknown>;
    return { id, answer: await tell(...args) };
  } catch (error) {
    return { id, failure: toldFailure(error) };
  }
}

function toldFailure(error: unknown): ToldFailure {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const known = error instanceof FarmError ? error : null;
  return { code: known?.code ?? null, message, next: known?.next ?? '', stack };
}

/** Nothing is left that would keep the thread. */
async function endAfter(
  open: ReadonlySet<Promise<void>>,
  store: ReturnType<typeof openStore>,
  port: MessagePort,
): Promise<void> {
  await Promise.all(open);
  port.close();
  const opened = await store.catch(() => null);
  await opened?.close();
}

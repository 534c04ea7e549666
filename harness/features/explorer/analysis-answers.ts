import { FarmError, type FarmErrorCode } from '../../core/errors.ts';
import { openStore } from '../../core/store/store.ts';
import { analyseHere, type Analyst } from './analyst.ts';

/** A question to the process, with the number of its answer. */
export interface Question {
  readonly id: number;
  readonly name: keyof Analyst;
  readonly args: readonly unknown[];
}

/** A failure as it crosses between processes, which keep no class and no member of an error's own. */
export interface SentFailure {
  /** Null for what is a bug of the farm. */
  readonly code: FarmErrorCode | null;
  readonly message: string;
  readonly next: string;
  readonly stack: string;
}

export type AnalysisReply =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: SentFailure };

/**
 * Answers the questions of the parent process, from its own store, and ends with the
 * channel between them. A store that cannot be opened is what every question is answered with.
 */
export function answerQuestions(
  database: string,
  through: (analyst: Analyst) => Analyst = (analyst) => analyst,
): void {
  const analyst = openStore(database).then((store) => through(analyseHere(store)));
  // The first question gets this error; until then it is not unhandled.
  analyst.catch(() => undefined);
  process.on('message', (question: Question) => {
    void answer(question, analyst).then((told) => process.send?.(told));
  });
  // Nothing is written here, so nothing is lost.
  process.on('disconnect', () => process.exit());
}

async function answer(
  { id, name, args }: Question,
  opening: Promise<Analyst>,
): Promise<AnalysisReply> {
  try {
    const analyse = (await opening)[name] as (...args: readonly unknown[]) => Promise<unknown>;
    return { id, answer: await analyse(...args) };
  } catch (error) {
    return { id, failure: failureOf(error) };
  }
}

function failureOf(error: unknown): SentFailure {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const known = error instanceof FarmError ? error : null;
  return { code: known?.code ?? null, message, next: known?.next ?? '', stack };
}

import { FarmError, type FarmErrorCode } from '../errors.ts';
import { openStore } from '../store/store.ts';
import { tellHere, type Teller } from './teller.ts';

/** What a process is asked, and by which number it answers. */
export interface Question {
  readonly id: number;
  readonly name: keyof Teller;
  readonly args: readonly unknown[];
}

/** A failure as it crosses between processes, which keep no class and no member of an error's own. */
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
 * Answers the questions of the process that began this one, from a store of its own, and ends with the
 * channel between them. A store that cannot be opened is what every question is answered with.
 */
export function answerQuestions(
  database: string,
  through: (teller: Teller) => Teller = (teller) => teller,
): void {
  const teller = openStore(database).then((store) => through(tellHere(store)));
  // Whoever asks is told; until then nobody has to know.
  teller.catch(() => undefined);
  process.on('message', (question: Question) => {
    void answer(question, teller).then((told) => process.send?.(told));
  });
  // Nothing is written here, so nothing is lost.
  process.on('disconnect', () => process.exit());
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

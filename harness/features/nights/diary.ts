import { errorText, FarmError } from '../../core/errors.ts';
import { DeadlinePassed, within } from '../../core/run/deadline.ts';
import type { NightDocument, NightStep } from './night-document.ts';

export interface DiaryOptions {
  /** Writes the document to the disk. */
  readonly save: (document: NightDocument) => Promise<void>;
  /** Called once when it cannot be written, which stops nothing. */
  readonly complain: (sentence: string) => void;
}

export interface StepWork<T> {
  readonly deadlineMs: number;
  readonly act: () => Promise<T>;
}

/**
 * The document of a night in progress. It is on the disk after every step, so that a night
 * that dies has left what it knew; a disk that takes nothing more does not end the night.
 */
export class NightDiary {
  /** A step was given up and may still be busy: the process must not wait for it. */
  abandoned = false;
  /** Why the last state is not on the disk; null when it is. */
  unsaved: string | null = null;
  #document: NightDocument;
  #saving: Promise<void> = Promise.resolve();
  #complained = false;
  readonly #options: DiaryOptions;

  constructor(document: NightDocument, options: DiaryOptions) {
    this.#document = document;
    this.#options = options;
  }

  get document(): NightDocument {
    return this.#document;
  }

  /** Notes are written one after the other, so that the last one stays. */
  note(facts: Partial<NightDocument>): Promise<void> {
    this.#document = { ...this.#document, ...facts };
    this.#saving = this.#saving.then(() => this.#save());
    return this.#saving;
  }

  /**
   * Does one step, and notes its outcome. The night continues after any error of it, and after any
   * time.
   * @returns null when it failed.
   */
  async step<T extends object>(
    step: NightStep,
    { deadlineMs, act }: StepWork<T>,
  ): Promise<T | null> {
    const begun = this.#begin();
    try {
      // Asynchronous, so that an immediate throw fails like a later one.
      const working = Promise.resolve().then(act);
      const result = await within(working, {
        what: `The step ${step}`,
        ms: deadlineMs,
        signal: never,
      });
      await this.#noteStep(step, { ...begun, outcome: 'done', because: null });
      return result;
    } catch (error) {
      if (error instanceof DeadlinePassed) this.abandoned = true;
      await this.#noteStep(step, { ...begun, outcome: 'failed', because: stepFailure(error) });
      return null;
    }
  }

  /** Of a step that was not asked for, or has nothing to work on. */
  leaveOut(step: NightStep, because: string): Promise<void> {
    return this.#noteStep(step, { ...this.#begin(), outcome: 'left-out', because });
  }

  #noteStep(step: NightStep, { startedAt, began, ...ending }: StepEnding): Promise<void> {
    const ms = Math.round(performance.now() - began);
    return this.note({ steps: [...this.#document.steps, { step, ...ending, startedAt, ms }] });
  }

  async #save(): Promise<void> {
    try {
      await this.#options.save(this.#document);
      this.unsaved = null;
    } catch (error) {
      this.unsaved = `night.json cannot be written: ${stepFailure(error)}`;
      if (!this.#complained) this.#options.complain(this.unsaved);
      this.#complained = true;
    }
  }

  #begin(): Begun {
    return { startedAt: new Date().toISOString(), began: performance.now() };
  }
}

interface Begun {
  readonly startedAt: string;
  /** By a clock that does not jump. */
  readonly began: number;
}

interface StepEnding extends Begun {
  readonly outcome: 'done' | 'failed' | 'left-out';
  readonly because: string | null;
}

/** Not even Ctrl-C ends these steps: it ends the measuring, and what is there is then reported. */
const never = new AbortController().signal;

const longest = 1_000;

function stepFailure(error: unknown): string {
  const words = errorText(error);
  const advice = error instanceof FarmError ? ` ${error.next}` : '';
  const all = `${words}${advice}`;
  return all.length > longest ? `${all.slice(0, longest)}…` : all;
}

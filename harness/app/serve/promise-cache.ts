/** An answer that takes its time, and for which state of what it was made from. */
interface Entry<Answer> {
  readonly state: string;
  readonly answer: Promise<Answer>;
}

/**
 * Answers that take their time, kept as long as what they were made from is in the same state. Who
 * asks while one is being made waits for that one. The oldest goes when there are too many.
 */
export class PromiseCache<Answer> {
  readonly #kept = new Map<string, Entry<Answer>>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** The answer to a question; `make` is called when there is none for this state. */
  get(question: string, state: string, make: () => Promise<Answer>): Promise<Answer> {
    const known = this.#kept.get(question);
    if (known?.state === state) return known.answer;
    const answer = make();
    this.#kept.delete(question);
    this.#kept.set(question, { state, answer });
    // A failure is not kept: the next one who asks may have more luck.
    answer.catch(() => {
      if (this.#kept.get(question)?.answer === answer) this.#kept.delete(question);
    });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest);
    return answer;
  }
}

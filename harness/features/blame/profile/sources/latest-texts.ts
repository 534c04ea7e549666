/** Characters of all texts that are kept together; what was made of them takes several times as much. */
const mostCharacters = 16 * 2 ** 20;

/** What was made of the latest texts: scripts and maps of earlier trials are read again in each. */
export class LatestTexts<T extends object> {
  readonly #made = new Map<string, T>();
  #characters = 0;

  /** Gives what was made of this text before, else makes it. A text that is too long is not kept. */
  take(text: string, make: () => T): T {
    if (text.length > mostCharacters) return make();
    const known = this.#made.get(text);
    const one = known ?? make();
    if (known === undefined) this.#characters += text.length;
    this.#made.delete(text);
    this.#made.set(text, one);
    for (const oldest of this.#made.keys()) {
      if (this.#characters <= mostCharacters) break;
      this.#made.delete(oldest);
      this.#characters -= oldest.length;
    }
    return one;
  }
}

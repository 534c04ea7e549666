import type { SeededGenerator } from '../../stats/random.ts';

/** Things in random order, each once before any comes again: a long campaign then holds them all. */
export class Deck<Thing> {
  readonly #all: readonly Thing[];
  readonly #generator: SeededGenerator;
  #left: Thing[] = [];

  constructor(all: readonly Thing[], generator: SeededGenerator) {
    if (all.length === 0) throw new RangeError('there is nothing to draw');
    this.#all = all;
    this.#generator = generator;
  }

  draw(): Thing {
    if (this.#left.length === 0) this.#left = [...this.#all];
    const [one] = this.#left.splice(this.#generator.nextInt(this.#left.length), 1);
    if (one === undefined) throw new RangeError('there is nothing to draw');
    return one;
  }
}

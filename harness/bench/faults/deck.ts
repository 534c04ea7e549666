import type { SeededGenerator } from '../../analysis/stats/random.ts';

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

  /**
   * One that may be drawn now. Those that may not stay for later; where only such are left, the
   * others come again.
   * @returns null when none may.
   */
  draw(mayBeDrawn: (one: Thing) => boolean = () => true): Thing | null {
    if (!this.#left.some(mayBeDrawn)) this.#left.push(...this.#all.filter(mayBeDrawn));
    const fair = this.#left.filter(mayBeDrawn);
    const one = fair[this.#generator.nextInt(Math.max(1, fair.length))];
    if (one === undefined) return null;
    this.#left.splice(this.#left.indexOf(one), 1);
    return one;
  }
}

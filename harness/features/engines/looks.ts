import type { SweepAnalysis, SweepPoint } from '../../core/analysis/sweep.ts';
import type { SweepStep } from '../../core/results/index.ts';
import { defaultAlpha } from '../../core/analysis/stats/verdict.ts';

/** Looks that a sweep takes at most: the coarse one, and those where something changed. */
export const mostLooks = 4;

/** Every look may be wrong, so that each has its share. */
export const lookAlpha = defaultAlpha / mostLooks;

/** The results of a sweep's looks, one after the other. */
export class Looks {
  readonly #placeOf: (build: string) => number;
  readonly #points = new Map<string, SweepPoint>();
  readonly #spreads: number[] = [];
  readonly #runs: number[] = [];
  #steps: readonly SweepStep[] = [];
  #quarantined = 0;

  /** Builds have places in the order of their age. */
  constructor(placeOf: (build: string) => number) {
    this.#placeOf = placeOf;
  }

  get runs(): readonly number[] {
    return this.#runs;
  }

  get steps(): readonly SweepStep[] {
    return this.#steps;
  }

  get points(): ReadonlyMap<string, SweepPoint> {
    return this.#points;
  }

  /** Notes the run of a look. A point that has more trials than in another look stays. */
  note(run: number, { points, steps, quarantined, referenceSpread }: SweepAnalysis): void {
    this.#steps = this.#runs.length === 0 ? steps : this.#refined(steps);
    this.#runs.push(run);
    this.#quarantined += quarantined;
    for (const point of points) {
      const before = this.#points.get(point.deviceId);
      if (before === undefined || point.trials > before.trials) {
        this.#points.set(point.deviceId, point);
      }
    }
    if (referenceSpread !== null) this.#spreads.push(referenceSpread);
  }

  /** Puts what a finer look saw between two builds that differ in place of the step from one to the other. */
  #refined(seen: readonly SweepStep[]): readonly SweepStep[] {
    const [place, isWider] = [this.#placeOf, (step: SweepStep) => this.#spansOthers(step, seen)];
    return this.#steps.flatMap((step) => {
      if (!isChange(step) || !isWider(step)) return [step];
      const [from, to] = [place(step.between[0]), place(step.between[1])];
      const finer = seen.filter(
        ({ between: [older, newer] }) => place(older) >= from && place(newer) <= to,
      );
      // A finer look that is not sure of any of its steps takes nothing back.
      return finer.some(isChange) ? finer : [step];
    });
  }

  /** True if one of the steps ends between the builds of this one. */
  #spansOthers({ between }: SweepStep, seen: readonly SweepStep[]): boolean {
    const [from, to] = [this.#placeOf(between[0]), this.#placeOf(between[1])];
    return seen.some(({ between: ends }) =>
      ends.some((build) => this.#placeOf(build) > from && this.#placeOf(build) < to),
    );
  }

  /** The changes, what is open, and how much the machine disturbed. */
  get summary(): {
    readonly changes: readonly SweepStep[];
    readonly open: readonly SweepStep[];
    readonly quarantined: number;
    readonly referenceSpread: number | null;
    readonly runs: readonly number[];
  } {
    return {
      changes: this.#steps.filter(isChange),
      open: this.#steps.filter(({ verdict }) => verdict === 'undecided'),
      quarantined: this.#quarantined,
      referenceSpread: this.#spreads.length === 0 ? null : Math.max(...this.#spreads),
      runs: this.#runs,
    };
  }
}

/** True for a step between builds that differ. */
export function isChange({ verdict }: SweepStep): boolean {
  return verdict === 'faster' || verdict === 'slower';
}

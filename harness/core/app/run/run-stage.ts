import type { RunLook, RunStage } from '../../model/history.ts';
import { jobsToDo, type Plan } from '../../model/plan.ts';
import type { Trial } from '../../model/trial.ts';
import type { Look, RunListener } from '../../run/listener.ts';
import { RestOfRun } from '../../run/progress/rest.ts';
import type { StageNews } from '../../store/run-setting.ts';
import { joinListeners } from '../follow.ts';

type Pair = RunLook['pairs'][number];
type Interval = NonNullable<RunLook['looks']>[number][number];

function keyOf({ a, b, metric }: Pair): string {
  return JSON.stringify([a, b, metric]);
}

interface Surroundings {
  readonly endsEarly: boolean;
  /** As `RunOrder` has it. */
  readonly look?: ((trials: readonly Trial[]) => Look | null) | undefined;
}

/** How far a run is, from its own events: what its farm stores for the pages that show it. */
export class Stage {
  /** Hears the events of the run. */
  readonly listener: RunListener;
  readonly #plan: Plan;
  readonly #surroundings: Surroundings;
  readonly #rest = new RestOfRun();
  /** Cells of each block without an outcome. */
  readonly #open = new Map<number, number>();
  /** The intervals of each pair at the looks so far, by its sides and metric. */
  readonly #intervals = new Map<string, Interval[]>();
  #looked = 0;

  constructor(plan: Plan, surroundings: Surroundings) {
    this.#plan = plan;
    this.#surroundings = surroundings;
    for (const { block } of plan.jobs) this.#open.set(block, 0);
    for (const { block } of jobsToDo(plan)) this.#count(block, 1);
    this.listener = joinListeners(this.#rest, {
      onTrialEnded: ({ trial: { job } }) => {
        if (job.repeats === undefined) this.#count(job.block, -1);
      },
    });
  }

  /** Looks at the run after these trials, and passes what is new to `listener`. */
  look(trials: readonly Trial[], listener: RunListener): Look | null {
    const look = this.#surroundings.look?.(trials) ?? null;
    if (look === null) return null;
    if (look.found !== null) this.#note(look.found);
    listener.onLook?.(look);
    return look;
  }

  /** With a look, what it showed. */
  news(look: Look | null = null): StageNews {
    const found = look?.found ?? null;
    if (found === null) return { stage: this.#stage() };
    const looks = found.pairs.map((pair) => this.#intervals.get(keyOf(pair)) ?? []);
    return { stage: this.#stage(), look: { ...found, looks } };
  }

  #note({ pairs }: RunLook): void {
    this.#looked += 1;
    for (const pair of pairs) {
      const { blocks, low, high } = pair;
      if (low === null || high === null || !Number.isFinite(high)) continue;
      const known = this.#intervals.get(keyOf(pair)) ?? [];
      this.#intervals.set(keyOf(pair), [...known, { blocks, low, high }]);
    }
  }

  #stage(): RunStage {
    const { blocks, done } = this.#plan;
    const leftMs = this.#rest.leftMs();
    return {
      at: new Date().toISOString(),
      leftMs: leftMs === null ? null : Math.round(leftMs),
      endsEarly: this.#surroundings.endsEarly,
      blocks: [...this.#open.values()].filter((open) => open === 0).length,
      most: { trials: this.#rest.mostTrials + (done?.size ?? 0), blocks },
      looked: this.#looked,
    };
  }

  #count(block: number, change: number): void {
    this.#open.set(block, (this.#open.get(block) ?? 0) + change);
  }
}

import type { RunStage } from '../../model/history.ts';
import { jobsToDo, type Plan } from '../../model/plan.ts';
import type { Look, RunListener } from '../../run/listener.ts';
import { followRest, Rest } from '../../run/progress/rest.ts';
import type { StageNews } from '../../store/run-setting.ts';
import { joinListeners } from '../follow.ts';

interface Surroundings {
  readonly endsEarly: boolean;
  /** The newest look at the comparisons of the run; the same object until there is another. */
  readonly look?: (() => Look | null) | undefined;
}

/** How far a run is, from its own events: what its farm stores for the pages that show it. */
export class Stage {
  /** Hears the events of the run. */
  readonly listener: RunListener;
  readonly #plan: Plan;
  readonly #surroundings: Surroundings;
  readonly #rest = new Rest();
  /** Cells of each block without an outcome. */
  readonly #open = new Map<number, number>();
  #look: Look | null = null;
  #looked = 0;

  constructor(plan: Plan, surroundings: Surroundings) {
    this.#plan = plan;
    this.#surroundings = surroundings;
    for (const { block } of plan.jobs) this.#open.set(block, 0);
    for (const { block } of jobsToDo(plan)) this.#count(block, 1);
    this.listener = joinListeners(followRest(this.#rest), {
      onTrialEnded: ({ trial: { job } }) => {
        if (job.repeats === undefined) this.#count(job.block, -1);
      },
    });
  }

  /** Takes the newest look if there is one since the last call, and passes it to `listener`. */
  lookAgain(listener: RunListener): Look | null {
    const look = this.#surroundings.look?.() ?? null;
    if (look === null || look === this.#look) return null;
    this.#look = look;
    this.#looked += 1;
    listener.onLook?.(look);
    return look;
  }

  /** With a look, what it showed. */
  news(look: Look | null = null): StageNews {
    if (look === null) return { stage: this.#stage() };
    const { margin, pairs } = look;
    return { stage: this.#stage(), look: { margin, pairs } };
  }

  #stage(): RunStage {
    const { blocks, done } = this.#plan;
    const leftMs = this.#rest.leftMs();
    return {
      at: new Date().toISOString(),
      leftMs: leftMs === null ? null : Math.round(leftMs),
      endsEarly: this.#surroundings.endsEarly,
      blocks: [...this.#open.values()].filter((open) => open === 0).length,
      most: { trials: this.#rest.timeLeft.planned + (done?.size ?? 0), blocks },
      looked: this.#looked,
    };
  }

  #count(block: number, change: number): void {
    this.#open.set(block, (this.#open.get(block) ?? 0) + change);
  }
}

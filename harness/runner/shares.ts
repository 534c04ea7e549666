import { machinesOf, thisMachine } from '../model/machines.ts';
import { jobsToDo, type Job, type Plan } from '../model/plan.ts';

/** What each machine does of one block, in the order of the plan. */
type Shares = ReadonlyMap<string, readonly Job[]>;

/** The jobs that are still to be done: block after block, and each block shared out to machines. */
export function sharesOf(plan: Plan): readonly Shares[] {
  const machines = machinesOf(plan);
  return blocksOf(jobsToDo(plan)).map((block) => {
    const shares = new Map<string, Job[]>();
    for (const job of block) {
      const machine = machines.get(job.deviceId) ?? thisMachine;
      shares.set(machine, [...(shares.get(machine) ?? []), job]);
    }
    return shares;
  });
}

function blocksOf(jobs: readonly Job[]): readonly (readonly Job[])[] {
  const starts = jobs.flatMap(({ block }, index) =>
    block === jobs[index - 1]?.block ? [] : [index],
  );
  return starts.map((start, order) => jobs.slice(start, starts[order + 1]));
}

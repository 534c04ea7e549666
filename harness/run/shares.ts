import { machinesOf, thisMachine } from '../model/machines.ts';
import { jobsToDo, roundOf, type Job, type Plan } from '../model/plan.ts';

/** What each machine does of one round, in the order of the plan. */
type Shares = ReadonlyMap<string, readonly Job[]>;

/** The jobs that are still to be done: round after round, and each round shared out to machines. */
export function sharesOf(plan: Plan): readonly Shares[] {
  const machines = machinesOf(plan);
  return roundsOf(plan).map((round) => {
    const shares = new Map<string, Job[]>();
    for (const job of round) {
      const machine = machines.get(job.deviceId) ?? thisMachine;
      shares.set(machine, [...(shares.get(machine) ?? []), job]);
    }
    return shares;
  });
}

function roundsOf(plan: Plan): readonly (readonly Job[])[] {
  const jobs = jobsToDo(plan);
  const rounds = jobs.map(({ block }) => roundOf(plan, block));
  const starts = rounds.flatMap((round, index) => (round === rounds[index - 1] ? [] : [index]));
  return starts.map((start, order) => jobs.slice(start, starts[order + 1]));
}

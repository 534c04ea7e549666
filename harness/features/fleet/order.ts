import { chooseHosts, listHosts } from './hosts.ts';
import { type JobQueue, priorities } from './jobs.ts';
import { isForNight, requireMeasuring } from './measuring-words.ts';
import type { FarmServer } from './server.ts';

/** A measurement to submit. */
export interface Order {
  readonly words: readonly string[];
  /** As `--on` has it; undefined for the least busy host. */
  readonly on: string | undefined;
  /** Jobs of people go first. */
  readonly night: boolean;
  readonly askedBy: string;
}

/**
 * Submits a command to the hosts that are meant, as jobs that belong together.
 * @returns their numbers, each with its host
 * @throws FarmError `bad-argument`, `no-device`, `unknown-device`
 */
export async function submitOrder(
  { server, queue }: { readonly server: FarmServer; readonly queue: JobQueue },
  { words, on, night, askedBy }: Order,
): Promise<readonly { readonly id: number; readonly host: string }[]> {
  requireMeasuring(words);
  const hosts = chooseHosts(await listHosts(server), on);
  const priority = night || isForNight(words) ? priorities.night : priorities.person;
  const jobs: { id: number; host: string }[] = [];
  for (const host of hosts) {
    const [first] = jobs;
    const together = first === undefined ? {} : { batch: first.id };
    jobs.push({ id: await queue.submit({ host, words, priority, askedBy, ...together }), host });
  }
  return jobs;
}

import { z } from 'zod';
import type { Job } from './jobs.ts';

/** A change that nights of several hosts found. */
export interface SharedChange {
  readonly title: string;
  readonly direction: 'up' | 'down';
  /** Hosts that confirmed it, by re-measuring; then those that only suspect it. */
  readonly confirmedOn: readonly string[];
  readonly suspectedOn: readonly string[];
}

/** The part of `night.json` that is needed. */
const night = z.object({
  analysis: z
    .object({
      suspects: z.array(z.object({ title: z.string(), ratio: z.number() })),
      anomalies: z.array(z.object({ title: z.string() })),
    })
    .nullable(),
});

/** Counts on how many hosts each change of a night was found: first what most hosts have. */
export function agreeOnNights(jobs: readonly Pick<Job, 'host' | 'document'>[]): {
  readonly hosts: number;
  readonly changes: readonly SharedChange[];
} {
  const changes = new Map<string, SharedChange>();
  let hosts = 0;
  for (const { host, document } of jobs) {
    const analysis = night.safeParse(document).data?.analysis;
    if (!analysis) continue;
    hosts += 1;
    for (const { title: whole, ratio } of analysis.suspects) {
      // A night writes "<series>: <ratio>× since run <number of that host>".
      const title = whole.replace(/: [^:]*× since run \d+$/, '');
      const direction = ratio > 1 ? 'up' : 'down';
      const key = `${direction} ${title}`;
      const known = changes.get(key) ?? { title, direction, confirmedOn: [], suspectedOn: [] };
      const isConfirmed = analysis.anomalies.some((one) => one.title.startsWith(whole));
      const list = isConfirmed ? 'confirmedOn' : 'suspectedOn';
      changes.set(key, { ...known, [list]: [...known[list], host] });
    }
  }
  const size = ({ confirmedOn, suspectedOn }: SharedChange): number =>
    confirmedOn.length + suspectedOn.length;
  return {
    hosts,
    changes: [...changes.values()].toSorted((one, other) => size(other) - size(one)),
  };
}

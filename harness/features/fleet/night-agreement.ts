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

/** The common result of the nights of several hosts. */
export interface NightAgreement {
  /** How many hosts have looked for changes in a night of which some trial counts. */
  readonly hosts: number;
  readonly changes: readonly SharedChange[];
  /** Hosts of whose night no trial counts, with its headline. */
  readonly unusable: readonly { readonly host: string; readonly headline: string }[];
}

/** The part of `night.json` that is needed. */
const night = z.object({
  headline: z.string().nullish(),
  ledger: z.object({ completed: z.number(), quarantined: z.number() }).optional(),
  analysis: z
    .object({
      suspects: z.array(z.object({ title: z.string(), ratio: z.number() })),
      anomalies: z.array(z.object({ title: z.string() })),
    })
    .nullable(),
});

/** Counts on how many hosts each change of a night was found: first what most hosts have. */
export function agreeOnNights(jobs: readonly Pick<Job, 'host' | 'document'>[]): NightAgreement {
  const changes = new Map<string, SharedChange>();
  const unusable: { host: string; headline: string }[] = [];
  let hosts = 0;
  for (const { host, document } of jobs) {
    const { analysis, ledger, headline } = night.safeParse(document).data ?? {};
    if (!analysis) continue;
    if (ledger !== undefined && ledger.completed === ledger.quarantined) {
      unusable.push({ host, headline: headline ?? 'no trial counts' });
      continue;
    }
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
    unusable,
    changes: [...changes.values()].toSorted((one, other) => size(other) - size(one)),
  };
}

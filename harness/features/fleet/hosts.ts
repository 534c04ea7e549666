import { z } from 'zod';
import { FarmError, unknownName } from '../../core/errors.ts';
import type { Machine } from '../../core/model/run.ts';
import type { FarmServer } from './server.ts';

/** Facts that a worker tells of its machine. */
export interface HostFacts extends Machine {
  /** Ids of the devices that were found on it. */
  readonly devices: readonly string[];
  /** All of its devices, as `devices --json` prints them. */
  readonly inventory: readonly unknown[];
}

/** A device of a host, with what it can do. */
const hostDevice = z.object({
  id: z.string().max(100),
  status: z.enum(['found', 'missing']),
  browser: z
    .object({ name: z.string().max(100), version: z.string().max(100) })
    .nullish()
    .catch(null),
  driver: z.string().max(100).nullish(),
  capabilities: z
    .array(z.object({ name: z.string().max(100), supported: z.boolean() }))
    .max(100)
    .catch([]),
  reason: z.string().max(1_000).nullish().catch(null),
  remedy: z.string().max(1_000).nullish().catch(null),
});

export type HostDevice = z.infer<typeof hostDevice>;

/** The form of facts that another worker wrote. */
const facts = z.object({
  platform: z.string().max(60).catch('?'),
  system: z.string().max(200).catch('?'),
  cpuModel: z.string().max(200).catch('?'),
  logicalCores: z.number().catch(0),
  memoryBytes: z.number().catch(0),
  devices: z.array(z.string().max(100)).max(1_000).catch([]),
  inventory: z.array(hostDevice).max(1_000).catch([]),
});

export interface Host {
  readonly name: string;
  /** True if its worker was heard of lately. */
  readonly isLive: boolean;
  /** Seconds since then. */
  readonly silentS: number;
  readonly facts: z.infer<typeof facts>;
  /** Jobs that wait for it, and that it works on. */
  readonly open: number;
}

/** The right to work as a host: of all that ever took its name, the one with the greatest number. */
export interface Lease {
  readonly host: string;
  readonly worker: string;
  readonly lease: string;
}

export interface TakenHost extends Lease {
  /** True if no other worker had the name since this one had it. */
  readonly wasOurs: boolean;
}

/** A worker is taken for dead after this long. It says that it lives every `beatMs`. */
const leaseS = 30;
export const beatMs = 5_000;

/** In SQL: the worker of a row of `host` was heard of lately. */
export const isLive = `host.seen_at >= now() - make_interval(secs => ${String(leaseS)})`;

export const hostName = /^[a-z0-9][a-z0-9.-]{0,62}$/;

/** The name of a machine as a host, unless its worker has another. */
export function nameThisHost(hostname: string): string {
  return hostname.toLowerCase().replaceAll('_', '-');
}

/**
 * Takes a host's name for a worker. Times are the server's, so that no clock of a host matters.
 * @param worker identity of the worker's folder, which may take its own name again at once
 * @throws FarmError `machine-in-use` while another worker has it
 */
export async function takeHost(
  server: FarmServer,
  {
    name,
    worker,
    version,
    facts: told,
  }: {
    readonly name: string;
    readonly worker: string;
    readonly version: string;
    readonly facts: HostFacts;
  },
): Promise<TakenHost> {
  const taken = await server.transaction(async (query) => {
    const [before] = await query<{ worker: string }>(
      'SELECT worker FROM host WHERE name = $1 FOR UPDATE',
      [name],
    );
    const [row] = await query<{ lease: string }>(
      `INSERT INTO host (name, worker, farm_version, facts) VALUES ($1, $2, $3, $4)
       ON CONFLICT (name) DO UPDATE SET worker = excluded.worker, lease = host.lease + 1,
         seen_at = now(), started_at = now(), farm_version = excluded.farm_version, facts = excluded.facts
       WHERE host.worker = excluded.worker OR NOT (${isLive})
       RETURNING lease::text`,
      [name, worker, version, JSON.stringify(told)],
    );
    return row && { ...row, wasOurs: before?.worker === worker };
  });
  if (taken !== undefined) return { host: name, worker, ...taken };
  throw new FarmError('machine-in-use', {
    what: `Another worker is ${name} already: it was heard of in the last ${String(leaseS)} s.`,
    next: 'Give this one its own name: --as rack-2',
  });
}

/**
 * Says that a worker lives. False once another worker has its name.
 * @throws FarmError `newer-database` where the tables are those of a newer crossfarm by now
 */
export async function renew(server: FarmServer, { host, worker, lease }: Lease): Promise<boolean> {
  const rows = await server.transaction((query) =>
    query(
      `UPDATE host SET seen_at = now() WHERE name = $1 AND worker = $2 AND lease = $3 RETURNING name`,
      [host, worker, lease],
    ),
  );
  return rows.length > 0;
}

/** Lets another worker take the name at once. */
export async function leaveHost(server: FarmServer, { host, lease }: Lease): Promise<void> {
  await server.query(
    `UPDATE host SET seen_at = now() - make_interval(secs => ${String(2 * leaseS)}) WHERE name = $1 AND lease = $2`,
    [host, lease],
  );
}

export async function listHosts(server: FarmServer): Promise<readonly Host[]> {
  const rows = await server.query<{ name: string; silent: number; facts: unknown; open: number }>(
    `SELECT name, extract(epoch FROM now() - seen_at)::float8 AS silent, facts,
       (SELECT count(*) FROM job WHERE job.host = host.name
          AND state IN ('waiting', 'active', 'cancelling'))::int AS open
     FROM host ORDER BY name`,
  );
  return rows.map(({ name, silent, facts: told, open }) => ({
    name,
    isLive: silent <= leaseS,
    silentS: Math.round(silent),
    facts: facts.parse(typeof told === 'object' && told !== null ? told : {}),
    open,
  }));
}

/**
 * Finds the hosts of `--on`: a name; `all`; or words that a host must have, such as
 * `linux,firefox,cores>=8,memory>=16` (GB). Without it, and of several with these words, the one
 * with the fewest open jobs.
 * @throws FarmError `unknown-device`, `bad-argument`
 */
export function chooseHosts(hosts: readonly Host[], on: string | undefined): readonly string[] {
  const named = hosts.find(({ name }) => name === on);
  if (named !== undefined) return [named.name];
  const live = hosts.filter(({ isLive }) => isLive);
  if (on === 'all' && live.length > 0) return live.map(({ name }) => name);
  const words = on === undefined || on === 'all' ? [] : on.split(',').map((word) => word.trim());
  const fitting = live.filter((host) => words.every((word) => hasWord(host, word)));
  const [first] = fitting.toSorted((one, other) => one.open - other.open);
  if (first !== undefined) return [first.name];
  if (live.length === 0) {
    throw new FarmError('no-device', {
      what: 'No host of the farm is there.',
      next: `Start a worker on one: crossfarm worker. To let a job wait for a host, name it: --on ${hosts[0]?.name ?? 'rack-1'}`,
    });
  }
  const known = hosts.map(({ name }) => name);
  throw unknownName('unknown-device', { kind: 'host with', seen: on ?? '', known });
}

function hasWord({ name, facts: told }: Host, word: string): boolean {
  const bound = /^(cores|memory)\s*(>=|<=|=)\s*(\d+(?:\.\d+)?)$/.exec(word);
  if (bound === null) {
    const has = [name, told.platform, ...told.devices];
    return has.some((one) => one.toLowerCase() === word.toLowerCase());
  }
  const [, what, sign, limit] = bound;
  const value = what === 'cores' ? told.logicalCores : told.memoryBytes / 2 ** 30;
  // A machine of 16 GB has a little less for programs.
  const rounded = Math.round(value);
  if (sign === '=') return rounded === Number(limit);
  return sign === '>=' ? rounded >= Number(limit) : rounded <= Number(limit);
}

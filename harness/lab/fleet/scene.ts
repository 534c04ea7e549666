import type { JobQueue } from '../../features/fleet/jobs.ts';
import type { FarmServer } from '../../features/fleet/server.ts';
import type { TestPostgres } from '../../testing/postgres.ts';
import type { HostUnderFire } from './host-under-fire.ts';

export interface SceneOrder {
  /** An empty folder for everything. */
  readonly folder: string;
  /** Times for which a network is cut, a server away or a disk full. */
  readonly awayMs: readonly number[];
  readonly say: (sentence: string) => void;
}

/** The farm that faults are injected into. */
export interface FleetScene {
  readonly postgres: TestPostgres;
  /** The campaign's own connection: nothing cuts its network. */
  readonly server: FarmServer;
  readonly queue: JobQueue;
  readonly hosts: HostUnderFire[];
  readonly order: SceneOrder;
  /** Sentences about what must not be. */
  readonly findings: string[];
  /** When the server was back from its last fault; infinite while it is away. */
  serverMendedAt: number;
  /** Faults that need the server just now. */
  serverUsers: number;
  /** How many trials of a host counted when another worker had taken its name. */
  readonly takeovers: { readonly host: string; readonly lease: string; readonly counted: number }[];
}

/** Counts the trials of a host that came under leases before one. */
export async function countBefore(
  { server }: Pick<FleetScene, 'server'>,
  host: string,
  lease: string,
): Promise<number> {
  const [row] = await server.query<{ trials: number }>(
    `SELECT count(*)::int AS trials FROM trial JOIN run ON run.id = trial.run_id
     WHERE run.host = $1 AND trial.lease < $2`,
    [host, lease],
  );
  return row?.trials ?? 0;
}

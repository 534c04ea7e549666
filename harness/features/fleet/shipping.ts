import { setTimeout as pause } from 'node:timers/promises';
import type { CallCommand } from '../../core/cli/io.ts';
import { errorText, FarmError } from '../../core/errors.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import type { Lease } from './hosts.ts';
import type { JobEntry } from './journal.ts';
import type { FarmServer } from './server.ts';
import { readExported, type RunOrigin, storeRun, type StoredCounts } from './store-run.ts';

/** At most a hundredth of the time goes into copies of a run. */
const costShare = 100;
const soonestMs = 1_000;

interface ShipmentsOptions {
  readonly server: FarmServer;
  readonly database: string;
  readonly call: CallCommand;
  readonly say: (sentence: string) => void;
}

/** Runs of a local database that are copied to the server while they go on. */
export class Shipments {
  readonly #options: ShipmentsOptions;
  readonly #runs = new Map<number, Shipment>();
  #next: Promise<void> | null = null;

  constructor(options: ShipmentsOptions) {
    this.#options = options;
  }

  /**
   * Sends the trials of a job that were stored since the last time.
   * @returns false where another worker has the sender's name
   * @throws FarmError `farm-unreachable`, `bad-database`
   */
  async send({ job, runs }: Pick<JobEntry, 'job' | 'runs'>, lease: Lease): Promise<boolean> {
    const { server } = this.#options;
    for (const run of runs) {
      const shipment = this.#runs.get(run) ?? new Shipment(run, this.#options);
      this.#runs.set(run, shipment);
      const { isStale } = await shipment.send(server, { host: lease.host, job, lease });
      if (isStale) return false;
    }
    return true;
  }

  /** Sends between trials, and less often where a copy takes long: it must not disturb what is measured. */
  soon(send: () => Promise<unknown>): void {
    const costMs = Math.max(0, ...[...this.#runs.values()].map((one) => one.costMs));
    this.#next ??= pause(Math.max(soonestMs, costMs * costShare), undefined, { ref: false })
      .then(send)
      .catch((error: unknown) => {
        this.#options.say(`runs are not sent for now: ${errorText(error)}`);
      })
      .then(() => {
        this.#next = null;
      });
  }

  forget(runs: readonly number[]): void {
    for (const run of runs) this.#runs.delete(run);
  }
}

/** One run. */
class Shipment {
  readonly #run: number;
  readonly #options: Pick<ShipmentsOptions, 'database' | 'call'>;
  /** Number of the newest trial that the server has for certain. */
  #since = 0;
  /** Milliseconds that the newest export took. */
  costMs = 0;

  constructor(run: number, options: Pick<ShipmentsOptions, 'database' | 'call'>) {
    this.#run = run;
    this.#options = options;
  }

  async send(server: FarmServer, origin: RunOrigin): Promise<StoredCounts> {
    const { call, database } = this.#options;
    const began = performance.now();
    const document = await exportRun(call, this.#run, database, this.#since);
    this.costMs = performance.now() - began;
    const counts = await storeRun(server, readExported(document), origin);
    this.#since = newestOf(document);
    return counts;
  }
}

/** Exports a stored run, without what may be a secret. @throws FarmError `bad-database` */
export async function exportRun(
  call: CallCommand,
  run: number,
  database: string,
  since = 0,
): Promise<unknown> {
  const where = ['--database', database, '--since', String(since)];
  const { document, text } = await call([
    'db',
    'export',
    String(run),
    '--format',
    'json',
    ...where,
  ]);
  if (document !== null) return document;
  throw new FarmError('bad-database', {
    what: `Run ${String(run)} of ${database} cannot be exported: ${text}`,
    next: `${npxCrossfarm} db lists what is stored.`,
  });
}

function newestOf(document: unknown): number {
  const newest = (document as { readonly newest?: unknown }).newest;
  return typeof newest === 'number' ? newest : 0;
}

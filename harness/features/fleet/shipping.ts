import type { CallCommand } from '../../core/cli/io.ts';
import { FarmError } from '../../core/errors.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import type { FarmServer } from './server.ts';
import { readExported, type RunOrigin, storeRun, type StoredCounts } from './store-run.ts';

/** A run of a local database that is copied to the server while it goes on. */
export class Shipment {
  readonly run: number;
  readonly #database: string;
  readonly #call: CallCommand;
  /** Number of the newest trial that the server has for certain. */
  #since = 0;
  /** Milliseconds that the newest export took. */
  costMs = 0;

  constructor(
    run: number,
    { database, call }: { readonly database: string; readonly call: CallCommand },
  ) {
    this.run = run;
    this.#database = database;
    this.#call = call;
  }

  /** Sends the trials that were stored since the last time. @throws FarmError `farm-unreachable` */
  async send(server: FarmServer, origin: RunOrigin): Promise<StoredCounts> {
    const began = performance.now();
    const document = await exportRun(this.#call, this.run, this.#database, this.#since);
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

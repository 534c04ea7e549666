import type pg from 'pg';
import { FarmError } from '../../core/errors.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { describeServer, readFarmUrl, type FarmUrl } from './farm-url.ts';
import { migrate, type Query, refuseNewer, schemaName } from './schema.ts';

/** Of a server that is away, or behind a network that was cut. */
const connectMs = 5_000;
const answerMs = 30_000;
const idleMs = 15_000;
const farewellMs = 2_000;
/** Of a transaction, where others wanted the same rows. */
const mostTries = 5;

/**
 * One connection to the PostgreSQL server of a farm, which is renewed after it broke. It runs one
 * transaction at a time: all statements of a connection share one.
 */
export class FarmServer {
  readonly #url: FarmUrl;
  readonly #channels = new Map<string, (payload: string) => void>();
  #client: pg.Client | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #schemaIsKnown = false;

  constructor(url: FarmUrl) {
    this.#url = url;
  }

  /** The address without its password. */
  get name(): string {
    return describeServer(this.#url);
  }

  /** @throws FarmError `farm-unreachable`, `newer-database`, and errors of PostgreSQL. */
  query<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#alone((query) => tryAgain(() => query<Row>(sql, values)));
  }

  /**
   * Runs `work` in one transaction: all of it is kept, or nothing. It is run again where another
   * transaction wanted the same rows in another order.
   * @throws as `query`; also where a newer crossfarm has changed the tables since the connection.
   */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#alone((query) =>
      tryAgain(async () => {
        await query('BEGIN');
        try {
          const result = await work(query);
          // Another one may have changed the tables meanwhile, which these statements then waited for.
          await refuseNewer(query, this.name);
          await query('COMMIT');
          return result;
        } catch (error) {
          await query('ROLLBACK').catch(() => undefined);
          throw error;
        }
      }),
    );
  }

  /** Hears a channel, also after the connection was renewed; not while it is lost. */
  async listen(channel: string, hear: (payload: string) => void): Promise<void> {
    this.#channels.set(channel, hear);
    if (this.#client !== null) await this.query(`LISTEN "${channel}"`);
  }

  async close(): Promise<void> {
    await this.#last;
    const client = this.#client;
    this.#client = null;
    // A server that is cut off answers no farewell.
    const timer = setTimeout(() => client?.connection.stream.destroy(), farewellMs);
    await client?.end().catch(() => undefined);
    clearTimeout(timer);
  }

  #alone<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const mine = this.#last.then(async () => work(await this.#connect()));
    this.#last = mine.then(
      () => undefined,
      () => undefined,
    );
    return mine;
  }

  async #connect(): Promise<Query> {
    const client = (this.#client ??= await this.#open());
    const query: Query = async <Row extends object>(
      sql: string,
      values: readonly unknown[] = [],
    ) => {
      try {
        const result = await client.query<Row>(sql, values.length === 0 ? undefined : [...values]);
        // Of several statements at once it is a list of results.
        return Array.isArray(result) ? [] : result.rows;
      } catch (error) {
        throw this.#explain(error);
      }
    };
    if (!this.#schemaIsKnown) {
      await migrate(query, this.name);
      this.#schemaIsKnown = true;
    }
    return query;
  }

  async #open(): Promise<pg.Client> {
    const { Client } = await loadPg();
    const client = new Client({
      ...this.#url.connection,
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
      // A host that was cut off, or stands still, keeps no rows from the others.
      idle_in_transaction_session_timeout: idleMs,
      keepAlive: true,
      application_name: 'crossfarm',
    });
    client.on('error', () => {
      this.#forget(client);
    });
    client.on('notification', ({ channel, payload = '' }) =>
      this.#channels.get(channel)?.(payload),
    );
    try {
      await client.connect();
      await client.query(`SET search_path TO ${schemaName}`);
      for (const channel of this.#channels.keys()) await client.query(`LISTEN "${channel}"`);
      return client;
    } catch (error) {
      // Not awaited: the end of a connection that hangs would hang, too.
      client.end().catch(() => undefined);
      throw this.#explain(error);
    }
  }

  #forget(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    client.end().catch(() => undefined);
  }

  /** An error of the connection becomes `farm-unreachable`; the next statement connects again. */
  #explain(error: unknown): unknown {
    if (error instanceof FarmError || !(error instanceof Error)) return error;
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    const isStatementsFault =
      /^[0-9A-Z]{5}$/.test(code) && !/^(08|28|3D|53|57|58|25P03)/.test(code);
    if (isStatementsFault) return error;
    if (this.#client !== null) this.#forget(this.#client);
    return new FarmError('farm-unreachable', {
      what: `The farm's PostgreSQL server (${this.name}) cannot be used: ${whyNot(code, error)}.`,
      next: remedies[code] ?? 'See that it runs, and that its address is right.',
      // No cause: an error of the library may hold the password.
    });
  }
}

async function tryAgain<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || tries === mostTries) throw error;
    }
  }
}

/** PostgreSQL ended one of several transactions that waited for each other. */
function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^40/.test(String(error.code));
}

/** By PostgreSQL's and the system's codes. */
const remedies: Readonly<Record<string, string>> = {
  '28P01':
    'Correct the password in the address; a special character in it is written as %40 and so on.',
  '28000': 'Give the user the right to connect, in pg_hba.conf.',
  '3D000': 'Make the database: createdb crossfarm',
  ECONNREFUSED: 'Start the server, or correct the address and port.',
};

function whyNot(code: string, error: Error): string {
  const { message } = error;
  if (code === '28P01') return 'the user or the password is wrong';
  if (/certificate|self.signed/i.test(message))
    return `its TLS certificate does not verify (${message})`;
  if (/does not support SSL/.test(message)) {
    return 'it offers no TLS; in a network that you trust add ?sslmode=disable';
  }
  return message === '' ? code : message;
}

/** @throws FarmError `setup-failed` where the optional package is missing. */
async function loadPg(): Promise<typeof pg> {
  try {
    return (await import('pg')).default;
  } catch (error) {
    throw missingPackages(error);
  }
}

export function missingPackages(error: unknown): FarmError {
  return new FarmError('setup-failed', {
    what: 'A farm of many machines needs the packages pg and pg-boss, which are not installed.',
    next: 'npm install pg pg-boss@10',
    cause: error,
  });
}

export const farmVariableName = 'CROSSFARM_FLEET';

/**
 * Opens the farm of an address, or of the environment, for some work, and closes it.
 * @throws FarmError `bad-argument`, those of `query`
 */
export async function withServer<T>(
  given: string | undefined,
  work: (server: FarmServer) => Promise<T>,
): Promise<T> {
  const server = new FarmServer(readFarmUrl(requireAddress(given)));
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

function requireAddress(given: string | undefined): string {
  const text = given ?? process.env[farmVariableName];
  if (text === undefined || text === '') {
    throw new FarmError('bad-argument', {
      what: 'The address of the farm is missing.',
      next: `Add --farm postgres://user@host/crossfarm, or set ${farmVariableName}, which other users of the machine do not see (${npxCrossfarm} worker --help).`,
    });
  }
  return text;
}

import type { ClientConfig } from 'pg';
import { FarmError } from '../../core/errors.ts';

/** The address of a farm's PostgreSQL server. */
export interface FarmUrl {
  readonly connection: Pick<ClientConfig, 'connectionString' | 'ssl'>;
  readonly user: string;
  readonly host: string;
  readonly database: string;
}

/**
 * Reads `postgres://user:password@host:port/database`. A server on another machine is reached by TLS
 * whose certificate verifies, unless the address says `sslmode=disable`.
 * @throws FarmError `bad-argument`, which does not quote the address: it may hold a password
 */
export function readFarmUrl(text: string): FarmUrl {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new FarmError('bad-argument', {
      what: 'The address of the farm is not one of PostgreSQL.',
      next: 'It looks like postgres://user:password@host:5432/crossfarm; a special character in a password is written as %40 and so on.',
    });
  }
  const { username, hostname, port, pathname, searchParams } = url;
  // A folder is that of a Unix socket.
  const at = searchParams.get('host') ?? decodeURIComponent(hostname);
  const isHere =
    at === '' || at.startsWith('/') || /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(at);
  const saysTls = searchParams.has('sslmode') || searchParams.has('ssl');
  return {
    connection: { connectionString: text, ...(!isHere && !saysTls && { ssl: true }) },
    user: decodeURIComponent(username),
    host: port === '' ? at : `${at}:${port}`,
    database: pathname.slice(1),
  };
}

/** Says which server it is, without password and options. */
export function describeServer({ user, host, database }: FarmUrl): string {
  const who = user === '' ? '' : `${user}@`;
  return `${who}${host === '' ? 'localhost' : host}/${database}`.slice(0, 200);
}

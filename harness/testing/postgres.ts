import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import getPort from 'get-port';

/** A PostgreSQL server of a test: its own folder, on loopback alone. */
export interface TestPostgres {
  /** With a password. */
  readonly url: string;
  readonly port: number;
  start(): Promise<void>;
  /** As a crash does; what was committed stays. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

/** Folder of the server's programs; null where PostgreSQL is not installed. */
export function findPostgres(): string | null {
  const above = '/usr/lib/postgresql';
  if (!existsSync(above)) return null;
  const [newest] = readdirSync(above).toSorted((one, other) => Number(other) - Number(one));
  const folder = join(above, newest ?? '', 'bin');
  return existsSync(join(folder, 'initdb')) ? folder : null;
}

export const noPostgres =
  'PostgreSQL is not installed: apt-get install postgresql (no service of it is used)';

export const testPassword = 'p@ss word/%';

/** Starts a server. It refuses to run as root, so a root test runs it as the user that Debian made for it. */
export async function startPostgres(): Promise<TestPostgres> {
  const programs = findPostgres();
  if (programs === null) throw new Error(noPostgres);
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-postgres-'));
  const user = await otherUser();
  if (user !== null) await chown(folder, user.uid, user.gid);
  const passwordFile = `${folder}.password`;
  await writeFile(passwordFile, testPassword, { mode: 0o644 });
  const port = await getPort();
  const data = join(folder, 'data');
  const run = (program: string, args: readonly string[]) =>
    execa(join(programs, program), args, { ...user, cwd: folder, stdio: 'ignore' });
  await run('initdb', [
    '-D',
    data,
    '-U',
    'farm',
    '-A',
    'scram-sha-256',
    '--pwfile',
    passwordFile,
    '-N',
  ]);
  await rm(passwordFile);
  const settings = `-c listen_addresses=127.0.0.1 -c port=${String(port)} -c unix_socket_directories=${folder} -c fsync=off`;
  const start = async (): Promise<void> => {
    await run('pg_ctl', ['-D', data, '-w', '-o', settings, 'start']);
  };
  const stop = async (): Promise<void> => {
    await run('pg_ctl', ['-D', data, '-w', '-m', 'immediate', 'stop']);
  };
  await start();
  return {
    url: `postgres://farm:${encodeURIComponent(testPassword)}@127.0.0.1:${String(port)}/postgres`,
    port,
    start,
    stop,
    remove: async () => {
      await stop().catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function otherUser(): Promise<{ readonly uid: number; readonly gid: number } | null> {
  if (process.getuid?.() !== 0) return null;
  const ids = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await execa('id', [flag, 'postgres'])).stdout)),
  );
  return { uid: ids[0] ?? 0, gid: ids[1] ?? 0 };
}

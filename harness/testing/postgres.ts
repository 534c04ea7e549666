import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import getPort from 'get-port';
import { readProcessTable } from '../core/session/process-table.ts';

/** A PostgreSQL server of a test: its own folder, on loopback alone. */
export interface TestPostgres {
  /** With a password. */
  readonly url: string;
  readonly port: number;
  start(): Promise<void>;
  /** As a crash does; what was committed stays. */
  stop(): Promise<void>;
  /** Pids of the server and of all its processes. */
  listProcesses(): Promise<readonly number[]>;
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

interface PostgresOptions {
  /** With it the server offers TLS. */
  readonly tls?: TestCertificate;
  /** Loopback alone when left out. */
  readonly address?: string;
  /** A network namespace of `ip netns` in which it runs. */
  readonly namespace?: string;
}

interface TestCertificate {
  readonly certificate: string;
  readonly key: string;
  /** The certificate, which is its own authority. */
  readonly file: string;
}

/** Makes a certificate for an address by openssl. */
export async function makeCertificate(folder: string, address: string): Promise<TestCertificate> {
  const [keyFile, file] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const make = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=farm'];
  const names = ['-addext', `subjectAltName=IP:${address}`];
  await execa('openssl', [...make, ...names, '-keyout', keyFile, '-out', file]);
  return {
    certificate: await readFile(file, 'utf8'),
    key: await readFile(keyFile, 'utf8'),
    file,
  };
}

/** Starts a server. It refuses to run as root, so a root test runs it as the user that Debian made for it. */
export async function startPostgres({
  tls,
  address = '127.0.0.1',
  namespace,
}: PostgresOptions = {}): Promise<TestPostgres> {
  const programs = findPostgres();
  if (programs === null) throw new Error(noPostgres);
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-postgres-'));
  const user = await otherUser();
  if (user !== null) await chown(folder, user.uid, user.gid);
  const passwordFile = `${folder}.password`;
  await writeFile(passwordFile, testPassword, { mode: 0o644 });
  const port = await getPort();
  const data = join(folder, 'data');
  const run = async (program: string, args: readonly string[]): Promise<void> => {
    const path = join(programs, program);
    const options = { cwd: folder, stdio: 'ignore' } as const;
    if (namespace === undefined) await execa(path, args, { ...options, ...user });
    else await execa('nsenter', [...enter(namespace, user), path, ...args], options);
  };
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
  if (tls !== undefined) await offerTls(data, tls, user);
  const settings = `${tls === undefined ? '' : '-c ssl=on '}-c listen_addresses=${address} -c port=${String(port)} -c unix_socket_directories=${folder} -c fsync=off`;
  const start = async (): Promise<void> => {
    await run('pg_ctl', ['-D', data, '-w', '-o', settings, 'start']);
  };
  const stop = async (): Promise<void> => {
    await run('pg_ctl', ['-D', data, '-w', '-m', 'immediate', 'stop']);
  };
  await start();
  return {
    url: `postgres://farm:${encodeURIComponent(testPassword)}@${address}:${String(port)}/postgres`,
    port,
    start,
    stop,
    listProcesses: async () => {
      const [first = ''] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n');
      const main = Number(first);
      const children = readProcessTable().filter(({ parent }) => parent === main);
      return [main, ...children.map(({ pid }) => pid)];
    },
    remove: async () => {
      await stop().catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function offerTls(
  data: string,
  { certificate, key }: TestCertificate,
  user: SystemUser | null,
): Promise<void> {
  const texts = { 'server.crt': certificate, 'server.key': key };
  for (const [name, text] of Object.entries(texts)) {
    await writeFile(join(data, name), text, { mode: 0o600 });
    if (user !== null) await chown(join(data, name), user.uid, user.gid);
  }
  await appendFile(join(data, 'pg_hba.conf'), 'hostssl all all all scram-sha-256\n');
}

interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

function enter(namespace: string, user: SystemUser | null): readonly string[] {
  const as = user === null ? [] : ['-S', String(user.uid), '-G', String(user.gid)];
  return [`--net=/run/netns/${namespace}`, ...as, '--'];
}

async function otherUser(): Promise<SystemUser | null> {
  if (process.getuid?.() !== 0) return null;
  const ids = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await execa('id', [flag, 'postgres'])).stdout)),
  );
  return { uid: ids[0] ?? 0, gid: ids[1] ?? 0 };
}

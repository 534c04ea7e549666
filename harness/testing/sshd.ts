import { execa } from 'execa';
import { existsSync } from 'node:fs';
import { appendFile, chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';

const program = '/usr/sbin/sshd';

/** Why no ssh server can be started here; null when one can. */
export function whyNoSshd(): string | null {
  for (const path of [program, '/usr/bin/ssh', '/usr/bin/ssh-keygen']) {
    if (!existsSync(path)) return `${path} is not installed`;
  }
  return null;
}

export interface SshServer {
  /** For `ssh`, with the arguments below. */
  readonly destination: string;
  /** A configuration under which the server is known and a key fits. */
  readonly config: string;
  /** The same, under which the server is not known. */
  readonly strangerConfig: string;
  /** The same, with a key that does not fit. */
  readonly wrongKeyConfig: string;
  close(): Promise<void>;
}

/** A real ssh server on the loopback, with keys of its own, for whoever runs the test. */
export async function startSshd(folder: string): Promise<SshServer> {
  const at = (name: string): string => join(folder, name);
  for (const key of ['host-key', 'key', 'wrong-key']) {
    await execa('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(key)]);
  }
  await copyFile(at('key.pub'), at('authorized-keys'));
  // Where Debian's sshd wants an empty folder of root's.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true });
  const { server, port } = await listen(at);
  const { stdout: key } = await execa('cut', ['-d ', '-f1,2', at('host-key.pub')]);
  await writeFile(at('known'), `[127.0.0.1]:${String(port)} ${key}\n`);
  await writeFile(at('known-none'), '');
  const config = async (name: string, known: string, identity: string): Promise<string> => {
    await writeFile(at(name), clientConfig({ known: at(known), identity: at(identity) }));
    return at(name);
  };
  return {
    destination: `ssh://${userInfo().username}@127.0.0.1:${String(port)}`,
    config: await config('client.conf', 'known', 'key'),
    strangerConfig: await config('stranger.conf', 'known-none', 'key'),
    wrongKeyConfig: await config('wrong.conf', 'known', 'wrong-key'),
    close: async () => {
      server.kill('SIGTERM');
      await server;
    },
  };
}

/**
 * Starts it on a port that was free a moment ago: it takes no 0. Somebody else may have taken that
 * since; then another one is tried.
 */
async function listen(at: (name: string) => string) {
  for (let tries = 1; ; tries += 1) {
    const port = await getPort({ host: '127.0.0.1' });
    await writeFile(at('sshd.conf'), serverConfig(at, port));
    const server = execa(program, ['-D', '-e', '-f', at('sshd.conf')], {
      stdio: ['ignore', 'ignore', 'pipe'],
      reject: false,
      buffer: false,
    });
    const complaint = await waitUntilListening(server.stderr);
    if (complaint === null) return { server, port };
    await server;
    if (tries === 3) throw new Error(`sshd did not start: ${complaint}`);
  }
}

function serverConfig(at: (name: string) => string, port: number): string {
  return [
    `Port ${String(port)}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${at('host-key')}`,
    `AuthorizedKeysFile ${at('authorized-keys')}`,
    `PidFile ${at('sshd.pid')}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    '',
  ].join('\n');
}

function clientConfig({ known, identity }: { known: string; identity: string }): string {
  return [
    `UserKnownHostsFile ${known}`,
    'GlobalKnownHostsFile /dev/null',
    'StrictHostKeyChecking yes',
    `IdentityFile ${identity}`,
    'IdentitiesOnly yes',
    'IdentityAgent none',
    '',
  ].join('\n');
}

/**
 * A folder for the PATH whose `ssh` is the real one under this configuration: as a user's own
 * `~/.ssh/config` would be, which a test must not touch.
 */
export async function sshUnder(config: string, folder: string): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'ssh'), '#!/bin/sh\n');
  await appendFile(join(bin, 'ssh'), `exec /usr/bin/ssh -F ${config} "$@"\n`);
  await chmod(join(bin, 'ssh'), 0o700);
  return bin;
}

/** Null when it listens; what it said when it ended instead. */
function waitUntilListening(words: NodeJS.ReadableStream): Promise<string | null> {
  let said = '';
  return new Promise((resolve) => {
    words.on('data', (piece: Buffer) => {
      said += piece.toString('utf8');
      if (said.includes('Server listening')) resolve(null);
    });
    words.on('end', () => {
      resolve(said);
    });
  });
}

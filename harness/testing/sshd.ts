import { execa } from 'execa';
import { existsSync } from 'node:fs';
import { appendFile, chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';

const program = '/usr/sbin/sshd';

/** Returns why no ssh server can be started here; null if one can. */
export function whyNoSshd(): string | null {
  for (const path of [program, '/usr/bin/ssh', '/usr/bin/ssh-keygen']) {
    if (!existsSync(path)) return `${path} is not installed`;
  }
  return null;
}

export interface SshServer {
  /** The destination for `ssh`. */
  readonly destination: string;
  /** A client configuration with a known server and a valid key. */
  readonly config: string;
  /** The same, with an unknown server. */
  readonly strangerConfig: string;
  /** The same, with a wrong key. */
  readonly wrongKeyConfig: string;
  close(): Promise<void>;
}

/** Starts a real ssh server on the loopback, with new keys, for the current user. */
export async function startSshd(folder: string): Promise<SshServer> {
  const at = (name: string): string => join(folder, name);
  for (const key of ['host-key', 'key', 'wrong-key']) {
    await execa('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(key)]);
  }
  await copyFile(at('key.pub'), at('authorized-keys'));
  // Debian's sshd requires an empty folder owned by root.
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
 * Starts it on a port that was free a moment ago, because it does not accept 0. Tries another one
 * if that is taken.
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
 * Makes a folder for the PATH with an `ssh` that uses this configuration, instead of the user's
 * `~/.ssh/config`.
 */
export async function sshUnder(config: string, folder: string): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'ssh'), '#!/bin/sh\n');
  await appendFile(join(bin, 'ssh'), `exec /usr/bin/ssh -F ${config} "$@"\n`);
  await chmod(join(bin, 'ssh'), 0o700);
  return bin;
}

/** Null when it listens; its output if it ended instead. */
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

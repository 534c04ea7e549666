import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { chmod, chown, open, readdir } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { describeRemedy } from '../system-packages.ts';
import { buildLimits, memoryFolder, watchedBytes } from './confinement-limits.ts';
import { type SessionDirectory, xdgFolders } from './session-directory.ts';

/**
 * A runtime or a native program measures foreign code, as a browser does, but without a browser's
 * sandbox. Bubblewrap gives it a file system with what it needs, read-only, and its session's own
 * folders; no other process; and no network but the page server, which a relay inside reaches by a
 * socket. A root farm also gives it a separate user. Its use of the machine has limits, and it may
 * make no further namespaces, which are the way to most of the kernel's weaknesses.
 */

/** In the environment of a device, with the value "no": its runtime or program runs unconfined. */
export const confinementVariable = 'CROSSFARM_CONFINED';

/** Of the range that systemd leaves to users who exist only while they are needed; it owns no file. */
export const strangerId = 64_321;

/**
 * Parts that every program needs. `/sys/fs/cgroup` has the limits from which runtimes choose their
 * heap.
 */
const systemFolders = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'],
  ...['/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/alternatives'],
  ...['/etc/localtime', '/etc/timezone', '/etc/hosts', '/etc/nsswitch.conf'],
  ...['/etc/ssl/certs', '/etc/ssl/openssl.cnf'],
  ...['/sys/devices/system/cpu', '/sys/fs/cgroup'],
];

export const isRoot = (): boolean => process.getuid?.() === 0;

let known: string | null | undefined;

/** Why what is measured cannot be confined here, with what to do; null when it can. */
export function whyNoConfinement(): string | null {
  known ??= process.platform === 'linux' ? tryBubblewrap() : `it takes Linux's bubblewrap`;
  return known === '' ? null : known;
}

let mayForbid: boolean | undefined;

/**
 * True if this bubblewrap can forbid further user namespaces (from 0.8 on, where users may have
 * one).
 */
export function forbidsNamespaces(): boolean {
  mayForbid ??= whyNoConfinement() === null && tryBubblewrap(true) === '';
  return mayForbid;
}

/** An empty string when it works: a container, or a system's settings, may forbid it. */
function tryBubblewrap(forbidding = false): string {
  try {
    const command = [...bubblewrap(forbidding), ...binds('--ro-bind', systemFolders)];
    execFileSync(command[0] ?? '', [...command.slice(1), ...asStranger(forbidding), 'true'], {
      stdio: 'pipe',
      timeout: 5_000,
    });
    return '';
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: Buffer };
    if (code === 'ENOENT') return `bubblewrap is not installed (${describeRemedy('bubblewrap')})`;
    const said = String(stderr ?? error).trim();
    return `bubblewrap does not work here (${said.slice(0, 200)})`;
  }
}

const isolation = [
  ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...['--die-with-parent', '--new-session'],
  ...['--proc', '/proc', '--dev', '/dev'],
  ...['/tmp', '/dev/shm'].flatMap(memoryFolder),
];

/** A namespace of users in which there can be no other one. */
const lastNamespace = ['--unshare-user', '--disable-userns'];

function bubblewrap(forbidding: boolean): readonly string[] {
  return ['bwrap', ...isolation, ...(forbidding && !isRoot() ? lastNamespace : [])];
}

/**
 * The end of bubblewrap's own arguments, and the change of the user where it can be changed. That needs
 * root's own namespace of users, so a second bubblewrap forbids others, as the stranger.
 */
function asStranger(forbidding: boolean): readonly string[] {
  if (!isRoot()) return ['--'];
  const id = String(strangerId);
  return [
    ...['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--'],
    ...['setpriv', '--reuid', id, '--regid', id, '--clear-groups', '--no-new-privs', '--'],
    ...(forbidding ? ['bwrap', ...lastNamespace, '--dev-bind', '/', '/', '--'] : []),
  ];
}

/** Each path where it is outside, in folders that the stranger, too, may walk through. */
function binds(how: string, wanted: readonly string[]): readonly string[] {
  const paths = wanted.filter((path) => existsSync(path));
  const above = [...new Set(paths.flatMap(foldersAbove))].sort();
  return [
    ...above.flatMap((folder) => ['--perms', '0755', '--dir', folder]),
    ...paths.flatMap((path) => [how, path, path]),
  ];
}

function foldersAbove(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path || parent === '/' ? [] : [...foldersAbove(parent), parent];
}

export interface Confinement {
  /** Stands in front of the command. */
  readonly command: readonly string[];
  /** Names the page server by an address of it: nothing else can be reached. */
  reach(url: string): void;
  close(): Promise<void>;
}

interface ConfinedFacts {
  readonly place: SessionDirectory;
  /** Product of the runtime or program. */
  readonly browser: string;
  /** The runtime or program, and what starts it. */
  readonly executables: readonly string[];
  /** A file of the kit, in the folder of pages from which modules are loaded. */
  readonly script: string;
  /** Memory that all its processes may have, as far as it is watched; its product's own when left out. */
  readonly watched?: number;
}

/** Makes the session's folders the stranger's, and opens its only way out. */
export async function confine({
  place,
  browser,
  executables,
  script,
  watched = watchedBytes(browser),
}: ConfinedFacts): Promise<Confinement> {
  const own = [place.profile, place.temporary, ...Object.values(xdgFolders(place))];
  if (isRoot()) for (const folder of own) await giveAway(folder);
  const relay = await openRelay(place.temporary);
  const forbidding = forbidsNamespaces();
  const command = [
    ...bubblewrap(forbidding),
    ...binds('--ro-bind', [
      ...systemFolders,
      ...[process.execPath, ...executables].flatMap(withTarget),
      ...modulesAround(dirname(dirname(script))),
    ]),
    ...binds('--bind', own),
    ...['--chdir', place.temporary],
    ...asStranger(forbidding),
    ...buildLimits(browser),
    ...[process.execPath, '-e', relayProgram, socketName, String(watched)],
  ];
  return { command, ...relay };
}

async function giveAway(folder: string): Promise<void> {
  await chown(folder, strangerId, strangerId);
  for (const name of await readdir(folder)) await chown(join(folder, name), strangerId, strangerId);
}

/** The file, and its folder if it may have it: other files there may be a user's home. */
function withTarget(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const own = `${path}.files`;
  return [path, realpathSync(path), ...(existsSync(own) ? [own] : [])];
}

/** The pages, and the packages that their modules find by walking up. */
function modulesAround(pages: string): readonly string[] {
  const around = [pages];
  for (let folder = pages; dirname(folder) !== folder; folder = dirname(folder)) {
    const parent = dirname(folder);
    around.push(join(parent, 'node_modules'), join(parent, 'package.json'));
  }
  return around;
}

/** Relative to the working directory of the relay inside. */
const socketName = 'farm.sock';

/**
 * The farm's end: passes the socket's data to the page server. The address of a socket has at most
 * 107 bytes, and a temporary folder may be longer; by its descriptor it is short.
 */
async function openRelay(folder: string): Promise<Pick<Confinement, 'reach' | 'close'>> {
  let target: { host: string; port: number } | null = null;
  const sockets = new Set<Socket>();
  const server: Server = createServer((inside) => {
    if (target === null) {
      inside.destroy();
      return;
    }
    const outside = connect(target);
    for (const one of [inside, outside]) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => undefined);
      // Either end takes the other with it.
      one.on('close', () => {
        sockets.delete(one);
        inside.destroy();
        outside.destroy();
      });
    }
    inside.pipe(outside).pipe(inside);
  });
  server.maxConnections = 64;
  const directory = await open(folder);
  const close = async (): Promise<void> => {
    await new Promise<unknown>((resolve) => {
      server.close(resolve);
      for (const one of sockets) one.destroy();
    });
    await directory.close();
  };
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(`/proc/self/fd/${String(directory.fd)}/${socketName}`, resolve);
    });
    if (isRoot()) await chmod(join(folder, socketName), 0o666);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    reach: (url) => {
      const { hostname, port } = new URL(url);
      target = { host: hostname, port: Number(port) };
    },
    close,
  };
}

/**
 * The other end, inside: it listens where the page server does outside, and starts the rest of the
 * command line. Here as text, because no file of the farm but the pages is to be seen there.
 */
const relayProgram = `
process.title = 'crossfarm-relay'; // Not to be taken for the runtime that is measured.
const { spawn } = require('node:child_process');
const { readdirSync, readFileSync } = require('node:fs');
const { connect, createServer } = require('node:net');
const [socket, mostBytes, path, ...args] = process.argv.slice(1);
const { hostname, port } = new URL(args.find((one) => /^https?:/.test(one)));
const relay = createServer((inside) => {
  const outside = connect(socket);
  for (const one of [inside, outside]) one.on('error', () => { inside.destroy(); outside.destroy(); });
  inside.setNoDelay(true);
  inside.pipe(outside).pipe(inside);
});
function usedBytes() { // Of all processes that there are here: they are the session's.
  const used = readdirSync('/proc').map((pid) => {
    try { return Number(/VmRSS:\\s*(\\d+)/.exec(readFileSync('/proc/' + pid + '/status', 'utf8'))?.[1] ?? 0); }
    catch { return 0; }
  });
  return 1024 * used.reduce((sum, one) => sum + one, 0);
}
relay.listen(Number(port), hostname, () => {
  const child = spawn(path, args, { stdio: 'inherit' });
  if (Number(mostBytes) > 0) setInterval(() => {
    if (usedBytes() <= Number(mostBytes)) return;
    process.stderr.write('it took more memory than it may: ' + mostBytes + ' bytes\\n');
    child.kill('SIGKILL');
  }, 250);
  child.on('error', (error) => { process.stderr.write(String(error)); process.exit(127); });
  child.on('exit', (code, signal) => { if (signal) process.kill(process.pid, signal); else process.exit(code); });
});
`;

import { execFileSync } from 'node:child_process';
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isElsewhere, type Presence, type Target } from '../model/device.ts';
import { findFamily } from '../model/family.ts';
import { confinementVariable, isRoot, strangerId } from './confinement.ts';
import { quoted } from './pinning.ts';
import { type SessionDirectory, xdgFolders } from './session-directory.ts';

/**
 * Chromium's sandbox refuses to work for root. So a root farm starts Chromium as a user who owns
 * nothing but the session's folders, and the sandbox works as on a desktop.
 */

function asStranger(): readonly string[] {
  const groups = groupsOfGraphics().join(',');
  return [
    ...['setpriv', '--reuid', String(strangerId), '--regid', String(strangerId)],
    ...(groups === '' ? ['--clear-groups'] : ['--groups', groups]),
    ...['--no-new-privs', '--'],
  ];
}

/** Without them Chromium would draw without the graphics card that it has under any other farm. */
function groupsOfGraphics(): readonly number[] {
  try {
    const gids = readdirSync('/dev/dri').map((name) => statSync(join('/dev/dri', name)).gid);
    return [...new Set(gids)].filter((gid) => gid !== 0);
  } catch {
    return [];
  }
}

const ownMounts = ['unshare', '--mount', '--propagation', 'private', '--'];

const isRootOnLinux = (): boolean => process.platform === 'linux' && isRoot();

let known: string | undefined;

/** Why no Chromium can keep its sandbox on this machine; null when it can. */
export function whyNoSandbox(): string | null {
  if (!isRootOnLinux()) return null;
  known ??= tryNamespaces();
  return known === '' ? null : known;
}

/** An empty string when it works: containers, and some systems, forbid one or the other. */
function tryNamespaces(): string {
  try {
    const [program = '', ...args] = [...ownMounts, ...asStranger(), 'unshare', '--user', 'true'];
    execFileSync(program, args, { stdio: 'pipe', timeout: 5_000 });
    return '';
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: Buffer };
    if (code === 'ENOENT') return 'unshare and setpriv are not installed (util-linux)';
    const said = String(stderr ?? error).trim();
    return `another user cannot have namespaces here (${said.slice(0, 200)})`;
  }
}

interface ChromiumsUser {
  /** The target's own, or a script that starts it as another user. */
  readonly executable: string;
  /** True if Chromium's own sandbox works with it. */
  readonly sandbox: boolean;
}

/**
 * How a target's Chromium is started so that it keeps its sandbox. Under a root farm by a script, as
 * for pinning: every driver takes an executable, and its process keeps its pid (exec).
 */
export async function chromiumsUser(
  target: Target,
  place: SessionDirectory,
): Promise<ChromiumsUser> {
  const { executable } = target;
  if (!isRootOnLinux()) return { executable, sandbox: true };
  const open = isChromiumHere(target) ? executableForOthers(target) : null;
  if (open === null) return { executable, sandbox: false };
  return { executable: await ordinaryUsersScript(open, place), sandbox: true };
}

/**
 * True if a device is a Chromium of this machine that has to run as root, and so without its
 * sandbox.
 */
export function isChromiumAsRoot(presence: Presence): boolean {
  if (presence.status === 'missing' || !isRootOnLinux()) return false;
  return isChromiumHere(presence.target) && executableForOthers(presence.target) === null;
}

function isChromiumHere({ device, executable }: Target): boolean {
  const isHere = !isElsewhere(device) && executable !== '';
  return isHere && findFamily(device.browser) === 'chromium-based';
}

/**
 * The real path of what another user is to start. Null where namespaces are forbidden, where others may
 * not run it, where it shows itself on root's desktop, and where the owner does not want it.
 */
function executableForOthers({ device, executable }: Target): string | null {
  const { environment, headless } = device;
  const isWanted = environment[confinementVariable] !== 'no' && (headless || !isOnDesktop());
  if (!isWanted || whyNoSandbox() !== null) return null;
  try {
    const real = realpathSync(executable);
    return isOpenTo(real, 0o005) && isOpenTo(dirname(real), 0o001) ? real : null;
  } catch {
    // It is not there any more: the driver says so, in its own words.
    return null;
  }
}

/** A display that admits no other user. */
function isOnDesktop(): boolean {
  return ['DISPLAY', 'WAYLAND_DISPLAY'].some((name) => (process.env[name] ?? '') !== '');
}

/**
 * The user sees the session's folders and those of the executable even where they lie in a closed
 * home.
 */
async function ordinaryUsersScript(executable: string, place: SessionDirectory): Promise<string> {
  await chmod(place.path, 0o711);
  const owned = [place.profile, place.temporary, ...Object.values(xdgFolders(place))];
  const path = join(place.path, 'ordinary-user.sh');
  const user = `${String(strangerId)}:${String(strangerId)}`;
  const inside = [
    ...makeReachable([dirname(executable), place.path, place.temporary]),
    `exec ${asStranger().join(' ')} ${quoted(executable)} "$@"`,
  ];
  const lines = [
    '#!/bin/sh',
    'set -e',
    // At each start: drivers put their own files into the profile.
    `chown -hR ${user} ${owned.map(quoted).join(' ')}`,
    `exec ${ownMounts.join(' ')} /bin/sh -c ${quoted(inside.join('\n'))} sh "$@"`,
  ];
  await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o700 });
  return path;
}

/**
 * Commands that show folders to everybody that lie below closed ones, for this process alone: an
 * empty folder covers the closed one, and what is needed is bound into it, by a descriptor that was
 * opened before.
 */
function makeReachable(paths: readonly string[]): readonly string[] {
  const hidden = paths.flatMap((path) => {
    const closed = foldersAbove(path).find((folder) => !isOpenTo(folder, 0o001));
    return closed === undefined ? [] : [{ path, closed }];
  });
  // A shell's descriptors have one digit, and Playwright speaks with Chromium by 3 and 4.
  const numbered = hidden.map((one, index) => ({ ...one, fd: String(index + 7) }));
  return [
    'set -e',
    'umask 022',
    ...numbered.map(({ path, fd }) => `exec ${fd}<${quoted(path)}`),
    ...[...new Set(hidden.map(({ closed }) => closed))].map(
      (folder) => `mount -t tmpfs -o mode=0755,size=1m crossfarm ${quoted(folder)}`,
    ),
    ...numbered.flatMap(({ path, fd }) => [
      `mkdir -p ${quoted(path)}`,
      `mount --no-canonicalize --bind /proc/self/fd/${fd} ${quoted(path)}`,
    ]),
    ...numbered.map(({ fd }) => `exec ${fd}<&-`),
  ];
}

/** From the root down, without the path itself. */
function foldersAbove(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...foldersAbove(parent), parent];
}

/** True if everybody has these rights to the path. */
function isOpenTo(path: string, rights: number): boolean {
  return (statSync(path).mode & rights) === rights;
}

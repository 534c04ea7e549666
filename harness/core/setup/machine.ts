import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import type { Machine } from '../model/run.ts';
import { filesOfSystem } from '../other-systems.ts';
import { parsePidStat } from '../procfs.ts';
import type { SystemFiles } from '../system-files.ts';

/**
 * The facts of this machine that a result must be read with.
 * @param asRoot whether Chromium runs as root: a root farm starts it as another user where it can
 */
export function describeMachine(asRoot = process.getuid?.() === 0): Machine {
  const cpus = os.cpus();
  return {
    hostname: os.hostname(),
    platform: process.platform,
    release: os.release(),
    system: systemName(),
    architecture: process.arch,
    cpuModel: cpus[0]?.model.trim() ?? 'unknown',
    logicalCores: cpus.length,
    memoryBytes: os.totalmem(),
    virtualization: virtualization(),
    nodeVersion: process.version,
    asRoot,
  };
}

/** As its owner knows it: `macOS 14.5`, `Windows 11 Pro 10.0.22631`, `Debian GNU/Linux 12 (bookworm)`. */
function systemName(): string {
  switch (process.platform) {
    case 'darwin': {
      const version = readIfThere('/System/Library/CoreServices/SystemVersion.plist') ?? '';
      return parseMacVersion(version) ?? `${os.type()} ${os.release()}`;
    }
    case 'win32':
      return `${os.version()} ${os.release()}`;
    default: {
      const release = readIfThere('/etc/os-release') ?? '';
      const name = /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(release)?.[1];
      return name ?? `${os.type()} ${os.release()}`;
    }
  }
}

/** Reads the name and version of a Mac's system from its property list; null for another text. */
export function parseMacVersion(plist: string): string | null {
  const find = (key: string): string | undefined =>
    new RegExp(`<key>${key}</key>\\s*<string>([^<]{1,40})</string>`).exec(plist)?.[1];
  const [name = 'macOS', version] = [find('ProductName'), find('ProductVersion')];
  return version === undefined ? null : `${name} ${version}`;
}

/** A virtual machine's clock and cores belong to a host that the farm cannot see, so results name it. */
function virtualization(): string | null {
  if (existsSync('/.dockerenv')) return 'docker container';
  const product = readIfThere('/sys/class/dmi/id/product_name')?.trim();
  const hypervisor = /^flags.*\bhypervisor\b/m.test(readIfThere('/proc/cpuinfo') ?? '');
  return hypervisor ? `virtual machine${product ? ` (${product})` : ''}` : null;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** As Linux cuts them, at 15 characters, and as macOS names the programs. */
const browserNames: ReadonlySet<string> = new Set([
  'chrome',
  'chromium',
  'msedge',
  'firefox',
  'firefox-esr',
  'MiniBrowser',
  'WebKitWebProces',
  'epiphany',
  'falkon',
  'opera',
  'brave',
  ...['Safari', 'Google Chrome', 'Chromium', 'Microsoft Edge'],
  ...['Arc', 'Brave Browser', 'Opera', 'Vivaldi'],
]);

/** Names of browsers that run now, each once; null where this system does not let us look. */
export function otherBrowsers(files: SystemFiles = filesOfSystem()): readonly string[] | null {
  const pids = files.list('/proc').filter((entry) => /^\d+$/.test(entry));
  if (pids.length === 0) return null;
  const names = pids.map((pid) => parsePidStat(files.read(`/proc/${pid}/stat`) ?? '')?.name ?? '');
  return [...new Set(names)].filter((name) => browserNames.has(name));
}

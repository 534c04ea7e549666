import { existsSync, readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import type { Machine } from '../model/run.ts';

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

function systemName(): string {
  const release = readIfThere('/etc/os-release');
  return /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(release ?? '')?.[1] ?? `${os.type()} ${os.release()}`;
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

/** As the kernel cuts them, at 15 characters. */
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
]);

/** Names of browsers that run now, each once; null where this system does not let us look. */
export function otherBrowsers(
  platform: NodeJS.Platform = process.platform,
): readonly string[] | null {
  if (platform !== 'linux') return null;
  const names = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(nameOf)
    .filter((name) => name !== null && browserNames.has(name));
  return [...new Set(names)].filter((name) => name !== null);
}

function nameOf(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    // It ended between the listing and the look.
    return null;
  }
}

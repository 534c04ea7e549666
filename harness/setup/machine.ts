import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import type { Machine } from '../model/run.ts';

/** The facts of this machine that a result must be read with. */
export function describeMachine(): Machine {
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
    asRoot: process.getuid?.() === 0,
  };
}

function systemName(): string {
  const release = readIfThere('/etc/os-release');
  return /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(release ?? '')?.[1] ?? `${os.type()} ${os.release()}`;
}

/** A virtual machine's clock and cores belong to a host that the farm cannot see, so it must be told. */
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

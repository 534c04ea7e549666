/**
 * /proc/meminfo: how the machine's memory is used.
 * Kernel: Documentation/filesystems/proc.rst, section "meminfo". What the file calls kB is 1024 bytes.
 */

export interface MemoryInfo {
  readonly totalBytes: number | null;
  /** MemAvailable: what new programs can have without swapping; MemFree would leave out caches. */
  readonly availableBytes: number | null;
}

export function parseMeminfo(text: string): MemoryInfo {
  return { totalBytes: bytesOf(text, 'MemTotal'), availableBytes: bytesOf(text, 'MemAvailable') };
}

function bytesOf(text: string, name: string): number | null {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text);
  return match === null ? null : Number(match[1]) * 1024;
}

/**
 * /proc/uptime: seconds since boot, with two decimals.
 * Kernel: Documentation/filesystems/proc.rst, table 1-5; proc_uptime(5). It is on the same clock as
 * the start time of a process (field 22 of its stat).
 */

/** Null when the text is not of the kernel's form. */
export function parseUptime(text: string): number | null {
  const match = /^(\d+\.\d+) /.exec(text);
  return match === null ? null : Number(match[1]);
}

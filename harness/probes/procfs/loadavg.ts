/**
 * /proc/loadavg: mean number of tasks that ran, wanted to run or waited for the disk.
 * Kernel: Documentation/filesystems/proc.rst, table 1-5 "Kernel info in /proc"; proc_loadavg(5).
 */

export interface LoadAverage {
  readonly load1: number;
  readonly load5: number;
  readonly load15: number;
}

/** Null when the text is not of the kernel's form: the load is then unknown, not zero. */
export function parseLoadavg(text: string): LoadAverage | null {
  const match = /^([\d.]+) ([\d.]+) ([\d.]+) /.exec(text);
  if (match === null) return null;
  return { load1: Number(match[1]), load5: Number(match[2]), load15: Number(match[3]) };
}

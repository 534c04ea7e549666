/**
 * /proc/<pid>/task/<tid>/schedstat: exact run time of one thread.
 * Kernel: Documentation/scheduler/sched-stats.rst, section "/proc/<pid>/schedstat": time spent on
 * the cpu (in nanoseconds), time spent waiting on a runqueue (in nanoseconds), number of
 * timeslices. The process's own file counts its first thread only.
 */

export interface SchedStat {
  /** Below 2^53 for 104 days on CPU, so a number holds it exactly. */
  readonly onCpuNs: number;
  readonly waitingNs: number;
}

/** Parses one line; throws when the text is not of the kernel's form. */
export function parseSchedstat(text: string): SchedStat {
  const match = /^(\d+) (\d+) \d+\s*$/.exec(text);
  if (match === null) {
    throw new Error(`Not a line of schedstat: ${JSON.stringify(text.slice(0, 80))}`);
  }
  return { onCpuNs: Number(match[1]), waitingNs: Number(match[2]) };
}

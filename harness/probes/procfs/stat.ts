/**
 * /proc/stat: time of every core since boot.
 * Kernel: Documentation/filesystems/proc.rst, section 1.7 "Miscellaneous kernel statistics in
 * /proc/stat"; the unit is USER_HZ (see `clock-ticks.ts`).
 */

/** Cumulative ticks of one core. */
export interface CoreTicks {
  readonly core: number;
  /** user + nice + system + irq + softirq. Guest time is already inside user and nice. */
  readonly busy: number;
  /** idle + iowait: a core that waits for the disk is free for others. */
  readonly idle: number;
  /** Time that the hypervisor gave to somebody else. */
  readonly steal: number;
}

const corePattern = /^cpu(\d+) (.*)\n/gm;

/**
 * Reads the lines of single cores; offline cores have none. A last line without its newline is
 * left out, because the sampler reads only as many bytes as the cores need.
 */
export function parseStat(text: string): readonly CoreTicks[] {
  return Array.from(text.matchAll(corePattern), ([, core, fields]) => {
    const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] =
      (fields ?? '').split(' ').map(Number);
    return {
      core: Number(core),
      busy: user + nice + system + irq + softirq,
      idle: idle + iowait,
      steal,
    };
  });
}

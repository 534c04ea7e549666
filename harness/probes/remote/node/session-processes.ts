import type { PidStat } from '../../procfs/pid-stat.ts';

/**
 * Programs of which a session consists, by the names that the kernel shows (cut at 15 characters):
 * the browsers' own and their driver servers'.
 */
const programs =
  /^(chrom(e|ium)|chromedriver|google-chrome|msedge|firefox|GeckoMain|geckodriver|MiniBrowser|WebKit|WPE)/;

/**
 * The processes of the only session on a machine elsewhere. Its browser carries no mark of ours, as
 * somebody else started it; but trials are serial on each machine, so what began since the session
 * was asked for and is a browser or its driver server belongs to it, with all below it.
 */
export function sessionProcesses(
  processes: readonly PidStat[],
  /** In ticks after boot of that machine. */
  bornAfter: number,
): readonly number[] {
  const born = processes.filter(({ startTick }) => startTick >= bornAfter);
  const known = new Set(born.filter(({ name }) => programs.test(name)).map(({ pid }) => pid));
  for (let before = -1; before !== known.size;) {
    before = known.size;
    for (const { pid, ppid } of born) if (known.has(ppid)) known.add(pid);
  }
  return [...known];
}

/**
 * per_cpu/cpu<n>/stats of tracefs: what the ring buffer of one core holds and has lost.
 * Kernel: Documentation/trace/ftrace.rst, "per_cpu/cpu0/stats".
 */

/** Events of this core that were lost, for whatever reason the kernel gives. */
export function parseLostEvents(text: string): number {
  const losses = text.matchAll(/^(overrun|commit overrun|dropped events): (\d+)$/gm);
  return Array.from(losses, ([, , count]) => Number(count)).reduce((sum, count) => sum + count, 0);
}

/**
 * /proc/cpuinfo, line "cpu MHz": the current frequency of each core, on x86 only.
 * Kernel: Documentation/filesystems/proc.rst, table 1-5; arch/x86/kernel/cpu/proc.c.
 */

/** Mean frequency of all cores in MHz; null where the kernel does not print it (ARM). */
export function parseFrequencyMhz(text: string): number | null {
  const values = Array.from(text.matchAll(/^cpu MHz\s*:\s*([\d.]+)$/gm), (line) => Number(line[1]));
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

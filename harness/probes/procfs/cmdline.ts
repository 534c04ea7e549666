/**
 * /proc/<pid>/cmdline: the arguments of a process, each ended by a NUL.
 * Kernel: Documentation/filesystems/proc.rst, table 1-1; proc_pid_cmdline(5), which also says that
 * a process may overwrite it: Chromium's and Firefox's forked children write their whole command
 * line into the first argument, separated by spaces (seen in Chromium 156 and Firefox 153).
 */

/** The arguments as the file holds them; none for kernel threads and for processes that have ended. */
export function parseCmdline(text: string): readonly string[] {
  if (text === '') return [];
  return text.replace(/\0$/, '').split('\0');
}

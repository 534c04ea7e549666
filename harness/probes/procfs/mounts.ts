/**
 * /proc/self/mounts: one mounted file system a line, in the form of fstab(5): device, mount point,
 * type, options. Kernel: Documentation/filesystems/proc.rst, section 1.1 ("mounts").
 */

/** Mount points of one type of file system, in the file's order. */
export function parseMountPoints(text: string, type: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const [, point, of] = line.split(' ');
    return point !== undefined && of === type ? [unescapeOctal(point)] : [];
  });
}

/** The kernel writes spaces, tabs, line breaks and backslashes as `\040` and the like. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

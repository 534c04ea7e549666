import { BundleRefusal } from './format.ts';

const longestPath = 200;

/** Letters, digits, "_", "-" and ".", which may not come first or last. */
const segment = /^[A-Za-z0-9_-](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$/;

/** Names that Windows gives to devices, in every folder and with every ending. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Whether a path is relative, stays below its folder, and means the same on every system. */
export function isSafePath(path: string): boolean {
  const segments = path.split('/');
  return (
    path.length <= longestPath &&
    segments.every((one) => segment.test(one) && !deviceName.test(one))
  );
}

/**
 * A list of what is allowed, not of what is dangerous: absolute paths, `..`, backslashes, drive
 * letters, control characters and look-alikes of "/" are all no segments.
 * @throws BundleRefusal
 */
export function requireSafePath(path: string): void {
  if (isSafePath(path)) return;
  const shown = JSON.stringify(path.length > 80 ? `${path.slice(0, 79)}…` : path);
  throw new BundleRefusal(
    `its entry ${shown} is not a plain relative path (letters, digits, ".", "_", "-" and "/")`,
  );
}

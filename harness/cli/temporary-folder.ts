import { accessSync, constants, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute } from 'node:path';
import { errorText, FarmError } from '../errors.ts';

/** @throws FarmError `bad-argument` where TMPDIR leads to no folder that can be used */
export function requireTemporaryFolder(): void {
  const folder = tmpdir();
  const why = whyUnusable(folder);
  if (why === null) return;
  throw new FarmError('bad-argument', {
    what: `The folder for temporary files, ${folder}, cannot be used: ${why}.`,
    next: 'Set TMPDIR to a folder that is there and that you may write to, such as /tmp, or unset it.',
  });
}

function whyUnusable(folder: string): string | null {
  // It would be another one for each program that runs in another folder.
  if (!isAbsolute(folder)) return 'it is named by a part of its path, and not by the whole';
  try {
    if (!statSync(folder).isDirectory()) return 'it is a file';
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return errorText(error);
  }
}

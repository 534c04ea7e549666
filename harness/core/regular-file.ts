import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Why a file is not read: half a sentence, which the caller completes with the file's name. */
class UnfitFile extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'UnfitFile';
  }
}

/** Says why a file could not be read, in the words of `UnfitFile`. */
export function whyUnread(error: unknown): string {
  if (error instanceof UnfitFile) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'it does not exist' : `it cannot be read (${message})`;
}

/**
 * Opens a file to read, and nothing else: a pipe without a writer would be waited for without end, and not
 * even an exit ends that wait, since Node.js waits for its threads; a device may have no end.
 * @throws UnfitFile, or Error of the file system.
 */
export async function openRegularFile(path: string): Promise<FileHandle> {
  // Without waiting for a writer; for a regular file it means nothing. Windows has no such flag.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!(await file.stat()).isFile()) throw new UnfitFile('it is not a file');
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Reads an open file whole, if it is small enough; one that grows meanwhile is cut off.
 * @throws UnfitFile, or Error of the file system.
 */
export async function readBounded(file: FileHandle, mostBytes: number): Promise<Buffer> {
  const { size } = await file.stat();
  if (size > mostBytes) {
    throw new UnfitFile(`it has ${String(size)} bytes, and ${String(mostBytes)} are read at most`);
  }
  const bytes = Buffer.alloc(size);
  let at = 0;
  while (at < size) {
    const { bytesRead } = await file.read(bytes, at, size - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

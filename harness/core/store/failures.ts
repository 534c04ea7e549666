import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { FarmError } from '../errors.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

/** A refusal of SQLite: node-sqlite3 puts the name of the result code on the error. */
function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}

/**
 * Turns SQLite's failures into the farm's own: what happened to which file, and what to do. A refused
 * constraint is not among them: no user's action leads there, so it stays a bug.
 */
export function explain(error: unknown, path: string): unknown {
  switch (codeOf(error)) {
    case 'SQLITE_NOTADB':
    case 'SQLITE_CORRUPT':
      return badDatabase(path, error);
    case 'SQLITE_FULL':
      return diskFull(path, error);
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
      return new FarmError('cannot-write', {
        what: `Another process has been writing to ${path} for too long.`,
        next: 'Wait until the other farm has ended, or use another database.',
        cause: error,
      });
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
    case 'SQLITE_PERM':
    case 'SQLITE_IOERR':
      return hasNoRoom(path) ? diskFull(path, error) : cannotWrite(path, error);
    default:
      return error;
  }
}

function diskFull(path: string, cause: unknown): FarmError {
  return new FarmError('disk-full', {
    what: `The disk is full: cannot write to ${path}. Stored data is kept; a trial in flight is not stored.`,
    next: `Make room on that disk, and try again; ${npxCrossfarm} continue continues a run.`,
    cause,
  });
}

/** SQLite needs some pages besides the file, and calls their lack an error of the disk. */
const leastBytes = 128 * 1024;

function hasNoRoom(path: string): boolean {
  try {
    const { blocks, bavail, bsize } = statfsSync(dirname(path));
    // A file system of the kernel's own, such as /proc, has no blocks at all.
    return blocks > 0 && bavail * bsize < leastBytes;
  } catch {
    // A folder that is not there has another trouble.
    return false;
  }
}

export function cannotWrite(path: string, cause: unknown): FarmError {
  const seen = cause instanceof Error ? ` (${cause.message})` : '';
  return new FarmError('cannot-write', {
    what: `The database ${path} cannot be written${seen}.`,
    next: 'Give a path in a folder that you may write to.',
    cause,
  });
}

export function badDatabase(path: string, cause?: unknown): FarmError {
  const seen = cause instanceof Error ? ` (${printable(cause.message)})` : '';
  return new FarmError('bad-database', {
    what: `${path} is not a database of crossfarm, or it is damaged${seen}.`,
    next: `Give another path, or ask its sender for a whole one. If it is your own farm’s, move it away, and put a backup in its place or start anew; ${npxCrossfarm} db import takes over the runs that can still be read.`,
    cause,
  });
}

/** SQLite quotes names of a stranger's schema, which may hold what moves a terminal's cursor. */
function printable(message: string): string {
  return message.slice(0, 500).replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?');
}

export function newerDatabase(path: string, versions: { found: number; known: number }): FarmError {
  return new FarmError('newer-database', {
    what: `${path} was written by a newer crossfarm: its schema is version ${String(versions.found)}, and this one knows up to ${String(versions.known)}.`,
    next: 'Update crossfarm, or use another database.',
  });
}

/** Schemas before that of 1.0 were never released, and their steps are gone. */
export function olderDatabase(
  path: string,
  versions: { found: number; oldest: number },
): FarmError {
  return new FarmError('older-database', {
    what: `${path} was written by an older crossfarm: its schema is version ${String(versions.found)}, and this one knows it from version ${String(versions.oldest)} on.`,
    next: 'Use another database, or export its runs as JSON with the crossfarm that wrote it, and import them here.',
  });
}

/** True if it failed only because another process was writing: the same may work a moment later. */
export function wasLocked(error: unknown): boolean {
  const code = error instanceof FarmError ? codeOf(error.cause) : null;
  return code === 'SQLITE_BUSY' || code === 'SQLITE_LOCKED';
}

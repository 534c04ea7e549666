import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FarmError } from '../../core/errors.ts';
import { requireOwnLinks } from '../../core/own-path.ts';
import { openRegularFile, readBounded, UnfitFile } from '../../core/regular-file.ts';
import { makeFolder } from '../../core/farm-folder.ts';
import { backUp } from '../../core/store/database-file.ts';
import { cannotWrite } from '../../core/store/failures.ts';
import { type ForeignStore, openForeignStore } from '../../core/store/foreign.ts';
import { packRun } from './exchange/pack.ts';
import { Refusal } from './bundle/format.ts';
import { badImport, type ForeignRun, parseRunDocument, readRunDocument } from './exchange/read.ts';
import { withStore } from '../../core/app/records.ts';
import { withTemporaryFolder } from '../../core/app/temporary-folder.ts';

/** The runs that one file brought. */
export interface ImportedFile {
  readonly file: string;
  readonly runs: readonly { readonly run: number; readonly known: boolean }[];
}

/** Above it a text could not be held in one piece. */
const largestDocument = 256 * 2 ** 20;

/**
 * Takes the runs of databases and exported documents into a database, all or none; none when
 * `signal` aborts meanwhile.
 * @throws FarmError `bad-import`, `bad-database`, `run-interrupted`, `newer-database`, `older-database`, `bad-argument`.
 */
export async function importFiles(
  files: readonly string[],
  into: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ImportedFile[]> {
  await refuseItself(files, into);
  try {
    return await withTemporaryFolder((folder) => importInto(files, into, { folder, signal }));
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new FarmError('run-interrupted', {
      what: 'Interrupted: nothing was taken in.',
      next: 'Give the same command again.',
      cause: error,
    });
  }
}

interface ImportWork {
  /** For copies; gone in the end, also after a kill. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** A database that is not there is made elsewhere, and appears with all its runs or not at all. */
async function importInto(
  files: readonly string[],
  into: string,
  work: ImportWork,
): Promise<readonly ImportedFile[]> {
  if (existsSync(into)) return importToStore(files, into, work);
  await makeFolderOf(into);
  const fresh = join(work.folder, 'new.db');
  const imported = await importToStore(files, fresh, work);
  work.signal.throwIfAborted();
  await backUp(fresh, into);
  return imported;
}

async function makeFolderOf(path: string): Promise<void> {
  requireOwnLinks(path);
  try {
    await makeFolder(dirname(path), 0o700);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

async function importToStore(
  files: readonly string[],
  into: string,
  work: ImportWork,
): Promise<readonly ImportedFile[]> {
  return withStore(into, async (store) => {
    const counts: number[] = [];
    const stored = await store.importRuns(readAll(files, counts, work));
    return files.map((file, index) => ({
      file,
      runs: stored.slice(counts[index - 1] ?? 0, counts[index]),
    }));
  });
}

/** One file after the other, and one run at a time; `counts` gets how many there were up to each file. */
async function* readAll(
  files: readonly string[],
  counts: number[],
  work: ImportWork,
): AsyncGenerator<ForeignRun> {
  let count = 0;
  for (const file of files) {
    for await (const run of readRuns(file, work)) {
      count += 1;
      yield run;
    }
    counts.push(count);
  }
}

async function* readRuns(file: string, work: ImportWork): AsyncGenerator<ForeignRun> {
  const found = await readKind(file);
  if (found.kind === 'document') yield readDocument(file, found);
  else yield* readDatabase(file, work);
}

/** Through the form of a document: foreign tables are trusted no more than a file. */
async function* readDatabase(file: string, work: ImportWork): AsyncGenerator<ForeignRun> {
  const store = await openForeignStore(file, work);
  try {
    const runs = await store.listRuns();
    for (const { id } of runs.toReversed()) yield await readStored(store, id, file);
  } finally {
    await store.close();
  }
}

async function readStored(store: ForeignStore, id: number, file: string): Promise<ForeignRun> {
  const record = await readRow(store, id, file);
  if (record === null) throw badImport(file, `its run ${String(id)} cannot be read`);
  const identity = await store.readIdentity(id);
  try {
    return readRunDocument(packRun(record, identity));
  } catch (error) {
    if (error instanceof FarmError) throw error;
    // Anything else is what the JSON in its columns led to: a question without assertions, say.
    const why = error instanceof Refusal ? error.message : 'it cannot be read';
    throw badImport(file, `of its run ${String(id)}, ${why}`);
  }
}

/** The tables hold JSON in some columns, and the mistakes in that are the file's. */
async function readRow(
  store: ForeignStore,
  id: number,
  file: string,
): Promise<Awaited<ReturnType<ForeignStore['readRun']>>> {
  try {
    return await store.readRun(id);
  } catch (error) {
    if (error instanceof FarmError) throw error;
    throw badImport(file, `its run ${String(id)} cannot be read`);
  }
}

async function refuseItself(files: readonly string[], into: string): Promise<void> {
  const target = await realpath(into).catch(() => null);
  for (const file of files) {
    if (target === null || (await realpath(file).catch(() => null)) !== target) continue;
    throw new FarmError('bad-argument', {
      what: `${file} is the database that everything goes into.`,
      next: 'Leave it out: what it has stays.',
    });
  }
}

const magic = 'SQLite format 3\0';

/** Reads the kind of a file from its first bytes. A document comes with its text. */
async function readKind(
  file: string,
): Promise<{ readonly kind: 'database' } | ({ readonly kind: 'document' } & Document)> {
  try {
    const handle = await openRegularFile(file);
    try {
      const { buffer, bytesRead } = await handle.read(
        Buffer.alloc(magic.length),
        0,
        magic.length,
        0,
      );
      if (buffer.toString('latin1', 0, bytesRead) === magic) return { kind: 'database' };
      return {
        kind: 'document',
        text: (await readBounded(handle, largestDocument)).toString('utf8'),
        writtenAt: (await handle.stat()).mtime.toISOString(),
      };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const why =
      error instanceof UnfitFile
        ? error.message
        : `it cannot be read (${(error as Error).message})`;
    throw badImport(file, why);
  }
}

interface Document {
  readonly text: string;
  /** The file's last change. */
  readonly writtenAt: string;
}

function readDocument(file: string, { text, writtenAt }: Document): ForeignRun {
  try {
    return parseRunDocument(text, writtenAt);
  } catch (error) {
    if (error instanceof Refusal) throw badImport(file, error.message);
    throw error;
  }
}

import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FarmError } from '../../core/errors.ts';
import { requireOwnLinks } from '../../core/own-path.ts';
import { openRegularFile, readBounded, whyUnread } from '../../core/regular-file.ts';
import { makeFolder } from '../../core/farm-folder.ts';
import { backUp } from '../../core/store/database-file.ts';
import type { CommitResult } from '../../core/store/commit-results.ts';
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
  /** Comparisons of commits that were not here before. */
  readonly commits: number;
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
    const counts: FileContents[] = [];
    const stored = await store.importRuns(readAll(files, counts, work));
    const imported: ImportedFile[] = [];
    for (const [index, file] of files.entries()) {
      const { runs, results } = counts[index] ?? { runs: 0, results: [] };
      const commits = await store.addCommitResults(results);
      imported.push({ file, runs: stored.slice(counts[index - 1]?.runs ?? 0, runs), commits });
    }
    return imported;
  });
}

/** The contents of a file. */
interface FileContents {
  /** Up to its end, those of the files before included. */
  readonly runs: number;
  readonly results: readonly CommitResult[];
}

/** One file after the other, and one run at a time; `counts` gets what each file had. */
async function* readAll(
  files: readonly string[],
  counts: FileContents[],
  work: ImportWork,
): AsyncGenerator<ForeignRun> {
  let runs = 0;
  for (const file of files) {
    const results: CommitResult[] = [];
    for await (const run of readRuns(file, results, work)) {
      runs += 1;
      yield run;
    }
    counts.push({ runs, results });
  }
}

async function* readRuns(
  file: string,
  results: CommitResult[],
  work: ImportWork,
): AsyncGenerator<ForeignRun> {
  const found = await readKind(file);
  if (found.kind === 'document') yield readDocument(file, found);
  else yield* readDatabase(file, results, work);
}

/** Through the form of a document: foreign tables are trusted no more than a file. */
async function* readDatabase(
  file: string,
  results: CommitResult[],
  work: ImportWork,
): AsyncGenerator<ForeignRun> {
  const store = await openForeignStore(file, work);
  try {
    const runs = await store.listRuns();
    for (const { id } of runs.toReversed()) yield await readStored(store, id, file);
    for (const one of await store.listCommitResults()) results.push(checkResult(one, file));
  } finally {
    await store.close();
  }
}

const longestResult = 1_000_000;

/** Checks the form alone: the history parses the content. @throws FarmError `bad-import` */
function checkResult(one: CommitResult, file: string): CommitResult {
  const { name, document } = one;
  if (/^[\w.-]{1,100}$/.test(name) && document.length <= longestResult && isObject(document)) {
    return one;
  }
  throw badImport(file, 'a comparison of its commits cannot be read');
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
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
    throw badImport(file, whyUnread(error));
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

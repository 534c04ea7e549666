import { existsSync } from 'node:fs';
import { open, realpath, rm } from 'node:fs/promises';
import { FarmError } from '../errors.ts';
import { type ForeignStore, openForeignStore } from '../store/foreign.ts';
import { packRun } from '../transfer/exchange/pack.ts';
import {
  badImport,
  type ForeignRun,
  ImportRefusal,
  parseRunDocument,
  readRunDocument,
} from '../transfer/exchange/read.ts';
import { withStore } from './records.ts';

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
  const isNew = !existsSync(into);
  try {
    return await importInto(files, into, signal);
  } catch (error) {
    if (isNew) await removeDatabase(into);
    if (!signal.aborted) throw error;
    throw new FarmError('run-interrupted', {
      what: 'Interrupted: nothing was taken in.',
      next: 'Give the same command again.',
      cause: error,
    });
  }
}

async function importInto(
  files: readonly string[],
  into: string,
  signal: AbortSignal,
): Promise<readonly ImportedFile[]> {
  return withStore(into, async (store) => {
    const counts: number[] = [];
    const stored = await store.importRuns(readAll(files, { counts, signal }));
    return files.map((file, index) => ({
      file,
      runs: stored.slice(counts[index - 1] ?? 0, counts[index]),
    }));
  });
}

async function removeDatabase(path: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await rm(`${path}${end}`, { force: true });
}

/** One file after the other, and one run at a time; `counts` gets how many there were up to each file. */
async function* readAll(
  files: readonly string[],
  { counts, signal }: { readonly counts: number[]; readonly signal: AbortSignal },
): AsyncGenerator<ForeignRun> {
  let count = 0;
  for (const file of files) {
    for await (const run of readRuns(file, signal)) {
      count += 1;
      yield run;
    }
    counts.push(count);
  }
}

async function* readRuns(file: string, signal: AbortSignal): AsyncGenerator<ForeignRun> {
  const kind = await kindOf(file);
  if (kind === 'document') yield await readDocument(file);
  else yield* readDatabase(file, signal);
}

/** Through the form of a document: foreign tables are trusted no more than a file. */
async function* readDatabase(file: string, signal: AbortSignal): AsyncGenerator<ForeignRun> {
  const store = await openForeignStore(file, signal);
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
    const why = error instanceof ImportRefusal ? error.message : 'it cannot be read';
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

async function kindOf(file: string): Promise<'database' | 'document'> {
  try {
    const handle = await open(file, 'r');
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw new ImportRefusal('it is not a file');
      const { buffer, bytesRead } = await handle.read(
        Buffer.alloc(magic.length),
        0,
        magic.length,
        0,
      );
      if (buffer.toString('latin1', 0, bytesRead) === magic) return 'database';
      if (stats.size <= largestDocument) return 'document';
      throw new ImportRefusal(
        `it has ${String(stats.size)} bytes, and ${String(largestDocument)} are read at most`,
      );
    } finally {
      await handle.close();
    }
  } catch (error) {
    const why =
      error instanceof ImportRefusal
        ? error.message
        : `it cannot be read (${(error as Error).message})`;
    throw badImport(file, why);
  }
}

async function readDocument(file: string): Promise<ForeignRun> {
  const handle = await open(file, 'r');
  try {
    return parseRunDocument(await handle.readFile('utf8'));
  } catch (error) {
    if (error instanceof ImportRefusal) throw badImport(file, error.message);
    throw error;
  } finally {
    await handle.close();
  }
}

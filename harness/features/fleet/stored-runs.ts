import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { withTemporaryFolder } from '../../core/app/temporary-folder.ts';
import type { CallCommand } from '../../core/cli/io.ts';
import { FarmError } from '../../core/errors.ts';
import type { FarmServer } from './server.ts';

/** Reads a run as `db export` writes it: the head, and every trial that the farm has. */
async function readDocument(server: FarmServer, run: number): Promise<object | null> {
  const [row] = await server.query<{ head: StoredHead }>('SELECT head FROM run WHERE id = $1', [
    run,
  ]);
  if (row === undefined) return null;
  const trials = await server.query<{ ordinal: number; document: unknown }>(
    'SELECT ordinal, document FROM trial WHERE run_id = $1',
    [run],
  );
  const trialAt = new Map(trials.map(({ ordinal, document }) => [ordinal, document]));
  const { head } = row;
  return {
    ...head,
    cells: head.cells.map((cell) => ({ ...cell, trial: trialAt.get(cell.ordinal) ?? null })),
  };
}

interface StoredHead {
  readonly cells: readonly { readonly ordinal: number }[];
}

/**
 * Copies runs of the farm into a local database, by the command that takes in a stranger's: a worker may
 * have sent anything. Those that are there already stay as they are.
 * @returns their numbers in the database, in the order of `runs`
 * @throws FarmError `bad-import`
 */
export async function importFromFarm(
  runs: readonly number[],
  into: string,
  { server, call }: { readonly server: FarmServer; readonly call: CallCommand },
): Promise<readonly { readonly run: number; readonly known: boolean }[]> {
  if (runs.length === 0) return [];
  return withTemporaryFolder(async (folder) => {
    const files: string[] = [];
    for (const run of runs) {
      const document = await readDocument(server, run);
      if (document === null) continue;
      const file = join(folder, `run-${String(run)}.json`);
      await writeFile(file, JSON.stringify(document), { mode: 0o600 });
      files.push(file);
    }
    const { document, text } = await call(['db', 'import', ...files, '--into', into]);
    const imported = importAnswer.safeParse(document);
    if (imported.success) return imported.data.files.flatMap((file) => file.runs);
    throw new FarmError('bad-import', {
      what: `Runs of ${server.name} cannot be read: ${text}`,
      next: 'A worker of another version may have sent them: crossfarm queue shows the hosts.',
    });
  });
}

const importAnswer = z.object({
  files: z.array(z.object({ runs: z.array(z.object({ run: z.int(), known: z.boolean() })) })),
});

/** Works with copies of runs, in a database that is gone afterwards. */
export function withRunCopies<T>(
  runs: readonly number[],
  source: { readonly server: FarmServer; readonly call: CallCommand },
  work: (database: string, numbers: readonly number[]) => Promise<T>,
): Promise<T> {
  return withTemporaryFolder(async (folder) => {
    const database = join(folder, 'farm.db');
    const imported = await importFromFarm(runs, database, source);
    return work(
      database,
      imported.map(({ run }) => run),
    );
  });
}

import { dirname, resolve } from 'node:path';
import { removeHalfFiles } from './nights/half-files.ts';
import { nightsFolder, type KeptNight } from './nights/night-folder.ts';
import { sweepLeftovers } from '../session/leftovers.ts';
import { sessionsFolder } from './carry-out.ts';
import { note, type Io } from '../cli/io.ts';

interface Untidy {
  readonly database: string;
  /** Folder for copies of the database, where there is one. */
  readonly backup?: string | undefined;
  /** Nights before. */
  readonly earlier: readonly KeptNight[];
}

/**
 * Ends and removes what farms that died have left: browsers, profiles, half files. Nothing of it
 * stops a night: what could not be done is told, and the run tries the browsers again.
 */
export async function tidyUp({ database, backup, earlier }: Untidy, io: Io): Promise<void> {
  try {
    const swept = await sweepLeftovers(sessionsFolder(database));
    if (swept > 0) note(io, `ended what ${String(swept)} crashed session(s) had left`);
  } catch (error) {
    note(io, `what crashed sessions left could not be ended: ${(error as Error).message}`);
  }
  const freed = await removeHalfFiles([
    dirname(resolve(database)),
    nightsFolder(database),
    ...earlier.map(({ folder }) => folder),
    ...(backup === undefined ? [] : [backup]),
  ]);
  if (freed > 0) note(io, `removed files that were half written: ${String(freed)} bytes`);
}

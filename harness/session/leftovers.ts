import { readdir, stat } from 'node:fs/promises';
import { farmVariable, isOfDeadFarm } from './farm-mark.ts';
import { readProcessTable } from './process-table.ts';
import { ProcessTree, sessionVariable } from './process-tree.ts';
import {
  placeSession,
  readSessionRecord,
  removeSessionDirectory,
  sessionIdForm,
  type SessionDirectory,
} from './session-directory.ts';

/** A record is written at once after its directory: without one for so long, it never will be. */
const unrecordedMs = 60_000;

/**
 * Ends the processes and removes the directories of sessions whose farm no longer lives, as after
 * a power cut or `kill -9`, and whatever else such a farm had started (its display). Sessions of
 * farms that live are left alone.
 * @returns how many sessions were swept.
 */
export async function sweepLeftovers(directory: string): Promise<number> {
  let swept = 0;
  for (const place of await listSessions(directory)) {
    if (!(await isLeftover(place))) continue;
    await endSession(place);
    await removeSessionDirectory(place);
    swept += 1;
  }
  await endOrphans();
  return swept;
}

async function listSessions(directory: string): Promise<readonly SessionDirectory[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => sessionIdForm.test(name)).map((id) => placeSession(directory, id));
}

async function isLeftover(place: SessionDirectory): Promise<boolean> {
  const record = await readSessionRecord(place);
  if (record !== null) return isOfDeadFarm(record.farm);
  const age = await stat(place.path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  return age > unrecordedMs;
}

async function endSession({ id, profile }: SessionDirectory): Promise<void> {
  await new ProcessTree({ roots: [], mark: `${sessionVariable}=${id}`, profile }).end();
}

/** Ends what carries the mark of a farm that no longer lives, whichever directory it used. */
async function endOrphans(): Promise<void> {
  const marks = new Set(
    readProcessTable().flatMap(({ environment }) =>
      environment.filter((entry) => entry.startsWith(`${farmVariable}=`)),
    ),
  );
  for (const mark of marks) {
    if (!isOfDeadFarm(mark.slice(farmVariable.length + 1))) continue;
    await new ProcessTree({ roots: [], mark, profile: null }).end();
  }
}

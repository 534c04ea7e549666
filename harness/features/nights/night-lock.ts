import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { requireOwnLinks } from '../../core/own-path.ts';
import { writeWholeFile } from '../../core/own-path.ts';
import { FarmError } from '../../core/errors.ts';
import { farmMark, isOfDeadFarm, readFarmMark } from '../../core/session/farm-mark.ts';
import { makeFolder } from '../../core/farm-folder.ts';

/** Held from the beginning of a night to its end. */
export interface NightLock {
  release(): Promise<void>;
}

export interface LockOptions {
  /** This farm process, and whether another still lives; tests play both. */
  readonly mark?: string;
  readonly isDead?: (mark: string) => boolean;
  /** Between two looks at a claim that may be withdrawn in a moment. */
  readonly pause?: () => Promise<void>;
}

/** The later of two claims is withdrawn within one write to the disk. */
const looks = 20;

/**
 * Takes the database for one night. Each night writes its own lock file next to the database, then
 * reads those of others. Two nights cannot both hold it: the last reader has seen the other. Of two
 * that came at the same moment the one whose file sorts first waits until the other has withdrawn.
 * A file's name is never used again, so any farm may remove that of a dead one (by pid and start).
 * @throws FarmError `night-in-progress` when another night holds it, `cannot-write`.
 */
export async function lockNight(
  database: string,
  { mark = farmMark(), isDead = isOfDeadFarm, pause = aMoment }: LockOptions = {},
): Promise<NightLock> {
  const own = await writeClaim(database, mark);
  const release = (): Promise<void> => rm(own, { force: true });
  try {
    for (let look = 1; ; look += 1) {
      const [other] = await livingClaims(database, { own, isDead });
      if (other === undefined) return { release };
      if (other.path < own || look === looks) throw nightInProgress(database, other);
      await pause();
    }
  } catch (error) {
    await release();
    throw error;
  }
}

function aMoment(): Promise<void> {
  return new Promise((resolved) => setTimeout(resolved, 50));
}

interface Claim {
  readonly path: string;
  readonly mark: string;
}

const claimForm = /\.night-\d{15}-[0-9a-f]{8}$/;

async function writeClaim(database: string, mark: string): Promise<string> {
  const time = String(Date.now()).padStart(15, '0');
  const path = `${resolve(database)}.night-${time}-${randomBytes(4).toString('hex')}`;
  try {
    requireOwnLinks(path);
    await makeFolder(dirname(path), 0o700);
    await writeWholeFile(path, `${mark}\n`);
    return path;
  } catch (error) {
    throw new FarmError('cannot-write', {
      what: `The lock of the night, ${path}, cannot be written: ${(error as Error).message}.`,
      next: 'Give a --database in a folder that you may write to, with room left.',
      cause: error,
    });
  }
}

/** Claims of others that live, in order of their names; those of dead farms are removed. */
async function livingClaims(
  database: string,
  { own, isDead }: { readonly own: string; readonly isDead: (mark: string) => boolean },
): Promise<readonly Claim[]> {
  const folder = dirname(resolve(database));
  const prefix = `${basename(database)}.night-`;
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter(
      (entry) => entry.isFile() && entry.name.startsWith(prefix) && claimForm.test(entry.name),
    )
    .map(({ name }) => name);
  const living: Claim[] = [];
  for (const path of names.sort().map((name) => join(folder, name))) {
    const mark = path === own ? null : await readClaim(path);
    if (mark === null) continue;
    if (isDead(mark)) await rm(path, { force: true });
    else living.push({ path, mark });
  }
  return living;
}

/** Null when it was withdrawn since it was listed. */
async function readClaim(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function nightInProgress(database: string, { path, mark }: Claim): FarmError {
  const { pid, host, here } = readFarmMark(mark);
  if (here) {
    return new FarmError('night-in-progress', {
      what: `A night with ${database} is going on already: farm process ${pid}.`,
      next: 'Wait until it has ended, or end it with Ctrl-C; what it has stored stays.',
    });
  }
  return new FarmError('night-in-progress', {
    what: `A night with ${database} was started by farm process ${pid} of another machine or container (${host}), and whether that still lives cannot be seen from here.`,
    next: `If it does not, remove ${path} and try again.`,
  });
}

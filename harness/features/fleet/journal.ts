import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { FarmError } from '../../core/errors.ts';
import { makeOwnFolder } from '../../core/own-path.ts';
import { farmMark, isOfDeadFarm, readFarmMark } from '../../core/session/farm-mark.ts';

const jobEntry = z.object({
  /** Which farm gave it. */
  farm: z.string(),
  job: z.int(),
  words: z.array(z.string()),
  /** Numbers of the runs that it began, in the local database. */
  runs: z.array(z.int()),
  /** Its answer, once its command has ended. */
  result: z
    .object({ exitCode: z.number().nullable(), document: z.unknown(), text: z.string() })
    .nullable(),
});

/** A job that a worker has in hand, or has not reported yet. */
export type JobEntry = z.infer<typeof jobEntry>;

const identity = z.object({ id: z.uuid(), mark: z.string() });

/**
 * What a worker must know after its death: who it is, and what it has in hand. Files are written before
 * the call returns, for the process may be killed at any moment.
 */
export class Journal {
  readonly #folder: string;
  /** Of this folder: a worker that begins again here is the same one. */
  readonly worker: string;

  private constructor(folder: string, worker: string) {
    this.#folder = folder;
    this.worker = worker;
  }

  /** @throws FarmError `machine-in-use` while another process works in this folder */
  static async open(folder: string): Promise<Journal> {
    await makeOwnFolder(folder, { mode: 0o700 });
    const path = join(folder, 'worker.json');
    const known = readIfThere(path, identity);
    if (known !== null && known.mark !== farmMark() && !isOfDeadFarm(known.mark)) {
      const { pid, host, here } = readFarmMark(known.mark);
      throw new FarmError('machine-in-use', {
        what: `A worker has this folder already: process ${pid}${here ? '' : ` of ${host}`}.`,
        next: here ? 'One works for the whole machine.' : `If that has ended, remove ${path}.`,
      });
    }
    const id = known?.id ?? randomUUID();
    writeAtOnce(path, { id, mark: farmMark() });
    return new Journal(folder, id);
  }

  /** Jobs of a farm, the oldest first. */
  list(farm: string): readonly JobEntry[] {
    return readdirSync(this.#folder)
      .filter((name) => /^job-\d+\.json$/.test(name))
      .flatMap((name) => readIfThere(join(this.#folder, name), jobEntry) ?? [])
      .filter((entry) => entry.farm === farm)
      .toSorted((one, other) => one.job - other.job);
  }

  keep(entry: JobEntry): void {
    writeAtOnce(this.#pathOf(entry.job), entry);
  }

  remove(job: number): void {
    rmSync(this.#pathOf(job), { force: true });
  }

  #pathOf(job: number): string {
    return join(this.#folder, `job-${String(job)}.json`);
  }
}

function writeAtOnce(path: string, value: unknown): void {
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.half`, JSON.stringify(value), { mode: 0o600 });
  renameSync(`${path}.half`, path);
}

/** Null also for what is no entry: a full disk may have cut it. */
function readIfThere<T>(path: string, schema: z.ZodType<T>): T | null {
  if (!existsSync(path)) return null;
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}

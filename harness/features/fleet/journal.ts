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
  /** Which farm gave it, and to which of its hosts. */
  farm: z.string(),
  host: z.string(),
  /** The lease under which it was measured last. */
  lease: z.string(),
  job: z.int(),
  words: z.array(z.string()),
  /** Numbers of the runs that it began, in the local database. */
  runs: z.array(z.int()),
  /** How often its command could not finish, or its runs could not be sent. */
  failures: z.int(),
  /** Its answer, once its command has ended. */
  result: z
    .object({ exitCode: z.number().nullable(), document: z.unknown(), text: z.string() })
    .nullable(),
});

/** A job that a worker has in hand, or has not reported yet. */
export type JobEntry = z.infer<typeof jobEntry>;

const identity = z.object({
  id: z.uuid(),
  mark: z.string(),
  /** Farms that this folder has worked for. */
  farms: z.array(z.string()).default([]),
});

/**
 * What a worker must know after its death: who it is, and what it has in hand. Files are written before
 * the call returns, for the process may be killed at any moment.
 */
export class Journal {
  readonly #folder: string;
  /** Of this folder: a worker that begins again here is the same one. */
  readonly worker: string;
  #farms: readonly string[];
  /** Entries that a full disk refused, until it takes them. */
  readonly #unwritten = new Map<string, unknown>();

  private constructor(folder: string, worker: string, farms: readonly string[]) {
    this.#folder = folder;
    this.worker = worker;
    this.#farms = farms;
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
    const farms = known?.farms ?? [];
    writeAtOnce(path, { id, mark: farmMark(), farms });
    return new Journal(folder, id, farms);
  }

  /** True if this folder has worked for a farm before. */
  knows(farm: string): boolean {
    return this.#farms.includes(farm);
  }

  learn(farm: string): void {
    if (this.knows(farm)) return;
    this.#farms = [...this.#farms, farm];
    this.#write('worker.json', { id: this.worker, mark: farmMark(), farms: this.#farms });
  }

  /** Jobs that a farm gave to a host, the oldest first. */
  list(farm: string, host: string): readonly JobEntry[] {
    for (const [name, value] of [...this.#unwritten]) this.#write(name, value);
    const names = readdirSync(this.#folder).filter((name) => /^job-\d+\.json$/.test(name));
    return [...new Set([...names, ...this.#unwritten.keys()])]
      .flatMap((name) => this.#read(name) ?? [])
      .filter((entry) => entry.farm === farm && entry.host === host)
      .toSorted((one, other) => one.job - other.job);
  }

  keep(entry: JobEntry): void {
    this.#write(nameOf(entry.job), entry);
  }

  remove(job: number): void {
    this.#unwritten.delete(nameOf(job));
    rmSync(join(this.#folder, nameOf(job)), { force: true });
  }

  #read(name: string): JobEntry | null {
    const unwritten = jobEntry.safeParse(this.#unwritten.get(name)).data;
    return unwritten ?? readIfThere(join(this.#folder, name), jobEntry);
  }

  #write(name: string, value: unknown): void {
    try {
      writeAtOnce(join(this.#folder, name), value);
      this.#unwritten.delete(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      this.#unwritten.set(name, structuredClone(value));
    }
  }
}

function nameOf(job: number): string {
  return `job-${String(job)}.json`;
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

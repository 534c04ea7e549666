import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { comparedCommits, type ComparedCommits, type WantedComparison } from './comparison.ts';

/**
 * The ended comparisons of a bisection, kept beside the database until it has an answer: the same
 * command goes on with them.
 */
export class Journal {
  readonly #path: string;
  readonly #ended: Map<string, ComparedCommits>;

  private constructor(path: string, ended: readonly ComparedCommits[]) {
    this.#path = path;
    this.#ended = new Map(ended.map((one) => [keyOf(one), one]));
  }

  /** @param asked all that the comparisons depend on */
  static async open(database: string, asked: object, anew: boolean): Promise<Journal> {
    const digest = createHash('sha256').update(JSON.stringify(asked)).digest('hex').slice(0, 16);
    const path = join(dirname(database), 'bisections', `${digest}.json`);
    if (anew) await rm(path, { force: true });
    const text = await readFile(path, 'utf8').catch(() => '[]');
    return new Journal(path, parseEnded(text));
  }

  get length(): number {
    return this.#ended.size;
  }

  find(wanted: WantedComparison): ComparedCommits | null {
    return this.#ended.get(keyOf(wanted)) ?? null;
  }

  async add(ended: ComparedCommits): Promise<void> {
    this.#ended.set(keyOf(ended), ended);
    await mkdir(dirname(this.#path), { recursive: true });
    await writeFile(`${this.#path}.part`, JSON.stringify([...this.#ended.values()]));
    await rename(`${this.#path}.part`, this.#path);
  }

  /** It has an answer: the same question asks anew. */
  async close(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

/** What cannot be read is measured again. */
function parseEnded(text: string): readonly ComparedCommits[] {
  try {
    return z.array(comparedCommits).catch([]).parse(JSON.parse(text));
  } catch {
    return [];
  }
}

function keyOf({ purpose, followed, commits }: WantedComparison): string {
  return JSON.stringify([purpose, followed, commits]);
}

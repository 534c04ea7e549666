import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import type { FindingsReading } from '../../../core/app/extensions.ts';
import type { Run } from '../../../core/model/run.ts';
import { makeOwnFolder, writeWholeFile } from '../../../core/own-path.ts';
import { blameFacts } from '../../../core/results/blame.ts';
import { causalFacts } from '../../../core/results/causal.ts';
import type { BlameFacts, CausalFacts, Findings } from '../../../core/results/index.ts';

const schemas = { blame: blameFacts, causal: causalFacts };

/** Keeps an answer beside the profiles of its run, for the run’s report. */
export async function keepAnswer(
  name: keyof typeof schemas,
  facts: BlameFacts | CausalFacts,
  database: string,
): Promise<void> {
  const path = findPath(name, facts.run, database);
  await makeOwnFolder(dirname(path));
  await writeWholeFile(path, JSON.stringify(facts));
}

/** Adds the functions that were blamed for the differences of a run, and what the time of each costs. */
export async function addFindings({
  record: { run },
  database,
}: FindingsReading): Promise<Partial<Findings>> {
  const blame = await readAnswer('blame', run, database);
  const causal = await readAnswer('causal', run, database);
  return {
    ...(blame !== null && { blame }),
    // Its versions are copies that nobody named.
    ...(causal !== null && { causal, title: `Run ${String(run.id)}: ${causal.page}` }),
  };
}

/** Null where there is none, or it cannot be read: then the report is that of the run alone. */
async function readAnswer<Name extends keyof typeof schemas>(
  name: Name,
  { id, command }: Run,
  database: string,
): Promise<z.infer<(typeof schemas)[Name]> | null> {
  const text = await readFile(findPath(name, id, database), 'utf8').catch(() => null);
  const { data } = schemas[name].safeParse(text === null ? null : parseOrNull(text));
  // Another run has its number since: of a database that was removed.
  return data?.command === command ? (data as z.infer<(typeof schemas)[Name]>) : null;
}

/** With the profiles of a run, so that it is removed with them. */
function findPath(name: string, run: number, database: string): string {
  return join(dirname(database), 'profiles', `run-${String(run)}`, `${name}.json`);
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

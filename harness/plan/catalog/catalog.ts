import { readdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FarmError, unknownName } from '../../errors.ts';
import type { Benchmark, Suite } from '../../model/case.ts';
import { readJsonFile } from '../../json-file.ts';
import { expandCases } from './expansion.ts';
import { loadGuests } from './guests.ts';

/** The benchmarks and suites found under `pages/`, and the pages that are not ours which suites bring. */
export interface Catalog {
  readonly pages: string;
  readonly benchmarks: readonly Benchmark[];
  readonly suites: readonly string[];
}

/**
 * Reads every `<benchmark>/benchmark.json` below the folder.
 * @throws FarmError `bad-benchmark` with file and JSON path.
 */
export async function loadCatalog(pages: string): Promise<Catalog> {
  const entries = await readdir(pages, { withFileTypes: true });
  const folders = entries
    .filter((entry) => entry.isDirectory() && existsSync(join(pages, entry.name, 'benchmark.json')))
    .map((entry) => entry.name)
    .sort();
  const benchmarks = await Promise.all(folders.map((folder) => loadBenchmark(pages, folder)));
  const suites = existsSync(join(pages, 'suites')) ? await readdir(join(pages, 'suites')) : [];
  const named = suites
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();
  const guests = await loadGuests(pages, named, folders);
  return { pages, benchmarks: [...benchmarks, ...guests], suites: named };
}

async function loadBenchmark(pages: string, folder: string): Promise<Benchmark> {
  const { benchmarkDeclaration } = await import('./declaration.ts');
  const path = join(pages, folder, 'benchmark.json');
  const benchmark = await readJsonFile(path, {
    noun: 'benchmark',
    code: 'bad-benchmark',
    schema: benchmarkDeclaration,
  });
  if (benchmark.id === folder) return benchmark;
  throw new FarmError('bad-benchmark', {
    what: `The benchmark ${path} is not valid: $.id is "${benchmark.id}" in the folder "${folder}".`,
    next: 'Give the folder and the benchmark one name.',
  });
}

/** @throws FarmError `unknown-benchmark` with the nearest name. */
export function findBenchmark(catalog: Catalog, id: string): Benchmark {
  const benchmark = catalog.benchmarks.find((one) => one.id === id);
  if (benchmark) return benchmark;
  throw unknownName('unknown-benchmark', {
    kind: 'benchmark',
    seen: id,
    known: catalog.benchmarks.map((one) => one.id),
  });
}

/**
 * Reads one suite and expands its cases.
 * @throws FarmError `unknown-suite`, `bad-suite`, `unknown-benchmark`, `unknown-parameter`.
 */
export async function loadSuite(catalog: Catalog, id: string): Promise<Suite> {
  if (!catalog.suites.includes(id)) {
    throw unknownName('unknown-suite', { kind: 'suite', seen: id, known: catalog.suites });
  }
  const { suiteDeclaration } = await import('./declaration.ts');
  const path = join(catalog.pages, 'suites', `${id}.json`);
  const declared = await readJsonFile(path, {
    noun: 'suite',
    code: 'bad-suite',
    schema: suiteDeclaration,
  });
  const cases = declared.cases.flatMap(({ benchmark, parameters, hosts }) =>
    expandCases(findBenchmark(catalog, benchmark), parameters ?? {}).map((one) =>
      hosts === undefined ? one : { ...one, hosts },
    ),
  );
  return { ...declared, id, cases };
}

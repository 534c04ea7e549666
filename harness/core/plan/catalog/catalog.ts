import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FarmError, unknownName } from '../../errors.ts';
import { readJsonFile } from '../../json-file.ts';
import type { Benchmark, ExternalPlace, GuestReader, Suite } from '../../model/case.ts';
import type { ExternalPageDeclaration } from './declaration.ts';
import { expandCases } from './expansion.ts';

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
  const guests = await loadExternalPages(pages, named, folders);
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

interface FoundExternalPage {
  readonly benchmark: Benchmark;
  /** The suite that brings it. */
  readonly path: string;
}

/**
 * Pages that are not ours, as the suites bring them. The folder of a page is checked when the page
 * is wanted.
 * @throws FarmError `bad-suite` for a form that is wrong, or an id that is taken.
 */
async function loadExternalPages(
  pages: string,
  suites: readonly string[],
  taken: readonly string[],
): Promise<readonly Benchmark[]> {
  const found = await Promise.all(
    suites.map((id) => readExternalPages(join(pages, 'suites', `${id}.json`))),
  );
  const all = found.flat();
  all.forEach((guest, index) => {
    refuseTwin(guest, all.slice(0, index), taken);
  });
  return all.map(({ benchmark }) => benchmark);
}

async function readExternalPages(path: string): Promise<readonly FoundExternalPage[]> {
  // Mistakes of a suite without guests are reported when that suite is asked for.
  if (!(await readFile(path, 'utf8')).includes('"guests"')) return [];
  const { suiteDeclaration } = await import('./declaration.ts');
  const suite = await readJsonFile(path, {
    noun: 'suite',
    code: 'bad-suite',
    schema: suiteDeclaration,
  });
  const guests = suite.guests ?? [];
  return guests.map((declared) => ({ path, benchmark: toBenchmark(declared, dirname(path)) }));
}

function refuseTwin(
  { benchmark: { id }, path }: FoundExternalPage,
  before: readonly FoundExternalPage[],
  taken: readonly string[],
): void {
  const twin = before.find((one) => one.benchmark.id === id);
  if (twin === undefined && !taken.includes(id)) return;
  throw new FarmError('bad-suite', {
    what: `The suite ${path} is not valid: its guest "${id}" is ${twin === undefined ? 'a benchmark of pages/' : `one of ${twin.path}, too`}.`,
    next: 'Give each page a different id.',
  });
}

function toBenchmark(declared: ExternalPageDeclaration, from: string): Benchmark {
  const { id, version, title, description, metric, begin, result } = declared;
  const place = toPlace(declared, from);
  const where = place.kind === 'url' ? `at ${place.url}` : 'from a folder of this machine';
  return {
    id,
    version,
    title,
    description: description ?? `A page that is not ours, ${where}.`,
    page: 'index.html',
    parameters: [],
    metrics: [metric],
    guest: {
      places: [{ place }],
      ...(begin === undefined ? {} : { begin }),
      readers: { [metric.id]: result as GuestReader },
    },
  };
}

function toPlace({ folder, page, url }: ExternalPageDeclaration, from: string): ExternalPlace {
  return url === undefined
    ? { kind: 'folder', folder: resolve(from, folder ?? ''), page: page ?? 'index.html' }
    : { kind: 'url', url };
}

import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FarmError } from '../../errors.ts';
import { readJsonFile } from '../../json-file.ts';
import type { Benchmark, Guest } from '../../model/case.ts';
import type { GuestDeclaration } from './declaration.ts';

interface FoundGuest {
  readonly benchmark: Benchmark;
  /** The suite that brings it. */
  readonly path: string;
}

/**
 * Pages that are not ours, as the suites bring them. Whether a folder is there is looked at when
 * its page is wanted.
 * @throws FarmError `bad-suite` for a form that is wrong, or an id that is taken.
 */
export async function loadGuests(
  pages: string,
  suites: readonly string[],
  taken: readonly string[],
): Promise<readonly Benchmark[]> {
  const found = await Promise.all(
    suites.map((id) => readGuests(join(pages, 'suites', `${id}.json`))),
  );
  const all = found.flat();
  all.forEach((guest, index) => {
    refuseTwin(guest, all.slice(0, index), taken);
  });
  return all.map(({ benchmark }) => benchmark);
}

async function readGuests(path: string): Promise<readonly FoundGuest[]> {
  // The mistakes of a suite that brings no guest are told to whoever asks for that suite.
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
  { benchmark: { id }, path }: FoundGuest,
  before: readonly FoundGuest[],
  taken: readonly string[],
): void {
  const twin = before.find((one) => one.benchmark.id === id);
  if (twin === undefined && !taken.includes(id)) return;
  throw new FarmError('bad-suite', {
    what: `The suite ${path} is not valid: its guest "${id}" is ${twin === undefined ? 'a benchmark of pages/' : `one of ${twin.path}, too`}.`,
    next: 'Give each page an id of its own.',
  });
}

function toBenchmark(declared: GuestDeclaration, from: string): Benchmark {
  const { id, version, title, description, metric } = declared;
  const guest = toGuest(declared, from);
  const where =
    guest.place.kind === 'url' ? `at ${guest.place.url}` : 'from a folder of this machine';
  return {
    ...{ id, version, title },
    description: description ?? `A page that is not ours, ${where}.`,
    page: 'index.html',
    parameters: [],
    metrics: [metric],
    guest,
  };
}

function toGuest({ folder, page, url, begin, result }: GuestDeclaration, from: string): Guest {
  const place: Guest['place'] =
    url === undefined
      ? { kind: 'folder', folder: resolve(from, folder ?? ''), page: page ?? 'index.html' }
      : { kind: 'url', url };
  return { place, ...(begin === undefined ? {} : { begin }), reader: result as Guest['reader'] };
}

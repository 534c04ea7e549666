/** Pages of one's own as a run keeps them: found again, and seen to be what they were. */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Caller } from '../../../core/app/caller.ts';
import { cannotResume } from '../../../core/app/run/continue-run.ts';
import type { Benchmark, ExternalPlace } from '../../../core/model/case.ts';
import type { OwnPage, OwnPagePlaces, OwnPages, RunRecord } from '../../../core/model/run.ts';
import type { ExternalFolders } from '../../../core/server/files.ts';
import { run } from './git.ts';
import { fileOfAddress } from './on-disk.ts';
import { fromRegistry } from './packages.ts';
import { nameVersions, type VersionedPage, withFolders } from './resolve.ts';

/** Copies the options that say where pages lie. */
export function pickPlaces(options: OwnPagePlaces): OwnPagePlaces {
  const { page, root, spa, build, buildDeadline, submodules, as, dev, server, url } = options;
  const all = { page, root, spa, build, buildDeadline, submodules, as, dev, server, url };
  // Options that were not given are undefined, which JSON leaves out.
  return JSON.parse(JSON.stringify(all)) as OwnPagePlaces;
}

/** Real paths of files, by the name under which their folder is served. */
export type SentFiles = Map<string, Set<string>>;

/** The same folders, which note what is sent of them. */
export function noteSent(folders: ExternalFolders, sent: SentFiles): ExternalFolders {
  return new Map(
    Array.from(folders, ([mount, folder]) => {
      const files = new Set<string>();
      sent.set(mount, files);
      return [mount, { ...folder, onSent: (file: string) => void files.add(file) }];
    }),
  );
}

/**
 * Describes a page for its run.
 * @param sent by version, the real paths of the files that a browser asked for
 */
export function describePage(
  benchmark: Benchmark,
  { page, versions }: VersionedPage,
  sent: readonly ReadonlySet<string>[],
): OwnPage {
  const { guest } = benchmark;
  if (guest === undefined) throw new TypeError(`${benchmark.id} is no page of one's own`);
  const places = guest.places.map(({ place, ...one }) => ({ ...one, place: withoutAccess(place) }));
  const files = versions.map(({ place }, index) => digestsOf(place, sent[index] ?? new Set()));
  return { page, benchmark: { ...benchmark, guest: { ...guest, places } }, files };
}

/** Secrets stay out of the store. */
function withoutAccess(place: ExternalPlace): ExternalPlace {
  if (place.kind !== 'url') return place;
  const { kind, url, leadsTo } = place;
  return { kind, url, ...(leadsTo !== undefined && { leadsTo }) };
}

/** SHA-256 of each file by its path from the folder; of the page itself in any case. */
function digestsOf(
  place: ExternalPlace,
  sent: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  if (place.kind === 'url') return {};
  const top = realpathSync(place.folder);
  const page = fileOfAddress({ ...place, page: place.page.replace(/[?#].*$/s, '') });
  const paths = [page, ...sent].map((file) => {
    const path = relative(top, file);
    return isAbsolute(path) || path.split(sep)[0] === '..' ? file : path;
  });
  return Object.fromEntries(
    [...new Set(paths)].sort().flatMap((path) => {
      const digest = digestOf(resolve(top, path));
      return digest === null ? [] : [[path, digest] as const];
    }),
  );
}

/** Null for a file that is not there. */
function digestOf(path: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return null;
  }
}

interface Using<T> {
  readonly caller: Caller;
  readonly use: (benchmarks: readonly Benchmark[]) => Promise<T>;
}

/**
 * Finds the pages of a run again, git refs at their commits and packages in their versions.
 * @throws FarmError `bad-argument` where one is gone, or has changed since the run
 */
export async function withPagesAgain<T>(
  record: RunRecord,
  pages: OwnPages,
  { caller, use }: Using<T>,
): Promise<T> {
  const { from, access, versions, places } = pages;
  if (access.length > 0) {
    const options = access.map((one) => one.replace(/ .*/s, '')).join(', ');
    throw cannotResume(record, `its pages were opened with ${options}, and no secret is stored`);
  }
  const exact = versions.map((one) => one.exact ?? one.name);
  const names = [...new Set(exact)];
  // Folders were built where they lie.
  const where = { ...places, from, isBuilt: true };
  const named = await nameVersions(names, where, caller);
  return withFolders(named, where, {
    caller,
    use: (_, placed) => {
      const inOrder = placed.map((one) => ({
        ...one,
        versions: exact.flatMap((name) => one.versions[names.indexOf(name)] ?? []),
      }));
      return use(pages.pages.map((page) => placeAgain(record, { pages, page }, inOrder)));
    },
  });
}

interface StoredPage {
  readonly pages: OwnPages;
  readonly page: OwnPage;
}

function placeAgain(
  record: RunRecord,
  { pages, page: { page, benchmark, files } }: StoredPage,
  placed: readonly VersionedPage[],
): Benchmark {
  const now = placed.find((one) => one.page === page);
  const { guest } = benchmark;
  if (now === undefined || guest === undefined) {
    throw cannotResume(record, `${page ?? 'its page'} is not in all versions any more`);
  }
  for (const [index, { name, exact }] of pages.versions.entries()) {
    const place = now.versions[index]?.place;
    // A commit says what its files are; a build of it may give other bytes each time.
    if (place?.kind !== 'folder' || (exact !== undefined && !exact.startsWith(fromRegistry))) {
      continue;
    }
    const changed = findChanged(place.folder, files[index] ?? {});
    if (changed !== null) {
      throw cannotResume(record, `${changed} of ${name} has changed since, or is gone`);
    }
  }
  const places = guest.places.map(({ version, place }, index) => ({
    ...(version !== undefined && { version }),
    place: leadingAsBefore(place, now.versions[index]?.place ?? place),
  }));
  return { ...benchmark, guest: { ...guest, places } };
}

/** The path of a file that is not as it was; null where all are. */
function findChanged(folder: string, files: Readonly<Record<string, string>>): string | null {
  const found = Object.entries(files).find(
    ([path, digest]) => digestOf(resolve(folder, path)) !== digest,
  );
  return found?.[0] ?? null;
}

/** A server of the version's own may have another port now. */
function leadingAsBefore(before: ExternalPlace, now: ExternalPlace): ExternalPlace {
  if (before.kind !== 'url' || now.kind !== 'url' || before.leadsTo === undefined) return now;
  const [from, to] = [new URL(before.url).host, new URL(now.url).host];
  return { ...now, leadsTo: before.leadsTo.map((one) => one.replace(from, to)) };
}

/**
 * Finds what has changed since a run: a file of a version on the disk, or the commit of a ref. Packages
 * and pages at URLs cannot be seen to.
 * @returns half a sentence; null where nothing has
 */
export async function findChange(
  { from, versions, pages }: OwnPages,
  { signal }: Pick<Caller, 'signal'>,
): Promise<string | null> {
  for (const [index, { name, exact }] of versions.entries()) {
    if (exact === undefined) {
      for (const { benchmark, files } of pages) {
        const place = benchmark.guest?.places[index]?.place;
        const changed =
          place?.kind === 'folder' ? findChanged(place.folder, files[index] ?? {}) : null;
        if (changed !== null) return `${changed} of ${name} has changed`;
      }
    } else if (!exact.startsWith(fromRegistry)) {
      const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
      const { output } = await run('git', args, { signal, cwd: from });
      if (output !== exact) return `${name} is another commit now`;
    }
  }
  return null;
}

import { functionTimes, type Category, type Profile } from './profile.ts';

/** A function, or a kind of work of the browser, with its time of one operation. */
export interface BusyFunction {
  /** The page's: hostile until it is escaped. */
  readonly name: string;
  readonly source: string;
  /** From 1 on; null where it is not known. */
  readonly line: number | null;
  /** Source and line as one reads them; empty for work of the browser. */
  readonly place: string;
  readonly category: Category;
  readonly selfMs: number;
  readonly totalMs: number;
  /** Of the busy time of all threads of the page, 0–1. */
  readonly share: number;
}

/** Lists functions by their self time, those of helper threads and idle time left out. */
export function listBusiest(profile: Profile): readonly BusyFunction[] {
  const times = [...functionTimes(profile, ({ role }) => role !== 'helper').values()].filter(
    ({ selfMs, function: { category } }) => selfMs > 0 && category !== 'idle',
  );
  const busyMs = times.reduce((sum, { selfMs }) => sum + selfMs, 0);
  return times
    .map(({ function: { name, url, line, category }, selfMs, totalMs }) => ({
      name: category === 'script' ? name : `(${category})`,
      source: url,
      line: line > 0 ? line : null,
      place: url === '' || category !== 'script' ? '' : `${shortPath(url)}:${String(line)}`,
      category,
      selfMs,
      totalMs,
      share: selfMs / busyMs,
    }))
    .sort((a, b) => b.selfMs - a.selfMs);
}

function shortPath(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1) || url;
}

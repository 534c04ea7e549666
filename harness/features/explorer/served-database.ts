import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiSources } from '../../core/server/api/sources.ts';
import { openHistory } from '../../core/store/history/history.ts';
import { openStore } from '../../core/store/store.ts';
import { analyseAside } from './analysis-process.ts';
import { apiSources, type SourceOptions } from './serve-sources.ts';

export interface ServedDatabase {
  readonly sources: ApiSources;
  close(): Promise<void>;
}

/**
 * Opens a database for the explorer. One that is not there is not made by looking at it: an empty one
 * stands for it, in a folder that goes again, until a farm has made it. Errors: those of `openStore`.
 */
export async function openServed(
  database: string,
  options: Omit<SourceOptions, 'analyst'>,
): Promise<ServedDatabase> {
  if (existsSync(database)) return openConnections(database, options);
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-'));
  const empty = await openConnections(join(folder, 'farm.db'), options);
  let made: Promise<ServedDatabase> | null = null;
  let current = empty;
  const look = async (): Promise<void> => {
    if (made === null && !existsSync(database)) return;
    made ??= openConnections(database, options);
    try {
      current = await made;
    } catch (error) {
      // It may be on its way: the next question looks again.
      made = null;
      throw error;
    }
  };
  return {
    sources: latest(() => current.sources, look),
    async close() {
      await empty.close();
      await (await made?.catch(() => null))?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The sources of whichever database is open now; every answer begins with its last change. */
function latest(current: () => ApiSources, look: () => Promise<void>): ApiSources {
  const first = current();
  // The counts of changes of two databases are not one count.
  const name = (): string => (current() === first ? 'empty' : 'made');
  const history = following(() => current().history, {
    async lastChange() {
      await look();
      return `${name()} ${await current().history.lastChange()}`;
    },
  });
  // Those of the same features, so that they are the same, in the same order.
  const added = {
    endpoints: first.added.endpoints.map((one, index) =>
      following(() => current().added.endpoints[index] ?? one, {}),
    ),
    pages: first.added.pages.map((one, index) =>
      following(() => current().added.pages[index] ?? one, 'file' in one ? { file: one.file } : {}),
    ),
  };
  return following(current, { history, added });
}

/** An object with the members of the current one, except for some that it replaces. */
function following<Held extends object>(held: () => Held, own: Partial<Held>): Held {
  return new Proxy(own as Held, {
    get: (members, name) => Reflect.get(name in members ? members : held(), name) as unknown,
  });
}

async function openConnections(
  database: string,
  options: Omit<SourceOptions, 'analyst'>,
): Promise<ServedDatabase> {
  const store = await openStore(database);
  const history = await openHistory(database);
  const analyst = analyseAside(database);
  const sources = await apiSources(history, store, { ...options, analyst });
  return {
    sources,
    async close() {
      await analyst.close();
      await store.close();
      await history.close();
    },
  };
}

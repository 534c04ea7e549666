import { cpus } from 'node:os';
import type { FastifyInstance } from 'fastify';
import { explorerFolder, farmVersion } from '../../core/project.ts';
import type { ApiSources } from '../../core/server/api/sources.ts';
import { startExplorer } from '../../core/server/api/app.ts';
import { type CoreTime, startPageServer } from '../../core/server/page-server.ts';
import { openServed, type ServedDatabase } from './served-database.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadCatalog } from '../../core/plan/catalog/catalog.ts';
import type { OpenableResponse } from '../../core/server/api/other-response.ts';

export interface ExplorerOptions {
  readonly database: string;
  /** 0 is any free one. */
  readonly port: number;
  /** The folder of benchmark pages, which are served as well for a person who opens them. */
  readonly pages: string;
  /** Where devices may join, asked each time; without it none may. */
  readonly joining?: ApiSources['joining'] | undefined;
  /** Lets visitors of the benchmark pages keep what they measured; nothing is kept without it. */
  readonly visits?: AddVisits | undefined;
}

/** Adds the routes by which a visit is stored in a database, and shown by an explorer. */
export type AddVisits = (
  app: FastifyInstance,
  place: {
    readonly database: string;
    readonly pages: string;
    readonly explorer: () => string | null;
  },
) => Promise<void>;

export interface OpenExplorer {
  /** Of this machine's loopback. */
  readonly origin: string;
  /** Where the benchmarks are listed; a page that is opened there runs, and stores nothing unasked. */
  readonly benchmarks: string;
  close(): Promise<void>;
}

/**
 * Serves the explorer of everything stored, and its API, until it is closed. A run may go on
 * meanwhile: what it stores is shown. A database that is not there yet is not made.
 * Errors: those of the store and of the server.
 */
export async function openExplorer({
  database,
  port,
  pages,
  joining,
  visits,
}: ExplorerOptions): Promise<OpenExplorer> {
  // Of separate origins: scripts of a page must not read the explorer's contents.
  let shownAt: string | null = null;
  const place = { database, pages, explorer: () => shownAt };
  const door = visits && ((app: FastifyInstance) => visits(app, place));
  const benchmarks = await startPageServer({ pages, port: 0, coreTimes, ...(door && { door }) });
  let served: ServedDatabase | undefined;
  try {
    const openable = (): ReturnType<typeof openablePages> =>
      openablePages(pages, benchmarks.origin);
    served = await openServed(database, { openable, ...(joining && { joining }) });
    const explorer = { sources: served.sources, explorer: explorerFolder() };
    const server = await startExplorer({ ...explorer, version: farmVersion() }, port);
    shownAt = server.origin;
    const opened = served;
    return {
      origin: server.origin,
      benchmarks: benchmarks.origin,
      close: async () => {
        await benchmarks.close();
        await server.close();
        await opened.close();
      },
    };
  } catch (error) {
    await served?.close();
    await benchmarks.close();
    throw error;
  }
}

function coreTimes(): readonly CoreTime[] {
  return cpus().map(({ times: { user, nice, sys, irq, idle } }) => ({
    busyMs: user + nice + sys + irq,
    idleMs: idle,
  }));
}

/**
 * The benchmarks that a person can open, each with the address of its page as it is served, with its
 * usual parameters. Pages that are not ours are opened where they are.
 * Errors: those of `loadCatalog`.
 */
export async function openablePages(
  pages: string,
  origin: string,
): Promise<OpenableResponse['benchmarks']> {
  const { benchmarks } = await loadCatalog(pages);
  return benchmarks
    .filter(({ guest, hosts = ['browser'] }) => guest === undefined && hosts.includes('browser'))
    .map(({ id, title, description, page, parameters: declared }) => {
      const parameters = Object.fromEntries(declared.map((one) => [one.name, one.default]));
      const url = new URL(`${id}/${page}`, origin);
      for (const [name, value] of Object.entries(parameters)) {
        url.searchParams.set(name, String(value));
      }
      const hasTry = existsSync(join(pages, id, 'try.html'));
      const tryUrl = hasTry ? new URL(`${id}/try.html`, origin).href : null;
      return { benchmark: id, title, description, parameters, url: url.href, tryUrl };
    });
}

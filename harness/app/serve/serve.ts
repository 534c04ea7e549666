import { existsSync } from 'node:fs';
import { FarmError } from '../../errors.ts';
import { explorerFolder, farmVersion } from '../../project.ts';
import type { ApiSources } from '../../server/api/sources.ts';
import { startExplorer } from '../../server/api/explorer-server.ts';
import { startPageServer } from '../../server/page-server.ts';
import { openHistory } from '../../store/history/history.ts';
import { openStore } from '../../store/store.ts';
import { apiSources } from './serve-sources.ts';
import { analyseAside } from './analysis-process.ts';

export interface ExplorerOptions {
  readonly database: string;
  /** 0 is any free one. */
  readonly port: number;
  /** The folder of benchmark pages, which are served beside it for a person who opens them. */
  readonly pages: string;
  /** Where devices may join, asked each time; without it none may, and there must be a database. */
  readonly joining?: ApiSources['joining'] | undefined;
}

export interface OpenExplorer {
  /** Of this machine's loopback. */
  readonly origin: string;
  /** Where the benchmarks are listed; a page that is opened there runs, and stores nothing. */
  readonly benchmarks: string;
  close(): Promise<void>;
}

/**
 * Serves the explorer of everything stored, and its API, until it is closed. A run may go on
 * meanwhile: what it stores is shown.
 * @throws FarmError `unknown-run` without a database, and those of the server.
 */
export async function openExplorer({
  database,
  port,
  pages,
  joining,
}: ExplorerOptions): Promise<OpenExplorer> {
  // Opening would create the file, and reading must not.
  if (joining === undefined && !existsSync(database)) {
    throw new FarmError('unknown-run', {
      what: `There is nothing to serve: ${database} does not exist.`,
      next: 'Make it: farm run; or name another with --database.',
    });
  }
  const store = await openStore(database);
  const history = await openHistory(database);
  const analyst = analyseAside(database);
  const closeSources = async (): Promise<void> => {
    await analyst.close();
    await store.close();
    await history.close();
  };
  try {
    const sources = apiSources(history, store, { analyst, ...(joining && { joining }) });
    const explorer = { sources, explorer: explorerFolder(), version: farmVersion() };
    const server = await startExplorer(explorer, port);
    // Of their own origin: scripts of a page must not read what the explorer shows.
    const benchmarks = await startPageServer({ pages, port: 0 }).catch(async (error: unknown) => {
      await server.close();
      throw error;
    });
    return {
      origin: server.origin,
      benchmarks: benchmarks.origin,
      close: async () => {
        await benchmarks.close();
        await server.close();
        await closeSources();
      },
    };
  } catch (error) {
    await closeSources();
    throw error;
  }
}

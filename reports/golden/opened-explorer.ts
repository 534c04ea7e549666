/** The explorer in a real Chromium, served as `farm serve` does it, for the tests of this folder. */
import '../../harness/features.ts';
import {
  test,
  type Browser,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from '@playwright/test';
import { apiSources } from '../../harness/features/explorer/serve-sources.ts';
import { explorerFolder } from '../../harness/core/project.ts';
import { startExplorer } from '../../harness/core/server/api/app.ts';
import type { ApiSources } from '../../harness/core/server/api/sources.ts';
import { openHistory } from '../../harness/core/store/history/history.ts';
import { openStore, type Store } from '../../harness/core/store/store.ts';
import { aStoredHistory } from '../../harness/testing/stored-history.ts';
import { useChromium } from './opened-page.ts';

/** Opens pages of one server, each in its own context. */
export interface ExplorerPages {
  /** For example `http://127.0.0.1:8710`. */
  readonly origin: () => string;
  readonly newPage: (options?: BrowserContextOptions) => Promise<Page>;
  /** Explore, with what its address says. */
  readonly open: (query?: string, options?: BrowserContextOptions) => Promise<Page>;
  /** Any page of the explorer, by its path. */
  readonly visit: (path: string, options?: BrowserContextOptions) => Promise<Page>;
}

/** An explorer of one test, which may write into its database. */
export interface OwnExplorer extends ExplorerPages {
  /** Another connection to the database: the farm that measures meanwhile. */
  readonly store: Store;
}

/** The pages are of a database that all tests share: none may write into it. */
export interface OpenedExplorer extends ExplorerPages {
  /** Serves another database, for this test alone; one of the same kind when left out. */
  readonly serveOwn: (database?: MakeDatabase) => Promise<OwnExplorer>;
  /** Errors, warnings, violations of the policy, and requests to other hosts, in this test. */
  readonly complaints: () => readonly string[];
  /** Of the table of series. */
  readonly rows: (page: Page) => Locator;
}

/** Makes a database, and gives its path. */
type MakeDatabase = () => Promise<string>;

export interface ServedExplorer {
  /** Two nights when left out. */
  readonly database?: MakeDatabase;
  readonly joining?: ApiSources['joining'];
  readonly openable?: ApiSources['openable'];
  /** One that the file has already; its own when left out. */
  readonly browser?: () => Browser;
}

/** One browser, one database and one server for all tests of a file. */
export function useExplorer({
  database = aStoredHistory,
  browser = useChromium(),
  ...sources
}: ServedExplorer = {}): OpenedExplorer {
  let complaints: string[] = [];
  let shared: Serving | undefined;
  let own: Serving[] = [];
  test.beforeAll(async () => {
    shared = await serveExplorer(await database(), sources);
  });
  test.afterAll(() => shared?.close());
  test.beforeEach(() => {
    complaints = [];
  });
  test.afterEach(async () => {
    const ended = own;
    own = [];
    // Pages that follow a run are connected until they are closed.
    await Promise.all(browser().contexts().map((context) => context.close()));
    await Promise.all(ended.map((one) => one.close()));
  });
  const pagesOf = (serving: () => Serving): ExplorerPages =>
    explorerPages(
      () => serving().origin,
      async (options) => {
        const page = await (await browser().newContext(options)).newPage();
        listen(page, serving().origin, complaints);
        return page;
      },
    );
  return {
    ...pagesOf(() => {
      if (shared === undefined) throw new Error('The server was not started.');
      return shared;
    }),
    serveOwn: async (make = database) => {
      const serving = await serveExplorer(await make(), sources);
      own.push(serving);
      return { ...pagesOf(() => serving), store: serving.store };
    },
    complaints: () => complaints,
    rows: (page) => page.locator('#table tbody tr'),
  };
}

function explorerPages(
  origin: ExplorerPages['origin'],
  newPage: ExplorerPages['newPage'],
): ExplorerPages {
  const visit: ExplorerPages['visit'] = async (path, options) => {
    const page = await newPage(options);
    await page.goto(`${origin()}${path}`);
    return page;
  };
  return { origin, newPage, visit, open: (query = '', options) => visit(`/explore${query}`, options) };
}

/** A server of the explorer, until it is closed. */
export interface Serving {
  readonly origin: string;
  readonly store: Store;
  close(): Promise<void>;
}

/** Serves a database as `farm serve` does it, but that this process analyses. */
export async function serveExplorer(
  path: string,
  asked: Pick<ServedExplorer, 'joining' | 'openable'> = {},
): Promise<Serving> {
  const [history, store] = [await openHistory(path), await openStore(path)];
  const sources = await apiSources(history, store, asked);
  const options = { sources, explorer: explorerFolder(), version: '0.0.0', everyMs: 20 };
  const server = await startExplorer(options, 0);
  return {
    origin: server.origin,
    store,
    async close() {
      await server.close();
      await history.close();
      await store.close();
    },
  };
}

function listen(page: Page, origin: string, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) complaints.push(request.url());
  });
}

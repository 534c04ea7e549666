/** The explorer in a real Chromium, served as `farm serve` does it, for the tests of this folder. */
import { test, type BrowserContextOptions, type Locator, type Page } from '@playwright/test';
import { apiSources } from '../../harness/app/serve/serve-sources.ts';
import type { History } from '../../harness/model/history.ts';
import { explorerFolder } from '../../harness/project.ts';
import {
  startExplorer,
  type ExplorerServer,
} from '../../harness/server/api/explorer-server.ts';
import type { ApiSources } from '../../harness/server/api/sources.ts';
import { openHistory } from '../../harness/store/history/history.ts';
import { openStore, type Store } from '../../harness/store/store.ts';
import { aStoredHistory } from '../../harness/testing/stored-history.ts';
import { useChromium } from './opened-page.ts';

export interface OpenedExplorer {
  readonly server: () => ExplorerServer;
  /** Another connection to the database: the farm that measures meanwhile. */
  readonly store: () => Store;
  /** Errors, warnings, violations of the policy, and requests to other hosts. */
  readonly complaints: () => readonly string[];
  readonly newPage: (options?: BrowserContextOptions) => Promise<Page>;
  /** Explore, with what its address says. */
  readonly open: (query?: string, options?: BrowserContextOptions) => Promise<Page>;
  /** Any page of the explorer, by its path. */
  readonly visit: (path: string, options?: BrowserContextOptions) => Promise<Page>;
  /** Of the table of series. */
  readonly rows: (page: Page) => Locator;
}

export interface Served {
  /** Makes the database, and gives its path; two nights when left out. */
  readonly database?: () => Promise<string>;
  readonly joining?: ApiSources['joining'];
  readonly openable?: ApiSources['openable'];
}

/** One browser for all tests of a file, and a database and a server for each. */
export function useExplorer({
  database = aStoredHistory,
  ...served
}: Served = {}): OpenedExplorer {
  const browser = useChromium();
  let complaints: string[] = [];
  let serving: { server: ExplorerServer; store: Store; history: History } | undefined;
  const now = () => {
    if (serving === undefined) throw new Error('The server was not started.');
    return serving;
  };
  test.beforeEach(async () => {
    complaints = [];
    const path = await database();
    const [history, store] = [await openHistory(path), await openStore(path)];
    const sources = apiSources(history, store, served);
    const options = { sources, explorer: explorerFolder(), version: '0.0.0', everyMs: 20 };
    serving = { server: await startExplorer(options, 0), store, history };
  });
  test.afterEach(async () => {
    await Promise.all(browser().contexts().map((context) => context.close()));
    const { server, history, store } = now();
    await server.close();
    await history.close();
    await store.close();
  });
  const newPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await (await browser().newContext(options)).newPage();
    listen(page, now().server.origin, complaints);
    return page;
  };
  const visit = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await newPage(options);
    await page.goto(`${now().server.origin}${path}`);
    return page;
  };
  return {
    server: () => now().server,
    store: () => now().store,
    complaints: () => complaints,
    newPage,
    open: (query = '', options = {}) => visit(`/explore${query}`, options),
    visit,
    rows: (page) => page.locator('#table tbody tr'),
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

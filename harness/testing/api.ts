import '../features.ts';
import { test } from '@playwright/test';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { apiSources } from '../features/explorer/serve-sources.ts';
import type { Analyst } from '../features/explorer/analyst.ts';
import { explorerFolder } from '../core/project.ts';
import { createApp } from '../core/server/api/app.ts';
import type { ApiSources } from '../core/server/api/sources.ts';
import { openHistory } from '../core/store/history/history.ts';
import { openStore, type Store } from '../core/store/store.ts';
import { aStoredHistory } from './stored-history.ts';

/** The API over a separate database for a test, without a network. */
export interface TestApi {
  readonly app: FastifyInstance;
  readonly sources: ApiSources;
  /** Another connection to the same database, as of a farm that measures meanwhile. */
  readonly store: Store;
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

/** The host of an application that does not listen. */
const host = 'localhost:0';

/** Starts the API, over a stored history unless another database is given. The analysis runs in the test’s process, unless another analyst is given. */
export async function aTestApi(
  analystOf?: (path: string) => Analyst,
  database?: string,
): Promise<TestApi> {
  const path = database ?? (await aStoredHistory());
  const history = await openHistory(path);
  const store = await openStore(path);
  const analyst = analystOf?.(path);
  const sources = await apiSources(history, store, analyst === undefined ? {} : { analyst });
  const options = { sources, explorer: explorerFolder(), version: '0.0.0', everyMs: 5 };
  const app = await createApp(options);
  return {
    app,
    sources,
    store,
    get: (url, headers = {}) => app.inject({ url, headers: { host, ...headers } }),
    async close() {
      await app.close();
      await history.close();
      await store.close();
    },
  };
}

/** The API of a file or a block of tests. */
export interface UsedApi {
  /** Over a database that all tests share: none may write into it. */
  readonly shared: () => Pick<TestApi, 'app' | 'sources' | 'get'>;
  /** Over another database, for this test alone, which may write into it. */
  readonly own: () => Promise<TestApi>;
}

/** Starts the API once for all tests that only read, and again for each that asks for its own. */
export function useTestApi(
  fill: (store: Store) => Promise<void> = () => Promise.resolve(),
): UsedApi {
  let shared: TestApi | undefined;
  let own: TestApi[] = [];
  const start = async (): Promise<TestApi> => {
    const api = await aTestApi();
    await fill(api.store);
    return api;
  };
  test.beforeAll(async () => {
    shared = await start();
  });
  test.afterAll(() => shared?.close());
  test.afterEach(async () => {
    const ended = own;
    own = [];
    await Promise.all(ended.map((api) => api.close()));
  });
  return {
    shared: () => {
      if (shared === undefined) throw new Error('The API was not started.');
      return shared;
    },
    own: async () => {
      const api = await start();
      own.push(api);
      return api;
    },
  };
}

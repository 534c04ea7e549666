import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { apiSources } from '../app/serve/serve-sources.ts';
import type { Analyst } from '../app/serve/analyst.ts';
import { explorerFolder } from '../project.ts';
import { createApp } from '../server/api/app.ts';
import type { ApiSources } from '../server/api/sources.ts';
import { openHistory } from '../store/history/history.ts';
import { openStore, type Store } from '../store/store.ts';
import { aStoredHistory } from './stored-history.ts';

/** The API over a database of a test's own, asked without a network. */
export interface TestApi {
  readonly app: FastifyInstance;
  readonly sources: ApiSources;
  /** Another connection to the same database: the farm that measures meanwhile. */
  readonly store: Store;
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

/** As it is when the application listens nowhere. */
const host = 'localhost:0';

/** The analysis answers in the test’s own process, unless another analyst is made for the database. */
export async function aTestApi(analystOf?: (path: string) => Analyst): Promise<TestApi> {
  const path = await aStoredHistory();
  const history = await openHistory(path);
  const store = await openStore(path);
  const analyst = analystOf?.(path);
  const sources = apiSources(history, store, analyst === undefined ? {} : { analyst });
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

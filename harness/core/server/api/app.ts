import type { FastifyInstance, FastifyReply } from 'fastify';
import { analysisRoutes } from './analysis-routes.ts';
import { addDoorkeeping } from './doorkeeping.ts';
import { addEndpoint, type Endpoint } from './endpoint.ts';
import { addEvents } from './events.ts';
import { addExplorerPages } from './explorer-pages.ts';
import { firstStudyRoutes } from './first-study-routes.ts';
import { historyRoutes } from './history-routes.ts';
import { otherRoutes } from './other-routes.ts';
import { addProblems, describeProblem, sendProblem } from './problems.ts';
import { sendRefusalPage, wantsPage } from './refusal-page.ts';
import type { ApiSources } from './sources.ts';
import { trialRoutes } from './trial-routes.ts';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { closeInTime, createServer, listen } from '../../http-server.ts';

export interface ApiOptions {
  readonly sources: ApiSources;
  /** The folder of the explorer's files. */
  readonly explorer: string;
  /** Version of the farm. */
  readonly version: string;
  /** The interval at which the store is asked for progress for a listener. */
  readonly everyMs?: number;
}

/** Every path of the API that answers with JSON. */
export function listEndpoints(sources: ApiSources): readonly Endpoint[] {
  return [
    ...historyRoutes(sources),
    ...trialRoutes(sources),
    ...analysisRoutes(sources),
    ...otherRoutes(sources),
    ...sources.added.endpoints,
    ...firstStudyRoutes(sources),
  ];
}

/** The API and the explorer as an application that listens nowhere yet. */
export async function createApp({
  sources,
  explorer,
  version,
  everyMs = 1_000,
}: ApiOptions): Promise<FastifyInstance> {
  const app = await createServer({
    frameworkErrors(error, _request, reply) {
      void sendProblem(reply as unknown as FastifyReply, describeProblem(error));
    },
  });
  // Parameters are parsed, and answers written, by the endpoints; their schemas are the document.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  addDoorkeeping(app);
  addProblems(app, (request, reply, missing) =>
    wantsPage(request) ? sendRefusalPage(reply, missing, sources.history) : null,
  );
  await addOpenApi(app, version);
  for (const one of listEndpoints(sources))
    addEndpoint(app, one, () => sources.history.lastChange());
  addEvents(app, sources, { everyMs });
  await addExplorerFiles(app, explorer);
  addExplorerPages(app, sources);
  return app;
}

export interface ExplorerServer {
  /** For example `http://127.0.0.1:8710`. */
  readonly origin: string;
  /** Ends every connection, those that listen for progress too. Takes two seconds at most. */
  close(): Promise<void>;
}

const host = '127.0.0.1';

/** Serves the explorer and the API to this machine. @throws FarmError `port-in-use`, `bad-argument`. */
export async function startExplorer(options: ApiOptions, port: number): Promise<ExplorerServer> {
  const app = await createApp(options);
  await listen(app, { port, host });
  const { port: used } = app.server.address() as AddressInfo;
  return {
    origin: `http://${host}:${String(used)}`,
    close: () => closeInTime(app),
  };
}

/** Collects the schemas of the routes that are added after it, and serves them as one document. */
async function addOpenApi(app: FastifyInstance, version: string): Promise<void> {
  const { fastifySwagger } = await import('@fastify/swagger');
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'crossfarm',
        version,
        description:
          'Everything that a farm has measured, to be read. Numbers travel with their unit; a missing number is null. Version 1 gains members and loses none.',
      },
    },
  });
  app.get('/api/openapi.json', { schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'no-cache').send(JSON.stringify(app.swagger())),
  );
}

/** Serves the files of the explorer, and what its scripts share with those of the reports. */
async function addExplorerFiles(app: FastifyInstance, folder: string): Promise<void> {
  const { fastifyStatic } = await import('@fastify/static');
  const usual = {
    cacheControl: false,
    dotfiles: 'ignore',
    list: false,
    index: false,
    allowedPath: (path: string) => /\.(html|js|css|svg)$/.test(path),
    setHeaders(reply: { setHeader(name: string, value: string): void }) {
      reply.setHeader('cache-control', 'no-cache');
    },
  } as const;
  await app.register(fastifyStatic, { ...usual, root: folder });
  const shared = join(folder, '..', 'client');
  await app.register(fastifyStatic, {
    ...usual,
    root: shared,
    prefix: '/client/',
    decorateReply: false,
  });
}

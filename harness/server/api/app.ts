import type { FastifyInstance, FastifyReply } from 'fastify';
import { createServer } from '../../http-server.ts';
import { analysisRoutes } from './analysis-routes.ts';
import { addDoorkeeping } from './doorkeeping.ts';
import { addEndpoint, type Endpoint } from './endpoint.ts';
import { addEvents } from './events.ts';
import { addExplorerFiles } from './explorer-files.ts';
import { addExplorerPages } from './explorer-pages.ts';
import { firstStudyRoutes } from './first-study-routes.ts';
import { historyRoutes } from './history-routes.ts';
import { homeRoutes } from './home-routes.ts';
import { addOpenApi } from './openapi.ts';
import { otherRoutes } from './other-routes.ts';
import { addProblems, describeProblem, sendProblem } from './problems.ts';
import type { ApiSources } from './sources.ts';
import { trialRoutes } from './trial-routes.ts';

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
    ...homeRoutes(sources),
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
  addProblems(app);
  await addOpenApi(app, version);
  for (const one of listEndpoints(sources))
    addEndpoint(app, one, () => sources.history.lastChange());
  addEvents(app, sources, { everyMs });
  await addExplorerFiles(app, explorer);
  addExplorerPages(app, sources);
  return app;
}

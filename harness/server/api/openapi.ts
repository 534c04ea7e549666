import type { FastifyInstance } from 'fastify';

/** Collects the schemas of the routes that are added after it, and serves them as one document. */
export async function addOpenApi(app: FastifyInstance, version: string): Promise<void> {
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

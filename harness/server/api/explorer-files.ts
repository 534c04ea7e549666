import type { FastifyInstance } from 'fastify';

/** Serves the files of the explorer. */
export async function addExplorerFiles(app: FastifyInstance, folder: string): Promise<void> {
  const { fastifyStatic } = await import('@fastify/static');
  await app.register(fastifyStatic, {
    root: folder,
    cacheControl: false,
    dotfiles: 'ignore',
    list: false,
    index: false,
    allowedPath: (path) => /\.(html|js|css|svg)$/.test(path),
    setHeaders(reply) {
      reply.setHeader('cache-control', 'no-cache');
    },
  });
}

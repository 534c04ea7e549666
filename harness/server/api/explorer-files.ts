import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';

/** Serves the files of the explorer, and what its scripts share with those of the reports. */
export async function addExplorerFiles(app: FastifyInstance, folder: string): Promise<void> {
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

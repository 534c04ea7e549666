import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';

/** Serves the explorer, and beside it the chart library that it draws with, as npm brought them. */
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
  for (const [url, { root, file }] of Object.entries(vendoredFiles())) {
    app.get(url, { schema: { hide: true } }, (_request, reply) =>
      reply.header('cache-control', 'no-cache').sendFile(file, root),
    );
  }
}

interface VendoredFile {
  readonly root: string;
  readonly file: string;
}

/** Plot's build for a page without a bundler takes d3 from beside it. */
function vendoredFiles(): Readonly<Record<string, VendoredFile>> {
  const plot = createRequire(import.meta.url).resolve('@observablehq/plot');
  const d3 = createRequire(plot).resolve('d3');
  return {
    '/vendor/plot.js': { root: join(dirname(plot), '..', 'dist'), file: 'plot.umd.min.js' },
    '/vendor/d3.js': { root: dirname(d3), file: 'd3.min.js' },
  };
}

import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { NetworkCondition } from '../model/case.ts';
import { type AdaptedFile, loadAdapter, type PageOfTrial } from './adapter.ts';
import { type GivenOut, givenOut } from './given-out.ts';
import { leaveOpen, findRoute } from './guards.ts';
import { escapeHtml, htmlPage } from './html-page.ts';
import { ShapedLink } from './shaped-link.ts';

/** Serves the files of `pages/`, and at `/` a list of the benchmarks for a person. */
export async function addFiles(app: FastifyInstance, root: string): Promise<void> {
  const { fastifyStatic } = await import('@fastify/static');
  await app.register(fastifyStatic, {
    root,
    // The header `no-store` is set for every answer; a validator would invite a cache all the same.
    cacheControl: false,
    etag: false,
    lastModified: false,
    dotfiles: 'ignore',
    list: false,
    redirect: true,
    allowedPath: (path, _root, request) => findRoute(request) === externalRoute || isPageFile(path),
  });
  app.get('/', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(await listBenchmarks(root)),
  );
  app.setNotFoundHandler((request, reply) => {
    if (request.method === 'GET' || request.method === 'HEAD') {
      return reply.code(404).send('There is no such page.');
    }
    reply.header('allow', 'GET, HEAD').header('connection', 'close');
    return reply.code(405).send('Files can only be read.');
  });
}

const externalRoute = '/guest/:id/*';

/** Tests and declarations lie next to the pages and do not belong to them. */
function isPageFile(path: string): boolean {
  return !/\.(ts|md)$|tsconfig\.json$/i.test(path);
}

async function listBenchmarks(root: string): Promise<string> {
  const entries = await readdir(root, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const items = await Promise.all(folders.sort().map((folder) => describeBenchmark(root, folder)));
  return htmlPage(
    'Benchmarks',
    `<p>Each page runs at once, and shows its result to you alone.</p>
<dl>
${items.join('\n')}
</dl>`,
  );
}

/** A folder without a readable `benchmark.json` is not a benchmark, and is left out of the list. */
async function describeBenchmark(root: string, folder: string): Promise<string> {
  const text = await readFile(join(root, folder, 'benchmark.json'), 'utf8').catch(() => null);
  if (text === null) return '';
  const { page, title, description } = declarationOf(text, folder);
  const href = `/${encodeURIComponent(folder)}/${encodeURIComponent(page)}`;
  return `<dt><a href="${href}">${escapeHtml(title)}</a></dt>\n<dd>${escapeHtml(description)}</dd>`;
}

interface Declaration {
  readonly page: string;
  readonly title: string;
  readonly description: string;
}

/** Lenient: whether a declaration is valid is the catalog's to say, with a sentence. */
function declarationOf(text: string, folder: string): Declaration {
  try {
    const { page, title, description } = JSON.parse(text) as Record<string, unknown>;
    return {
      page: String(page ?? 'index.html'),
      title: String(title ?? folder),
      description: String(description ?? ''),
    };
  } catch (error) {
    const description = `Its benchmark.json is not JSON: ${(error as Error).message}`;
    return { page: 'index.html', title: folder, description };
  }
}

/** A folder of pages that are not ours. */
export interface ExternalFolder {
  readonly folder: string;
  /** Folders that also serve its files, for names that it lacks. */
  readonly beside?: readonly string[];
  /** As fast as it is when left out. */
  readonly network?: NetworkCondition;
  /** Its `index.html` is the page at every address that names no file. */
  readonly spa?: true;
  /** Served without the headers that isolate its pages from other origins. */
  readonly isolated?: false;
  /** Browsers may keep its files, except for the HTML. */
  readonly cached?: true;
  /** Takes the real path of each file that is sent. */
  readonly onSent?: (file: string) => void;
}

/** Folders of pages that are not ours, by the id under which each is served. */
export type ExternalFolders = ReadonlyMap<string, ExternalFolder>;

export interface ExternalPageWatch {
  /** Returns the trial that a document is sent for. */
  trialOf(request: FastifyRequest): PageOfTrial | null;
  /** True where a driver has the head run. */
  isBare(request: FastifyRequest): boolean;
  /** A page asked for what is not there, or cannot be used as what it was asked for. */
  missed(request: FastifyRequest, path: string, why?: string): void;
}

/** Files that browsers ask for by themselves, or developer tools do. */
const askedByBrowsers = /^(favicon\.ico|apple-touch-icon.*|robots\.txt|\.well-known\/.*)$|\.map$/;

/**
 * Serves pages that are not ours as they lie in their folders, below `/guest/<id>/`. Into each HTML
 * file the head of the adapter is put, which speaks the trial protocol in its place.
 */
export async function addExternalPages(
  app: FastifyInstance,
  folders: ExternalFolders,
  { trialOf, isBare, missed }: ExternalPageWatch,
): Promise<void> {
  const links = new Map(
    Array.from(folders, ([id, { network }]) => [id, network && new ShapedLink(network)]),
  );
  const adapter = await loadAdapter();
  app.get<{ Params: { id: string; '*': string } }>(
    externalRoute,
    {
      onSend: async (request, reply, payload) => {
        const why = whyNoScript(request, reply);
        if (why !== null) missed(request, request.params['*'], why);
        return links.get(request.params.id)?.send(payload, farmsBytes(request, reply)) ?? payload;
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const of = folders.get(id);
      if (of === undefined) return notThere(reply);
      if (of.isolated === false) leaveOpen(reply);
      const asked = request.params['*'].replace(/(^|\/)$/, '$1index.html');
      const path = isRoute(asked, request, of) ? 'index.html' : asked;
      const found = givenIn(of, path);
      if (found === null) {
        if (!askedByBrowsers.test(path)) missed(request, path);
        return notThere(reply);
      }
      if (found.kind === 'folder') return toFolder(request, reply);
      const file = join(found.root, found.path);
      of.onSent?.(file);
      if (isHtml(path)) {
        const trial = isFrame(request) ? null : trialOf(request);
        return sendAdapted(reply, file, (bytes) => adapter.page(bytes, trial, isBare(request)));
      }
      if (of.cached) void reply.header('cache-control', 'max-age=3600');
      if (isWorker(request)) return sendAdapted(reply, file, adapter.worker);
      return reply.sendFile(found.path, found.root);
    },
  );

  /** Under any requested type. */
  function farmsBytes(request: FastifyRequest, reply: FastifyReply): number {
    const isPage = /^text\/html/.test(String(reply.getHeader('content-type')));
    if (isPage) return isBare(request) ? 0 : adapter.pageBytes;
    return isWorker(request) ? adapter.workerBytes : 0;
  }
}

/** Reads at once, as `givenOut` looks: a page is small, and each turn in a queue is a part of its load. */
function sendAdapted(
  reply: FastifyReply,
  file: string,
  adapt: (bytes: Buffer) => AdaptedFile,
): FastifyReply {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return notThere(reply);
  }
  const { type, body } = adapt(bytes);
  return reply.type(type).send(body);
}

/** Frames of a page are parts of it; browsers that do not say what they ask for are asked in the page. */
function isFrame({ headers }: FastifyRequest): boolean {
  return /frame|object|embed/.test(String(headers['sec-fetch-dest'] ?? ''));
}

/** Browsers say so of the script of a worker, if its origin is theirs to trust, as the loopback is. */
function isWorker({ headers }: FastifyRequest): boolean {
  return /^(shared)?worker$/.test(String(headers['sec-fetch-dest']));
}

/** Why a browser takes no script of what is sent: that of a module, which it says in its console alone. */
function whyNoScript({ headers }: FastifyRequest, reply: FastifyReply): string | null {
  if (headers['sec-fetch-dest'] !== 'script' || reply.statusCode !== 200) return null;
  const [type = ''] = String(reply.getHeader('content-type') ?? '').split(';');
  if (/^(text|application)\/(x-)?(java|ecma)script$/i.test(type)) return null;
  return `it is sent as ${type || 'nothing that is known'}, and is no script`;
}

function givenIn({ folder, beside = [] }: ExternalFolder, path: string): GivenOut {
  return givenOut([folder, ...beside], path);
}

/** True if a path without a file is one of an app's own. */
function isRoute(path: string, request: FastifyRequest, of: ExternalFolder): boolean {
  return of.spa === true && wantsPage(request) && givenIn(of, path) === null;
}

/** Scripts and their requests take anything; who goes to an address takes a page, as a folder's is. */
function wantsPage({ headers, url }: FastifyRequest): boolean {
  return String(headers.accept ?? '').includes('text/html') || /\/(\?|$)/.test(url);
}

function notThere(reply: FastifyReply): FastifyReply {
  return reply.code(404).send('There is no such page.');
}

function isHtml(path: string): boolean {
  return /\.html?$/i.test(path);
}

/** Links of a page lead into the folder only. */
function toFolder({ originalUrl }: FastifyRequest, reply: FastifyReply): FastifyReply {
  // Two slashes would begin the address of another host.
  const [path = '', ...query] = originalUrl.replace(/^\/+/, '/').split('?');
  return reply.redirect([`${path}/`, ...query].join('?'), 301);
}

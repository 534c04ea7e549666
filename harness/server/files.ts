import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { NetworkCondition } from '../model/case.ts';
import { pagesFolder } from '../project.ts';
import { type GivenOut, givenOut } from './given-out.ts';
import { routeOf } from './guards.ts';
import { withOwnPolicy } from './page-policy.ts';
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
    allowedPath: (path, _root, request) => routeOf(request) === externalRoute || isPageFile(path),
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

/** Tests and declarations lie beside the pages and are no part of them. */
function isPageFile(path: string): boolean {
  return !/\.(ts|md)$|tsconfig\.json$/i.test(path);
}

async function listBenchmarks(root: string): Promise<string> {
  const entries = await readdir(root, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const items = await Promise.all(folders.sort().map((folder) => describeBenchmark(root, folder)));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Benchmarks</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/kit/page.css">
</head>
<body>
<main>
<h1>Benchmarks</h1>
<p>Each page runs at once, and shows its result to you alone.</p>
<dl>
${items.join('\n')}
</dl>
</main>
</body>
</html>
`;
}

/** A folder without a readable `benchmark.json` is no benchmark, and is left out of the list. */
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

/** A text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);
}

/** A folder of pages that are not ours. */
export interface ExternalFolder {
  readonly folder: string;
  /** Folders whose files lie in it, too, where it has none of that name. */
  readonly beside?: readonly string[];
  /** As fast as it is when left out. */
  readonly network?: NetworkCondition;
  /** Its `index.html` is the page at every address that names no file. */
  readonly spa?: true;
  /** Browsers may keep its files, but for the HTML. */
  readonly cached?: true;
}

/** Folders of pages that are not ours, by the id under which each is served. */
export type ExternalFolders = ReadonlyMap<string, ExternalFolder>;

interface PageOfTrial {
  readonly token: string;
  /** Nothing of it is timed. */
  readonly isLook: boolean;
}

export interface ExternalPageWatch {
  /** Returns the trial that a document is sent for. */
  trialOf(request: FastifyRequest): PageOfTrial | null;
  /** A page asked for what is not there. */
  missed(request: FastifyRequest, path: string): void;
}

/** What browsers ask for of themselves, and people with their tools open. */
const askedByBrowsers = /^(favicon\.ico|apple-touch-icon.*|robots\.txt|\.well-known\/.*)$|\.map$/;

/**
 * Serves pages that are not ours as they lie in their folders, below `/guest/<id>/`. Into each HTML
 * file the head of the adapter is put, which speaks the trial protocol in its place.
 */
export async function addExternalPages(
  app: FastifyInstance,
  folders: ExternalFolders,
  { trialOf, missed }: ExternalPageWatch,
): Promise<void> {
  const links = new Map(
    Array.from(folders, ([id, { network }]) => [id, network && new ShapedLink(network)]),
  );
  const scripts = { head: await adapterHead(), look: await inlined('guest-look.js') };
  app.get<{ Params: { id: string; '*': string } }>(
    externalRoute,
    {
      onSend: async ({ params: { id } }, reply, payload) =>
        links.get(id)?.send(payload, isPage(reply) ? scripts.head.length : 0) ?? payload,
    },
    async (request, reply) => {
      const { id } = request.params;
      const of = folders.get(id);
      if (of === undefined) return notThere(reply);
      const asked = request.params['*'].replace(/(^|\/)$/, '$1index.html');
      const path = isRoute(asked, request, of) ? 'index.html' : asked;
      const found = givenIn(of, path);
      if (found === null) {
        if (!askedByBrowsers.test(path)) missed(request, path);
        return notThere(reply);
      }
      if (found.kind === 'folder') return toFolder(request, reply);
      if (isHtml(path)) {
        const trial = isFrame(request) ? null : trialOf(request);
        return sendAdapted(reply, join(found.root, found.path), headFor(trial, scripts));
      }
      if (of.cached) void reply.header('cache-control', 'max-age=3600');
      return reply.sendFile(found.path, found.root);
    },
  );
}

/** Whether what is sent has the head of the adapter in it, whatever it was asked for as. */
function isPage(reply: FastifyReply): boolean {
  return /^text\/html/.test(String(reply.getHeader('content-type')));
}

/** Frames of a page are parts of it; browsers that do not say what they ask for are asked in the page. */
function isFrame({ headers }: FastifyRequest): boolean {
  return /frame|object|embed/.test(String(headers['sec-fetch-dest'] ?? ''));
}

function givenIn({ folder, beside = [] }: ExternalFolder, path: string): GivenOut {
  return givenOut([folder, ...beside], path);
}

/** Whether a path that names nothing is one of an app's own. */
function isRoute(path: string, request: FastifyRequest, of: ExternalFolder): boolean {
  return of.spa === true && wantsPage(request) && givenIn(of, path) === null;
}

/** Scripts and their requests take anything; who goes to an address takes a page, as a folder's is. */
function wantsPage({ headers, url }: FastifyRequest): boolean {
  return String(headers.accept ?? '').includes('text/html') || /\/(\?|$)/.test(url);
}

function headFor(
  trial: PageOfTrial | null,
  { head, look }: { readonly head: string; readonly look: string },
): string {
  if (trial === null) return head;
  const known = head.replace('<script', `<script data-trial="${trial.token}"`);
  return trial.isLook ? look + known : known;
}

function notThere(reply: FastifyReply): FastifyReply {
  return reply.code(404).send('There is no such page.');
}

const pageType = 'text/html; charset=utf-8';

function isHtml(path: string): boolean {
  return /\.html?$/i.test(path);
}

/** What a page's links name lies in the folder, not beside it. */
function toFolder({ originalUrl }: FastifyRequest, reply: FastifyReply): FastifyReply {
  // Two slashes would begin the address of another host.
  const [path = '', ...query] = originalUrl.replace(/^\/+/, '/').split('?');
  return reply.redirect([`${path}/`, ...query].join('?'), 301);
}

/** The page's own bytes, whatever their encoding, with the head in it. */
async function sendAdapted(reply: FastifyReply, file: string, head: string): Promise<FastifyReply> {
  const bytes = await readFile(file).catch(() => null);
  if (bytes === null) return notThere(reply);
  const wide = wideEncoding(bytes);
  if (wide === null) {
    // Each byte is a character of its own: what is put in is ASCII, as all is that decides where.
    const adapted = Buffer.from(
      withAtHead(withOwnPolicy(bytes.toString('latin1')), head),
      'latin1',
    );
    return reply.type(saysItsEncoding(bytes) ? 'text/html' : pageType).send(adapted);
  }
  const text = wide === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes;
  const adapted = Buffer.from(withAtHead(text.toString('utf16le'), head), 'utf16le');
  return reply.type('text/html').send(wide === 'utf-16be' ? adapted.swap16() : adapted);
}

/** The encoding of two bytes a character that a mark at the beginning tells; null for all others. */
function wideEncoding(bytes: Buffer): 'utf-16le' | 'utf-16be' | null {
  if (bytes.length % 2 === 1) return null;
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
}

/** Whether a page declares how it is encoded, where browsers look for it; else it is taken for UTF-8. */
function saysItsEncoding(bytes: Buffer): boolean {
  return /<meta[^>]+charset\s*=/i.test(bytes.toString('latin1', 0, 1024));
}

/** The script that stands in a page that is not ours, on one line, so that those of the page keep their numbers. */
export function adapterHead(): Promise<string> {
  return inlined('guest-head.js');
}

async function inlined(name: string): Promise<string> {
  const text = await readFile(join(pagesFolder(), 'kit', name), 'utf8');
  const code = text.replace(/\/\*\*[^]*?\*\/|^ *\/\/.*$/gm, '').replace(/\n\s*/g, ' ');
  return `<script>${code.trim()}</script>`;
}

/**
 * The page with this markup before all that its head holds: after the head's tag, or else after what
 * has to stand first, so that a page without a doctype gets none and one with it keeps its mode.
 */
export function withAtHead(html: string, markup: string): string {
  const before =
    (/^[^]*?<head(?:\s[^>]*)?>/i.exec(html) ??
      /^(?:\uFEFF|\u00EF\u00BB\u00BF)?\s*(?:<!--[^]*?-->\s*)*(?:<!doctype[^>]*>)?\s*(?:<html(?:\s[^>]*)?>)?/i.exec(
        html,
      ))?.[0] ?? '';
  return before + markup + html.slice(before.length);
}

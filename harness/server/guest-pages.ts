import { readFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Folders of pages that are not ours, by the id under which each is served. */
export type GuestFolders = ReadonlyMap<string, string>;

/**
 * Serves pages that are not ours as they lie in their folders, below `/guest/<id>/`. Into each HTML
 * file the adapter is put, which speaks the trial protocol in its place.
 */
export function addGuestPages(app: FastifyInstance, folders: GuestFolders): void {
  app.get<{ Params: { id: string; '*': string } }>('/guest/:id/*', async (request, reply) => {
    const { id, '*': path } = request.params;
    const folder = folders.get(id);
    if (folder === undefined) return notThere(reply);
    return isHtml(path) ? sendAdapted(reply, folder, path) : reply.sendFile(path, folder);
  });
}

function notThere(reply: FastifyReply): FastifyReply {
  return reply.code(404).send('There is no such page.');
}

function isHtml(path: string): boolean {
  return /\.html?$/i.test(path);
}

async function sendAdapted(
  reply: FastifyReply,
  folder: string,
  path: string,
): Promise<FastifyReply> {
  const file = join(folder, path);
  if (!isInside(folder, file)) return notThere(reply);
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return notThere(reply);
  return reply.type('text/html; charset=utf-8').send(withAdapter(text));
}

/** Nothing above the folder, and nothing hidden in it. */
function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return !isAbsolute(path) && !path.split(/[/\\]/).some((part) => part.startsWith('.'));
}

const adapter = '<script src="/kit/guest.js"></script>';

/**
 * The page with the adapter before its own first script: after the head's tag, or else after what
 * has to stand first, so that a page without a doctype gets none and one with it keeps its mode.
 */
export function withAdapter(html: string): string {
  const before =
    (/^[^]*?<head(?:\s[^>]*)?>/i.exec(html) ??
      /^\uFEFF?\s*(?:<!--[^]*?-->\s*)*(?:<!doctype[^>]*>)?\s*(?:<html(?:\s[^>]*)?>)?/i.exec(
        html,
      ))?.[0] ?? '';
  return before + adapter + html.slice(before.length);
}

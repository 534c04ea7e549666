import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pagesFolder } from '../project.ts';

/** The farm's script in foreign pages and in the scripts of their workers. */
export interface Adapter {
  /** Bytes of the farm in a page, */
  readonly pageBytes: number;
  /** and in a worker's script. */
  readonly workerBytes: number;
  /** The page's own bytes, in any encoding, with the adapter's head in it unless a driver has it run. */
  readonly page: (bytes: Buffer, trial: PageOfTrial | null, isBare: boolean) => AdaptedFile;
  readonly worker: (bytes: Buffer) => AdaptedFile;
}

export interface AdaptedFile {
  /** The type of the content. */
  readonly type: string;
  readonly body: Buffer;
}

export interface PageOfTrial {
  readonly token: string;
  /** None of it is timed. */
  readonly isLook: boolean;
}

export async function loadAdapter(): Promise<Adapter> {
  const head = await adapterHead();
  const look = await scriptOf('guest-look.js');
  const listener = await codeOf('guest-worker.js');
  return {
    pageBytes: head.length,
    workerBytes: listener.length,
    page: (bytes, trial, isBare) =>
      adaptedPage(bytes, isBare ? '' : headFor(trial, { head, look })),
    worker: (bytes) => ({
      type: 'text/javascript; charset=utf-8',
      body: Buffer.from(withAtTop(bytes.toString('latin1'), listener), 'latin1'),
    }),
  };
}

/**
 * The script that stands in a page that is not ours, on one line, so that those of the page keep
 * their numbers. All of it is a part of the page's load, so it is served minified.
 */
export async function adapterHead(): Promise<string> {
  return `<script>${await readKit(minifiedHead)}</script>`;
}

/**
 * The same for a driver that has it run before the page's own scripts. A driver also does so in frames
 * of other origins and in the farm's empty page: there it does nothing.
 * @param url of the page
 */
export async function headBefore(url: string, { token, isLook }: PageOfTrial): Promise<string> {
  const look = isLook ? await codeOf('guest-look.js') : '';
  const head = (await readKit(minifiedHead)).replace('the token of the trial', token);
  const isOfPage = `location.origin === ${JSON.stringify(new URL(url).origin)} && !location.pathname.startsWith('/.crossfarm/')`;
  return `if (${isOfPage}) { ${look};${head} }`;
}

/** The file of `pages/kit/` that `npm run schema` makes from the head and the listener of workers. */
export const minifiedHead = 'guest-head.min.js';

async function scriptOf(name: string): Promise<string> {
  return `<script>${await codeOf(name)}</script>`;
}

async function codeOf(name: string): Promise<string> {
  const text = await readKit(name);
  return text
    .replace(/\/\*\*[^]*?\*\/|^ *\/\/.*$/gm, '')
    .replace(/\n\s*/g, ' ')
    .trim();
}

async function readKit(name: string): Promise<string> {
  return readFile(join(pagesFolder(), 'kit', name), 'utf8');
}

function headFor(
  trial: PageOfTrial | null,
  { head, look }: { readonly head: string; readonly look: string },
): string {
  if (trial === null) return head;
  const known = head.replace('<script', `<script data-trial="${trial.token}"`);
  return trial.isLook ? look + known : known;
}

const pageType = 'text/html; charset=utf-8';

function adaptedPage(bytes: Buffer, head: string): AdaptedFile {
  const wide = wideEncoding(bytes);
  if (wide === null) {
    // Each byte is a separate character: the insertion is ASCII, as are all places that decide
    // where.
    const html = withAtHead(withOwnPolicy(bytes.toString('latin1')), head);
    const type = saysItsEncoding(bytes) ? 'text/html' : pageType;
    return { type, body: Buffer.from(html, 'latin1') };
  }
  const text = wide === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes;
  const body = Buffer.from(withAtHead(text.toString('utf16le'), head), 'utf16le');
  return { type: 'text/html', body: wide === 'utf-16be' ? body.swap16() : body };
}

/** The encoding of two bytes a character that a mark at the beginning tells; null for all others. */
function wideEncoding(bytes: Buffer): 'utf-16le' | 'utf-16be' | null {
  if (bytes.length % 2 === 1) return null;
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
}

/** True if a page declares its encoding where browsers look for it; else it is taken for UTF-8. */
function saysItsEncoding(bytes: Buffer): boolean {
  return /<meta[^>]+charset\s*=/i.test(bytes.toString('latin1', 0, 1024));
}

/**
 * The page with this markup before the contents of its head: after the head's tag, or else after
 * the parts that have to stand first, so that a page without a doctype gets none and one with it
 * keeps its mode.
 */
export function withAtHead(html: string, markup: string): string {
  const before =
    (/^[^]*?<head(?:\s[^>]*)?>/i.exec(html) ??
      /^(?:\uFEFF|\u00EF\u00BB\u00BF)?\s*(?:<!--[^]*?-->\s*)*(?:<!doctype[^>]*>)?\s*(?:<html(?:\s[^>]*)?>)?/i.exec(
        html,
      ))?.[0] ?? '';
  return before + markup + html.slice(before.length);
}

/**
 * A script with this code before all other code, except for the directive that makes it strict,
 * which has to stand first.
 */
export function withAtTop(script: string, code: string): string {
  const before =
    /^(?:\u00EF\u00BB\u00BF)?(?:(?:\s+|\/\/[^\n]*\n|\/\*[^]*?\*\/)*(?:"use strict"|'use strict')\s*;?)?/.exec(
      script,
    )?.[0] ?? '';
  return `${before};${code} ${script.slice(before.length)}`;
}

/** The directives that decide whether the farm's adapter may come into a page and speak to the farm. */
const decisive = new Set(['default-src', 'script-src', 'script-src-elem', 'connect-src']);

/**
 * The page with a Content-Security-Policy, where it declares one itself, that lets in scripts of
 * its server: the farm's adapter is one. All else that it forbids stays forbidden.
 */
export function withOwnPolicy(html: string): string {
  return html.replace(/<meta\b[^>]*>/gi, (meta) => {
    if (!/http-equiv\s*=\s*["']?content-security-policy["'\s>]/i.test(meta)) return meta;
    return meta
      .replace(/(?<=content\s*=\s*")[^"]*/i, widened)
      .replace(/(?<=content\s*=\s*')[^']*/i, (policy) => widened(policy).replaceAll("'", '&#39;'));
  });
}

function widened(policy: string): string {
  return policy
    .replace(/&(#39|apos);/g, "'")
    .split(';')
    .map((directive) => {
      const [name = '', ...sources] = directive.trim().split(/\s+/);
      if (!decisive.has(name.toLowerCase()) || sources.includes("'self'")) return directive;
      return [name, ...sources.filter((one) => one.toLowerCase() !== "'none'"), "'self'"].join(' ');
    })
    .join(';');
}

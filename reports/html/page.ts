import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { unbroken } from '../client/number.js';
import { type Content, embeddedJson, html, type Html, renderMarkup, raw } from './escape.ts';
import { type PartScript, scriptWith } from './script.ts';
import { stylesheetWith } from './style.ts';

/** Style and script that a part of a page needs. */
export interface PartOfPage {
  /** Rules for its own classes, without line ends between them that matter. */
  readonly style?: string;
  readonly script?: PartScript;
}

export interface Page {
  readonly title: string;
  readonly uses?: readonly PartOfPage[];
  /** Text of a library that stands before the script. */
  readonly library?: string;
  readonly body: Content;
  /** It has forms, which may be sent to the server that the page is from. */
  readonly hasForms?: boolean;
  /** Embedded as JSON in the element `findings`; compressed when long. */
  readonly data: unknown;
}

/** Hash source of an inline element, as CSP level 2 defines it: base64 of the SHA-256 of its text. */
function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/**
 * Only this page's own stylesheet and script may act, by their hashes; nothing is loaded, framed,
 * sent elsewhere or connected to. So a string that escaped all other care still could not run.
 */
function policyFor(stylesheet: string, script: string, hasForms: boolean): string {
  return [
    "default-src 'none'",
    `style-src ${hashSource(stylesheet)}`,
    `script-src ${hashSource(script)}`,
    "base-uri 'none'",
    `form-action '${hasForms ? 'self' : 'none'}'`,
  ].join('; ');
}

/** The Content-Security-Policy that a page states, for a server that states it, too. */
export function policyOf(html: string): string {
  return /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
}

/** The heading that a page has, for a page that leads to it. */
export function headingOf(page: string): Html {
  return raw(/<h1>(.*?)<\/h1>/s.exec(page)?.[1] ?? '');
}

/** JSON longer than this is compressed: a mailbox is more patient with a small file than a reader with a big one. */
const mostPlainJson = 600_000;

/** Bytes that data take in a page: as they are, and compressed. */
export interface DataWeight {
  readonly plain: number;
  readonly packed: number;
}

/** Weight of data on their own. */
export function weighData(data: unknown): DataWeight {
  const json = JSON.stringify(data);
  return { plain: Buffer.byteLength(json), packed: compressed(json).length };
}

/** Bytes of that data in a page: short data stay uncompressed. */
export function bytesOfData({ plain, packed }: DataWeight): number {
  return plain <= mostPlainJson ? plain : packed;
}

/** The data as they are, or, if long, `{ encoding: 'gzip+base64', data }`, which the script unpacks. */
function packed(data: unknown): unknown {
  const json = JSON.stringify(data);
  if (json.length <= mostPlainJson) return data;
  return { encoding: 'gzip+base64', data: compressed(json) };
}

function compressed(json: string): string {
  return gzipSync(Buffer.from(json), { level: 9 }).toString('base64');
}

/** An element with exactly this text: one more line break, and the hash would not fit. */
function element(name: 'style' | 'script', text: string): Html {
  return raw(`<${name}>${text}</${name}>`);
}

/** One self-contained HTML file. */
export function page(facts: Page): string {
  const { title, uses = [], library = '', body, hasForms = false, data } = facts;
  const stylesheet = stylesheetWith(uses.map(({ style = '' }) => style));
  const script = library + scriptWith(uses.flatMap((part) => part.script ?? []));
  const policy = raw(policyFor(stylesheet, script, hasForms));
  // Of a page that gives no referrer a browser says no origin when it sends a form.
  const document: Html = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="${hasForms ? 'same-origin' : 'no-referrer'}" />
        <title>${title}</title>
        ${element('style', stylesheet)}
      </head>
      <body>
        ${body}
        <script type="application/json" id="findings">
          ${embeddedJson(packed(data))}
        </script>
        ${element('script', script)}
      </body>
    </html> `;
  return renderMarkup(document);
}

/** Anchors and texts of sections. */
export type Links = readonly (readonly [string, string])[];

interface Frame {
  /** The kind of report, in a word. */
  readonly kind: string;
  readonly title: string;
  /** The finding in a sentence: it is the heading then, and the title stands above it. */
  readonly finding?: string | null;
  readonly writtenAt: string;
  readonly farmVersion: string;
  readonly links: Links;
  /** Anchor of the section that the findings begin with. */
  readonly first?: string;
  readonly sections: readonly Content[];
}

/** Header, contents and footer around the sections of a report. */
export function frame(facts: Frame): Html {
  const { kind, title, finding = null, writtenAt, farmVersion, links, first = 'in-short' } = facts;
  const above = finding === null ? kind : html`${kind} · <bdi>${title}</bdi>`;
  return html`<a class="skip" href="#${first}">Skip to the findings</a>
    <header>
      <p class="kicker">crossfarm · ${above}</p>
      <h1><bdi>${unbroken(finding ?? title)}</bdi></h1>
      <p class="soft">
        Written <time datetime="${writtenAt}">${readableDate(writtenAt)}</time> by crossfarm
        ${farmVersion}.
      </p>
      ${links.length > 0 && contents(links)}
    </header>
    <main>${facts.sections}</main>
    <footer>One file, no network: it can be mailed, archived, or attached to a bug.</footer>`;
}

/** `2026-11-21T06:30:00Z` as `2026-11-21 06:30 UTC`; another form is shown as it is. */
export function readableDate(iso: string): string {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(iso);
  return parts === null ? iso : `${parts[1] ?? ''} ${parts[2] ?? ''} UTC`;
}

function contents(links: Links): Html {
  return html`<nav aria-label="Contents">
    <ul>
      ${links.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`)}
    </ul>
  </nav>`;
}

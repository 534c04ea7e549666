/**
 * Text becomes markup only here. Everything that `html` interpolates is escaped unless it is `Html`
 * already, and `Html` can only be made by `html`, `raw` and `join`: the key is a symbol, so no parsed JSON
 * can pass for it.
 */

import { printable } from '../client/printable.js';

export { printable };

const trusted = Symbol('trusted markup');

/** Markup that needs no more escaping. */
export interface Html {
  readonly [trusted]: string;
}

/** Content of a template. `null`, `undefined` and `false` vanish; a list is joined without a separator. */
export type Content = Html | string | number | null | undefined | false | readonly Content[];

/** Declares markup as safe. Only for markup that this folder made itself. */
export function raw(markup: string): Html {
  return { [trusted]: markup };
}

/** The markup of a template's result, for writing it to a file. */
export function renderMarkup(content: Html): string {
  return content[trusted];
}

/** Bytes that it takes in a file. */
export function countBytes(content: Content): number {
  return Buffer.byteLength(render(content));
}

/** A tagged template that escapes what it interpolates, in text and in double-quoted attributes. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  const pieces = withoutIndent(parts).map(
    (part, i) => part + (i < contents.length ? render(contents[i]) : ''),
  );
  return raw(pieces.join(''));
}

const unindented = new WeakMap<TemplateStringsArray, readonly string[]>();

/** Line breaks of a template without the indentation around them, which would be a third of a large report. */
function withoutIndent(parts: TemplateStringsArray): readonly string[] {
  const known = unindented.get(parts);
  if (known !== undefined) return known;
  const shorter = parts.map((part) => part.replace(/[ \t]*\n\s*/g, '\n'));
  unindented.set(parts, shorter);
  return shorter;
}

/** Joins contents with a separator, escaping both. */
export function join(contents: readonly Content[], separator: Content): Html {
  return raw(contents.map(render).join(render(separator)));
}

function render(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (typeof content === 'string') return escapeText(content);
  if (typeof content === 'number') return String(content);
  if (isList(content)) return content.map(render).join('');
  return content[trusted];
}

function isList(content: Html | readonly Content[]): content is readonly Content[] {
  return Array.isArray(content);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Text as markup that shows exactly the printable part of it, in element content and quoted attributes. */
function escapeText(text: string): string {
  return printable(text).replace(/[&<>"'`]/g, (character) => entities[character] ?? '');
}

/** The text, cut at a length, with a note of how much is not shown. */
export function shortened(text: string, length: number): string {
  const characters = [...text];
  if (characters.length <= length) return text;
  const hidden = characters.length - length;
  return `${characters.slice(0, length).join('')}… (${String(hidden)} more characters)`;
}

/**
 * JSON that can stand inside a `script` element: no `<` (so neither `</script` nor `<!--`), and nothing
 * outside printable text that an editor or a JavaScript parser would treat as a line end or a control.
 * Parsing it gives back the very same value.
 */
export function embeddedJson(value: unknown): Html {
  const json = JSON.stringify(value) ?? 'null';
  return raw(
    json.replace(/[<>&\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, code),
  );
}

function code(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

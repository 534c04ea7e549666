/**
 * Text becomes markup only here. Everything that `html` interpolates is escaped unless it is `Html`
 * already, and `Html` can only be made by `html`, `raw` and `join`: the key is a symbol, so no parsed JSON
 * can pass for it.
 */

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

/** ECMA-48 sequences: CSI, OSC up to its terminator, and two-character escapes. */
const terminalEscapes =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]/g;

/**
 * Characters that show nothing themselves: C0 and C1 controls, direction marks, embeddings, overrides and
 * isolates (they reorder the text around them, "Trojan Source", CVE-2021-42574), zero-width
 * spaces, the byte order mark, and tag characters. The joiner U+200D stays: emoji and Indic scripts need it.
 */
const invisible =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** More combining marks than this on one letter paint over the lines around it. */
const stackedMarks = /(\p{M}{4})\p{M}+/gu;

const loneSurrogates = /\p{Surrogate}/gu;

/** A string without what a reader cannot see: terminal escapes, controls, and marks that turn text around. */
export function printable(text: string): string {
  return text
    .replace(terminalEscapes, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[\u2028\u2029]/g, ' ')
    .replace(invisible, '')
    .replace(loneSurrogates, '\ufffd')
    .replace(stackedMarks, '$1');
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

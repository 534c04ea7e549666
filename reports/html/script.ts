import { readFileSync } from 'node:fs';

/** A module imports only modules of its folder, without renaming; a test checks that. */
const importLine = /^import \{[^}]*\} from '(\.\/[\w-]+\.js)';$/gm;

/** Comments on their own lines, and casts. No text of the script holds their marks. */
const comments = /\/\*\*[^]*?\*\/|^\s*\/\/.*$/gm;

/** A module of `client/` that a part of a page needs, and its function that begins. */
export interface PartScript {
  readonly file: string;
  readonly start: string;
}

const folder = new URL('../client/', import.meta.url);
const texts = new Map<string, string>();

/** Reads each module once. */
function textOf(name: string): string {
  const known = texts.get(name) ?? readFileSync(new URL(name, folder), 'utf8');
  texts.set(name, known);
  return known;
}

/** Puts a module after its imports, each once, in one scope, without indentation. */
function flattened(name: string, seen: Set<string>): string {
  if (seen.has(name)) return '';
  seen.add(name);
  const text = textOf(name);
  const before = [...text.matchAll(importLine)].map(([, path = '']) =>
    flattened(path.slice('./'.length), seen),
  );
  const own = text
    .replace(importLine, '')
    .replace(comments, '')
    .replace(/^export /gm, '');
  return before.join('') + own.replace(/\n\s+/g, '\n').trim() + '\n';
}

const main: PartScript = { file: 'main.js', start: 'startReport' };

/**
 * The only script of a report: the modules of `client/` as one text, `main.js` and those that its parts
 * name. The report is complete without it.
 */
export function scriptWith(parts: readonly PartScript[]): string {
  const seen = new Set<string>();
  const modules = [main, ...parts].map(({ file }) => flattened(file, seen));
  return `
(() => {
'use strict';
${modules.join('')}${main.start}([${parts.map(({ start }) => start).join(', ')}]);
})();
`;
}

import { readFileSync } from 'node:fs';

/** A module's imports are of its neighbours, and by their own names: a test holds them to that. */
const importLine = /^import \{[^}]*\} from '(\.\/[\w-]+\.js)';$/gm;

/** Comments on their own lines, and casts. No text of the script holds their marks. */
const comments = /\/\*\*[^]*?\*\/|^\s*\/\/.*$/gm;

/** A module after all that it imports, each once, in one scope, without indentation. */
function flattened(url: URL, seen: Set<string>): string {
  if (seen.has(url.href)) return '';
  seen.add(url.href);
  const text = readFileSync(url, 'utf8');
  const before = [...text.matchAll(importLine)].map(([, path = '']) =>
    flattened(new URL(path, url), seen),
  );
  const own = text
    .replace(importLine, '')
    .replace(comments, '')
    .replace(/^export /gm, '');
  return before.join('') + own.replace(/\n\s+/g, '\n').trim() + '\n';
}

/**
 * The only script of a report: the modules of `client/` as one text, which stands in every report, read
 * once when this file is loaded. The report is complete without it: it adds copy buttons, the
 * downloads, choices for the comparison table and the axes of charts, and opens what is folded away for
 * print.
 */
export const script = `
(() => {
'use strict';
${flattened(new URL('../client/main.js', import.meta.url), new Set())}})();
`;

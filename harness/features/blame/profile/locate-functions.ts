import { createHash } from 'node:crypto';
import { nameScript, type ProfileBuilder } from './builder.ts';
import type { ProfiledFunction } from './profile.ts';
import { LatestTexts } from './sources/latest-texts.ts';
import type { ReadPageText } from './sources/page-text.ts';
import { findFunction, readScript, type ScriptText } from './sources/script-functions.ts';
import { type FindOriginal, longestText, readSourceMap } from './sources/source-map.ts';

const mostScriptBytes = 8 * 2 ** 20;
const mostScripts = 200;

const scripts = new LatestTexts<ScriptText>();

/**
 * Gives the functions of a profile the hash of their text, and through source maps the names and places
 * that their author knows. A function whose map cannot be read, or does not fit, stays as the engine has it.
 * @returns sentences: which maps were not applied, and why
 */
export async function locateFunctions(
  builder: ProfileBuilder,
  read: ReadPageText,
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const [url, functions] of [...builder.listScripts()].slice(0, mostScripts)) {
    // The text of what `eval` made is nowhere.
    if (!URL.canParse(url) || / line \d+ > /.test(url)) continue;
    const found = await read(url, mostScriptBytes);
    if ('missing' in found) continue;
    const { text, map: header } = found;
    const script = scripts.take(text, () => readScript(text));
    const map = await readSourceMap({ url, header, text }, read);
    const file = nameScript(url);
    if (map !== null && 'missing' in map) {
      notes.push(`The source map of ${file} is not applied: ${map.missing}.`);
    }
    const find = typeof map === 'function' ? map : null;
    let lies = 0;
    for (const [index, one] of functions) {
      const located = locate(one, script, find);
      if (located === 'lies') lies += 1;
      else builder.placeFunction(index, located);
    }
    if (lies > 0) {
      notes.push(
        `The source map of ${file} does not fit its sources: ${String(lies)} of ${String(functions.length)} functions keep the place in the script.`,
      );
    }
  }
  return notes.slice(0, mostNotes).map((note) => note.slice(0, longestNote));
}

const mostNotes = 10;
const longestNote = 300;

function locate(
  one: ProfiledFunction,
  script: ScriptText,
  findOriginal: FindOriginal | null,
): Partial<ProfiledFunction> | 'lies' {
  const found = findFunction(script, one);
  if (found === null) return {};
  const original = findOriginal?.(script, found) ?? null;
  if (original === 'lies') return 'lies';
  const own = hashText(script.text.slice(found.start, found.end));
  if (original === null) return { hash: own };
  const { name, url, line, column, text } = original;
  return {
    ...(name !== null && { name }),
    url,
    line,
    column,
    hash: text === null ? own : hashText(text),
  };
}

function hashText(text: string): string {
  return createHash('sha256').update(text.slice(0, longestText)).digest('base64url').slice(0, 16);
}

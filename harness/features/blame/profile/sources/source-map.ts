import {
  AnyMap,
  originalPositionFor,
  type SourceMapInput,
  traceSegment,
  type TraceMap,
} from '@jridgewell/trace-mapping';
import { z } from 'zod';
import { LatestTexts } from './latest-texts.ts';
import type { NoText, ReadPageText } from './page-text.ts';
import type { ScriptFunction, ScriptText } from './script-functions.ts';

/** Reading and decoding one of 64 MB takes some three seconds. */
const mostMapBytes = 64 * 2 ** 20;

/** A function as its author wrote it. */
export interface OriginalFunction {
  /** Null where neither the map nor the source tells. */
  readonly name: string | null;
  /** Address of the source: a name, never read. */
  readonly url: string;
  readonly line: number;
  readonly column: number;
  /** Null where the map does not hold the source. */
  readonly text: string | null;
}

/** Finds the original of a function; null where the map does not have it, `lies` where both do not fit. */
export type FindOriginal = (
  script: ScriptText,
  one: ScriptFunction,
) => OriginalFunction | 'lies' | null;

interface MappedScript {
  readonly url: string;
  /** Of the answer's header. */
  readonly header: string | null;
  readonly text: string;
}

/**
 * Reads the source map of a script from the page's own server, or from the script itself.
 * @returns null without one
 */
export async function readSourceMap(
  { url, header, text }: MappedScript,
  read: ReadPageText,
): Promise<FindOriginal | NoText | null> {
  const named = header ?? findComment(text);
  if (named === null) return null;
  const inside = readDataUrl(named);
  if (inside !== null) return parseOnce(inside, url);
  if (!URL.canParse(named, url)) return { missing: 'its address is none' };
  const address = new URL(named, url).href;
  const found = await read(address, mostMapBytes);
  return 'missing' in found ? found : parseOnce(found.text, address);
}

/** The last one of a script counts. */
function findComment(text: string): string | null {
  const at = Math.max(
    text.lastIndexOf('//# sourceMappingURL='),
    text.lastIndexOf('//@ sourceMappingURL='),
  );
  if (at < 0) return null;
  const [, found] = /^.{4}sourceMappingURL=([^\s'"]+)/.exec(text.slice(at)) ?? [];
  return found ?? null;
}

function readDataUrl(url: string): string | null {
  const [, base64, content] = /^data:[^,]*?(;base64)?,([^]*)$/i.exec(url) ?? [];
  if (content === undefined || content.length > mostMapBytes) return null;
  if (base64 !== undefined) return Buffer.from(content, 'base64').toString('utf8');
  try {
    return decodeURIComponent(content);
  } catch {
    return content;
  }
}

const parsed = new LatestTexts<FindOriginal | NoText>();

function parseOnce(text: string, address: string): FindOriginal | NoText {
  return parsed.take(`${address}\n${text}`, () => parseMap(text, address));
}

function parseMap(text: string, address: string): FindOriginal | NoText {
  try {
    // Some servers put a line before it, against its use as a script.
    const written: unknown = JSON.parse(text.replace(/^\)\]\}'[^\n]*\n/, ''));
    if (countPlaces(written) > mostPlaces) return { missing: 'it has too many places' };
    const map = new AnyMap(written as SourceMapInput, address);
    const linesOfSources = new Map<string, readonly string[]>();
    return (script, one) => {
      try {
        return findOriginal({ map, script, linesOfSources }, one);
      } catch {
        // Its numbers lead nowhere.
        return 'lies';
      }
    };
  } catch {
    return { missing: 'it is no source map' };
  }
}

/** Checks a list at once: one of a hostile map may have millions of values. */
function listOf(isOne: (value: unknown) => boolean): z.ZodType {
  return z.custom((list) => Array.isArray(list) && list.every(isOne));
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);

/** As much of a map as is read. The library also takes decoded ones, and believes what it is given. */
const wholeMap = z.looseObject({
  mappings: z.string(),
  names: listOf(isText).nullish(),
  sources: listOf(isTextOrNull),
  sourcesContent: listOf(isTextOrNull).nullish(),
  sourceRoot: z.string().nullish(),
});

const sectionedMap = z.looseObject({ sections: z.custom<readonly unknown[]>(Array.isArray) });

const natural = z.int().min(0);
const section = z.looseObject({
  offset: z.looseObject({ line: natural, column: natural }),
  map: z.unknown(),
});

/** Decoded, 60 million take 3 GB; a script of 8 MB has fewer than this many. */
const mostPlaces = 4_000_000;

/**
 * Counts the lines and places of a map, whole or in sections, before they are decoded. The lines before
 * a section are made, too.
 * @throws an error where it is no map
 */
function countPlaces(written: unknown): number {
  let places = 0;
  if (typeof written === 'object' && written !== null && 'sections' in written) {
    let before = 0;
    for (const one of sectionedMap.parse(written).sections) {
      const { offset, map } = section.parse(one);
      before = Math.max(before, offset.line);
      places += countPlaces(map);
    }
    return before + places;
  }
  const { mappings } = wholeMap.parse(written);
  for (let at = 0; at < mappings.length; at += 1) {
    const sign = mappings.charCodeAt(at);
    if (sign === comma || sign === semicolon) places += 1;
  }
  return places;
}

const comma = 0x2c;
const semicolon = 0x3b;

interface Mapping {
  readonly map: TraceMap;
  readonly script: ScriptText;
  readonly linesOfSources: Map<string, readonly string[]>;
}

function findOriginal(mapping: Mapping, one: ScriptFunction): OriginalFunction | 'lies' | null {
  const { map, script } = mapping;
  const begin = originalPositionFor(map, placeAt(script, one.start));
  const { source, line, column } = begin;
  if (source === null) return null;
  // A source beyond the list of them is undefined.
  if (typeof source !== 'string') return 'lies';
  if (!isPlace(line) || !isPlace(column)) return 'lies';
  const name = findName(mapping, one);
  const place = { url: source, line, column: column + 1 };
  const lines = readLines(mapping, source);
  if (lines === null) return { ...place, name, text: null };
  const isThere = (lines[line - 1]?.length ?? -1) >= column;
  if (!isThere || name === 'lies') return 'lies';
  const end = originalPositionFor(map, placeAt(script, one.end - 1));
  const isWhole = end.source === source && end.line >= line;
  return { ...place, name, text: isWhole ? cutText(lines, { line, column }, end.line) : null };
}

function isPlace(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0 && number < 2 ** 31;
}

/** Null where the map does not hold the source. */
function readLines({ map, linesOfSources }: Mapping, source: string): readonly string[] | null {
  const known = linesOfSources.get(source);
  if (known !== undefined) return known;
  const content = map.sourcesContent?.[map.resolvedSources.indexOf(source)];
  if (typeof content !== 'string') return null;
  const lines = content.split(/\r\n?|\n/);
  linesOfSources.set(source, lines);
  return lines;
}

/** The name at the place where the function is named; `lies` where the source has another one there. */
function findName(mapping: Mapping, { nameAt }: ScriptFunction): string | null {
  if (nameAt === null) return null;
  const { map, script } = mapping;
  const at = placeAt(script, nameAt);
  const segment = traceSegment(map, at.line - 1, at.column);
  // Of a token before it the name is another one's.
  if (segment === null || segment.length === 1 || segment[0] !== at.column) return null;
  const [, source, line, column, named] = segment;
  const lines = readLines(mapping, map.resolvedSources[source] ?? '');
  const there = lines === null ? null : (lines[line]?.slice(column) ?? '');
  return chooseName(named === undefined ? null : (map.names[named] ?? null), there);
}

/** @param there what stands there in the source; null without it */
function chooseName(ofMap: string | null, there: string | null): string | null {
  if (ofMap === null) return there === null ? null : (identifier.exec(there)?.[0] ?? null);
  const fits = there === null || there.replace(/^[[\s'"`]+/, '').startsWith(ofMap);
  return fits ? ofMap : 'lies';
}

const identifier = /^[\p{ID_Start}$_#][\p{ID_Continue}$]*/u;

function placeAt({ lineStarts }: ScriptText, at: number): { line: number; column: number } {
  const index = lineStarts.findLastIndex((start) => start <= at);
  return { line: index + 1, column: at - (lineStarts[index] ?? 0) };
}

/** A map may give every function the whole of a source of 64 MB: what is beyond tells none apart. */
export const longestText = 2 ** 20;

/** To the end of the last line: maps tell where a token begins, not where it ends. */
function cutText(
  lines: readonly string[],
  { line, column }: { readonly line: number; readonly column: number },
  lastLine: number,
): string {
  let text = (lines[line - 1] ?? '').slice(column, column + longestText);
  for (let at = line; at < lastLine && text.length < longestText; at += 1) {
    text += `\n${(lines[at] ?? '').slice(0, longestText)}`;
  }
  return text;
}

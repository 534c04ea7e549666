import {
  type AnyNode,
  type Function as FunctionNode,
  type Options,
  parse,
  type Program,
} from 'acorn';
import { ancestor } from 'acorn-walk';
import MagicString from 'magic-string';
import { errorText } from '../../../../core/errors.ts';

/** A function in a file of a page. */
export interface FoundFunction {
  /** `anonymous` for one that nothing names. */
  readonly name: string;
  /** Relative to the folder of the page. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

/** A script, and where it lies in its file. */
interface Script {
  readonly from: number;
  readonly to: number;
}

/** Where the call is put that delays a function: before its first statement, or around its expression. */
interface Place {
  readonly start: number;
  /** Null for a function with a body in braces. */
  readonly end: number | null;
}

interface PlacedFunction extends FoundFunction {
  readonly place: Place;
}

/** A file whose functions are known, and which can be written with calls in them. */
export interface ParsedFile {
  readonly functions: readonly FoundFunction[];
  /** Why its scripts, or some of them, could not be read; none is left out. */
  readonly unread: readonly string[];
  /**
   * Writes the file with a call of `crossfarmCall` at the beginning of functions, and with the prelude
   * that defines it before everything else. Lines stay where they are.
   * @param indexOf the number that a function calls with; null for one that stays as it is
   */
  readonly write: (prelude: string, indexOf: (one: FoundFunction) => number | null) => string;
}

/** Parses a page or a script. A script that cannot be read stays as it is. */
export function parseFile(file: string, text: string): ParsedFile {
  const isPage = /\.html?$/i.test(file);
  const scripts = isPage ? listInlineScripts(text) : [{ from: 0, to: text.length }];
  const lineStarts = listLineStarts(text);
  const unread: string[] = [];
  const functions: PlacedFunction[] = [];
  /** Where a prelude may stand, after the directives of a script. */
  let begin = isPage ? beginOfPage(text) : null;
  for (const script of scripts) {
    const read = tryRead(text.slice(script.from, script.to));
    if ('because' in read) {
      unread.push(`${file} cannot be read: ${read.because}`);
      continue;
    }
    begin ??= script.from + endOfDirectives(read.program.body, 0);
    functions.push(
      ...read.functions.map(({ name, start, place }) => {
        const at = script.from + start;
        const line = lineStarts.findLastIndex((one) => one <= at);
        const moved = {
          start: script.from + place.start,
          end: place.end === null ? null : script.from + place.end,
        };
        return {
          name,
          file,
          line: line + 1,
          column: at - (lineStarts[line] ?? 0) + 1,
          place: moved,
        };
      }),
    );
  }
  return {
    functions,
    unread,
    write(prelude, indexOf) {
      const written = new MagicString(text);
      for (const one of functions) {
        const index = indexOf(one);
        if (index !== null) insertCall(written, one.place, index);
      }
      // Before the calls of functions that begin there.
      if (begin !== null)
        written.prependLeft(begin, isPage ? `<script>${prelude}</script>` : `;${prelude};`);
      return written.toString();
    },
  };
}

/** A script may be made of the text of a function, in a worker that lacks the prelude: hence `?.`. */
function insertCall(written: MagicString, { start, end }: Place, index: number): void {
  const call = `globalThis.crossfarmCall?.(${String(index)})`;
  if (end === null) {
    written.appendLeft(start, `;${call};`);
    return;
  }
  written.appendLeft(start, `(${call},`);
  written.prependRight(end, ')');
}

/** Scripts of other types are data. */
const scriptTypes = /^(|module|(text|application)\/(java|ecma)script)$/i;

export function listInlineScripts(text: string): readonly Script[] {
  const found: Script[] = [];
  const [opening, closing] = [/<script\b/gi, /<\/script\s*>/gi];
  // One walk: a single pattern would search to the end of the page for each tag that nothing closes.
  for (let tag = opening.exec(text); tag !== null; tag = opening.exec(text)) {
    const from = text.indexOf('>', tag.index) + 1;
    closing.lastIndex = from;
    const end = from === 0 ? null : closing.exec(text);
    if (end === null) break;
    opening.lastIndex = closing.lastIndex;
    const script = { from, to: end.index };
    const isEmpty = text.slice(script.from, script.to).trim() === '';
    if (!isEmpty && isInline(text.slice(tag.index, from))) found.push(script);
  }
  return found;
}

/** True for the tag of a script that stands in the page and is no data. */
function isInline(tag: string): boolean {
  const [, quoted, bare] = /\btype\s*=\s*(?:["']([^"']*)["']|([^\s>]+))/i.exec(tag) ?? [];
  return scriptTypes.test((quoted ?? bare ?? '').trim()) && !/\bsrc\s*=/i.test(tag);
}

/** Before the first script of a page, or at its end. */
function beginOfPage(text: string): number {
  const at = text.search(/<script\b/i);
  return at === -1 ? text.length : at;
}

const options: Options = {
  ecmaVersion: 'latest',
  allowHashBang: true,
  allowAwaitOutsideFunction: true,
};

/**
 * Parses a script or a module: which one a file is, is not known.
 * @throws SyntaxError where it is neither
 */
export function parseScript(text: string): Program {
  try {
    return parse(text, { ...options, sourceType: 'module' });
  } catch {
    return parse(text, { ...options, sourceType: 'script' });
  }
}

function tryRead(
  text: string,
):
  | { readonly program: Program; readonly functions: readonly NamedFunction[] }
  | { readonly because: string } {
  try {
    const program = parseScript(text);
    return { program, functions: listFunctions(program) };
  } catch (error) {
    return { because: errorText(error) };
  }
}

interface NamedFunction {
  readonly name: string;
  readonly start: number;
  readonly place: Place;
}

function listFunctions(program: Program): readonly NamedFunction[] {
  const found: NamedFunction[] = [];
  ancestor(program, {
    Function(node: FunctionNode, _state: unknown, ancestors: AnyNode[]) {
      found.push({ name: nameFunction(node, ancestors), start: node.start, place: placeIn(node) });
    },
  });
  return found;
}

function placeIn({ body }: FunctionNode): Place {
  if (body.type !== 'BlockStatement') return { start: body.start, end: body.end };
  return { start: endOfDirectives(body.body, body.start + 1), end: null };
}

/** `'use strict'` works only as the first statement. */
function endOfDirectives(statements: readonly AnyNode[], start: number): number {
  const isDirective = (one: AnyNode): boolean =>
    one.type === 'ExpressionStatement' && one.directive !== undefined;
  const first = statements.findIndex((one) => !isDirective(one));
  const directives = first === -1 ? statements : statements.slice(0, first);
  return directives.at(-1)?.end ?? start;
}

function nameFunction(node: FunctionNode, ancestors: readonly AnyNode[]): string {
  const parent = ancestors.at(-2);
  const own = node.id?.name ?? (parent === undefined ? null : nameByParent(parent));
  if (own === null) return anonymous;
  if (parent?.type !== 'MethodDefinition' && parent?.type !== 'PropertyDefinition') return own;
  const inside = ancestors.findLast(({ type }) => /^Class(Declaration|Expression)$/.test(type));
  const className = inside !== undefined && 'id' in inside ? nameKey(inside.id) : null;
  return className === null ? own : `${className}.${own}`;
}

function nameByParent(parent: AnyNode): string | null {
  switch (parent.type) {
    case 'VariableDeclarator':
      return nameKey(parent.id);
    case 'AssignmentExpression':
      return nameKey(parent.left);
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return nameKey(parent.key);
    default:
      return null;
  }
}

const anonymous = 'anonymous';

/** The name in a declaration or before a value. */
function nameKey(key: unknown): string | null {
  const node = key as AnyNode | null;
  switch (node?.type) {
    case 'Identifier':
    case 'PrivateIdentifier':
      return node.name;
    case 'Literal':
      return String(node.value);
    case 'MemberExpression':
      return nameKey(node.property);
    default:
      return null;
  }
}

function listLineStarts(text: string): readonly number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
}

/** Such as `render (app.js:12)`. */
export function nameOfPlace({ name, file, line }: FoundFunction): string {
  return `${name} (${file}:${String(line)})`;
}

import type { AnyNode, Class, Function as FunctionNode } from 'acorn';
import { ancestor } from 'acorn-walk';
import { listInlineScripts, parseScript } from './instrument.ts';

/** A function in the text of a script or page. Offsets are in UTF-16 units. */
export interface ScriptFunction {
  /** Its own, in the text; null for one that only its surroundings name. */
  readonly ownName: string | null;
  /** Where a name stands, its own or that of what it is assigned to. */
  readonly nameAt: number | null;
  readonly start: number;
  readonly bodyStart: number;
  readonly end: number;
}

export interface ScriptText {
  readonly text: string;
  /** In the order of their starts; none where the text is no JavaScript. */
  readonly functions: readonly ScriptFunction[];
  readonly lineStarts: readonly number[];
}

/** Finds the functions of a script, or of the scripts in a page. */
export function readScript(text: string): ScriptText {
  const scripts = /^\s*</.test(text) ? listInlineScripts(text) : [{ from: 0, to: text.length }];
  const functions = scripts.flatMap(({ from, to }) =>
    listFunctions(text.slice(from, to)).map((one) => move(one, from)),
  );
  return {
    text,
    functions: functions.sort((a, b) => a.start - b.start),
    lineStarts: [0, ...Array.from(text.matchAll(lineEnd), (end) => end.index + end[0].length)],
  };
}

/** The same as engines count. */
const lineEnd = /\r\n?|[\n\u2028\u2029]/g;

function move(one: ScriptFunction, by: number): ScriptFunction {
  return {
    ...one,
    nameAt: one.nameAt === null ? null : one.nameAt + by,
    start: one.start + by,
    bodyStart: one.bodyStart + by,
    end: one.end + by,
  };
}

function listFunctions(text: string): ScriptFunction[] {
  const found: ScriptFunction[] = [];
  try {
    const program = parseScript(text);
    const add = (node: FunctionNode | Class, _: unknown, ancestors: readonly AnyNode[]): void => {
      const parent = ancestors.at(-2);
      const isMember = parent !== undefined && /^(MethodDefinition|Property)$/.test(parent.type);
      const id = node.id ?? null;
      found.push({
        ownName: id?.name ?? null,
        nameAt: (id ?? findKey(parent))?.start ?? null,
        start: isMember ? parent.start : node.start,
        bodyStart: node.body.start,
        end: node.end,
      });
    };
    // The engine's own constructor begins where its class does.
    ancestor(program, { Function: add, Class: add });
  } catch {
    // No JavaScript, or nested more deeply than the parser's stack: its functions have no text.
    return [];
  }
  return found;
}

/** Finds the node that names a function without a name of its own. */
function findKey(parent: AnyNode | undefined): AnyNode | null {
  switch (parent?.type) {
    case 'VariableDeclarator':
      return parent.id;
    case 'AssignmentExpression':
      return parent.left.type === 'MemberExpression' ? parent.left.property : parent.left;
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return parent.key;
    default:
      return null;
  }
}

interface SoughtFunction {
  readonly name: string;
  /** From 1 on, somewhere between the function's beginning and that of its body. */
  readonly line: number;
  readonly column: number;
}

/** More functions than that do not stand in the parameters of one. */
const mostInParameters = 50;

/**
 * Finds the function that an engine means. A function of another name at that place is none: the text is
 * not the one that ran. Where the farm has put something before it, its name has to do.
 */
export function findFunction(
  { functions, lineStarts }: ScriptText,
  { name, line, column }: SoughtFunction,
): ScriptFunction | null {
  const at = (lineStarts[line - 1] ?? Infinity) + column - 1;
  const last = functions.findLastIndex(({ start }) => start <= at);
  for (let i = last; i >= Math.max(0, last - mostInParameters); i -= 1) {
    const one = functions[i];
    if (one !== undefined && at <= one.bodyStart && isCalled(one, name)) return one;
  }
  const named = functions.filter(({ ownName }) => ownName !== null && ownName === name);
  return named.length === 1 ? (named[0] ?? null) : null;
}

/**
 * Engines add the owner of a function: `Table.parse`, `get size`. Code without a name is not a function
 * that has one: it is the script itself, which may begin with it.
 */
function isCalled({ ownName }: ScriptFunction, name: string): boolean {
  return ownName === null || name === ownName || name.split(/[.\s/<]/).includes(ownName);
}

import { parseTree, printParseErrorCode, type ParseError } from 'jsonc-parser';
import type { z } from 'zod';
import { FarmError, nearestName, type FarmErrorCode } from './errors.ts';
import { findExcess } from './json-shape.ts';
import { openRegularFile, readBounded, whyUnread } from './regular-file.ts';

export interface JsonFileKind<T> {
  /** Noun for the file in sentences: "inventory", "suite", "benchmark". */
  readonly noun: string;
  readonly code: FarmErrorCode;
  readonly schema: z.ZodType<T>;
  /** The next step where the file is wrong; to correct it when left out. */
  readonly next?: string;
}

/** A person writes no more. */
const largestFile = 64 * 2 ** 20;

/**
 * Reads and validates one JSON file that a person wrote.
 * Every refusal names the file, the place (line and column, or JSON path) and what was seen.
 */
export async function readJsonFile<T>(path: string, kind: JsonFileKind<T>): Promise<T> {
  const text = await readText(path, kind);
  const value: unknown = parseJson(text, path, kind);
  const checked = kind.schema.safeParse(value);
  if (checked.success) return checked.data;
  const issues = checked.error.issues.slice(0, 5).map((issue) => describeOwnIssue(issue, value));
  throw new FarmError(kind.code, {
    what: `The ${kind.noun} ${path} is not valid: ${issues.join('; ')}.`,
    next: kind.next ?? `Correct ${path} and try again.`,
  });
}

async function readText<T>(path: string, kind: JsonFileKind<T>): Promise<string> {
  try {
    const file = await openRegularFile(path);
    try {
      return (await readBounded(file, largestFile)).toString('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new FarmError(kind.code, {
      what: `The ${kind.noun} ${path} cannot be used: ${whyUnread(error)}.`,
      next: kind.next ?? 'Check the path.',
      cause: error,
    });
  }
}

function parseJson<T>(text: string, path: string, kind: JsonFileKind<T>): unknown {
  const excess = findExcess(text);
  if (excess !== null) {
    throw new FarmError(kind.code, {
      what: `The ${kind.noun} ${path} is not valid: ${excess}.`,
      next: `Correct ${path} and try again.`,
    });
  }
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const first = errors[0];
  if (first === undefined) return JSON.parse(text);
  const before = text.slice(0, first.offset).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  throw new FarmError(kind.code, {
    what: `The ${kind.noun} ${path} is not JSON: ${printParseErrorCode(first.error)} at line ${String(before.length)}, column ${String(column)}.`,
    next: kind.next ?? `Correct ${path} and try again.`,
  });
}

type Issue = z.core.$ZodIssue;

/** Describes a mistake in a file of ours, with what stands there. */
function describeOwnIssue(given: Issue, root: unknown): string {
  const issue = meantIssue(given);
  const path = jsonPath(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return `${path} has the unknown key ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
  }
  const seen = valueAt(root, issue.path);
  const saw = seen === undefined ? 'is missing' : `is ${shorten(JSON.stringify(seen))}`;
  if (issue.code === 'invalid_value') {
    const known = issue.values.map(String);
    const near = typeof seen === 'string' ? nearestName(seen, known) : null;
    const hint = near === null ? '' : `, did you mean "${near}"`;
    return `${path} ${saw}; it must be one of ${known.join(', ')}${hint}`;
  }
  return `${path} ${saw}: ${issue.message}`;
}

/**
 * Where several forms would do, the complaint of the one that was meant: in which the mistake lies
 * deepest, and of which at least the type is right.
 */
function meantIssue(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const nearness = (inner: Issue): number =>
    2 * inner.path.length + (inner.code === 'invalid_type' ? 0 : 1);
  const [meant] = issue.errors
    .flatMap(([first]) => (first === undefined ? [] : [first]))
    .toSorted((one, other) => nearness(other) - nearness(one));
  return meant === undefined
    ? issue
    : meantIssue({ ...meant, path: [...issue.path, ...meant.path] });
}

/**
 * Describes a mistake in what a stranger sent, without what was seen: that is a stranger's text, which
 * may be long. A key in the path is one, too, so that nothing but plain characters is left of it.
 */
export function describeIssue({ path, message }: Pick<Issue, 'path' | 'message'>): string {
  return `${jsonPath(path)}: ${message}`.slice(0, 300).replace(/[^\x20-\x7e“”’–…]+/g, '?');
}

/** `$.devices[1].driver` */
export function jsonPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => text + (typeof key === 'number' ? `[${String(key)}]` : `.${String(key)}`),
    '$',
  );
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    root,
  );
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

import type { z } from 'zod';
import { BundleRefusal } from '../bundle/format.ts';
import { FarmError } from '../../errors.ts';
import { describeIssue } from '../../json-file.ts';
import { documentFormat, kindDeclaration, runDeclaration } from './declaration.ts';
import { ImportRefusal } from './refusal.ts';
import { restoreRun, type ForeignRun } from './restore.ts';

/** A run as another farm tells it, checked; `value` is what JSON.parse or another store gave. @throws ImportRefusal */
export function readRunDocument(value: unknown): ForeignRun {
  const { format } = check(kindDeclaration, value);
  if (format > documentFormat) {
    throw new ImportRefusal(
      `it has format ${String(format)}, which a newer farm wrote; this one reads ${String(documentFormat)}`,
    );
  }
  const document = check(runDeclaration, value);
  try {
    return restoreRun(document);
  } catch (error) {
    if (error instanceof BundleRefusal || error instanceof FarmError) {
      throw new ImportRefusal(error.message);
    }
    throw error;
  }
}

/** Text → a run. @throws ImportRefusal */
export function parseRunDocument(text: string): ForeignRun {
  return readRunDocument(parseJson(text));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Node.js quotes the text around the mistake, and that text is a stranger's.
    throw new ImportRefusal('it is neither a database nor JSON');
  }
}

function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const checked = parse(schema, value);
  if (checked.success) return checked.data;
  const issues = checked.error.issues.slice(0, 3).map(describeIssue);
  throw new ImportRefusal(`it is not an exported run: ${issues.join('; ')}`);
}

function parse<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  try {
    return schema.safeParse(value);
  } catch {
    // Too much of it is wrong to be listed: the schema itself gives up with a RangeError.
    throw new ImportRefusal('it is not an exported run, in more places than can be told');
  }
}

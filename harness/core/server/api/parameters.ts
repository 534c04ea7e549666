import { z } from 'zod';
import { families } from '../../results/families.ts';
import type { Cursor, PageWanted } from '../../model/history.ts';

/** Parameters of requests. A refused value is answered with a sentence: see `problems.ts`. */

/** Every number of a row is below it; it has at most fifteen digits, which a number holds exactly. */
const mostId = 999_999_999_999_999;

function integer(least: number, most: number): z.ZodType<number> {
  return z
    .string()
    .regex(/^[0-9]{1,15}$/, 'it must be a whole number')
    .transform(Number)
    .pipe(
      z
        .int()
        .min(least, `the least is ${String(least)}`)
        .max(most, `the most is ${String(most)}`),
    );
}

/** Where an answer goes on. */
export const next = z
  .string()
  .nullable()
  .describe('`cursor` of the next page; null after the last');

const text = z.string().min(1, 'it must not be empty').max(300, 'it is too long');

/** One or several: `browser=chromium&browser=firefox`. */
export function many<Item extends z.ZodType>(item: Item) {
  return z.preprocess(
    (value) => (Array.isArray(value) ? value : [value]),
    z.array(item).min(1).max(20, 'there may be 20 at most'),
  );
}

export const id = integer(0, mostId);

/** Numbers with points between: where a page begins. Clients need not know their meaning. */
function cursor(length: number) {
  return z
    .string()
    .regex(
      new RegExp(`^[0-9]{1,15}(\\.[0-9]{1,15}){${String(length - 1)}}$`),
      'it must be the `next` of a page before',
    );
}

/** Parameters of a page of rows: `length` numbers place a row. */
export function paging(length: number, most: number) {
  return { limit: integer(1, most).optional(), cursor: cursor(length).optional() };
}

export interface PagingQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export function pageWanted({ limit, cursor: from }: PagingQuery, usual: number): PageWanted {
  return { limit: limit ?? usual, after: from?.split('.').map(Number) ?? null };
}

/** The cursor as text, as it comes back in a query. */
export function nextOf(next: Cursor | null): string | null {
  return next?.join('.') ?? null;
}

/** Filters of the history: several values of one member are alternatives. */
export const historyFilter = {
  run: z.union([z.literal('latest'), id]).optional(),
  benchmark: text.optional(),
  case: text.optional(),
  metric: text.optional(),
  device: many(text).optional(),
  browser: many(text).optional(),
  family: many(z.enum(families)).optional(),
  os: many(text).optional(),
  cores: many(integer(1, 100_000)).optional(),
  driver: many(text).optional(),
  version: many(text).optional(),
};

export const outcomeFilter = {
  outcome: z.enum(['completed', 'failed', 'timed-out', 'skipped']).optional(),
};

export const statusFilter = {
  status: z.enum(['running', 'finished', 'interrupted']).optional(),
};

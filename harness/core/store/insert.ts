import type { Connection, Value } from './connection.ts';

/**
 * Inserts many rows with few statements. Values are bound and not sent as one JSON text, which can
 * be faster, because SQLite's reading of decimal numbers is not exact: of 300,000 random doubles 39
 * came back with another last bit (SQLite 3.52).
 */
export async function insertRows(
  connection: Connection,
  into: { readonly table: string; readonly columns: readonly string[] },
  rows: readonly (readonly Value[])[],
): Promise<void> {
  await insertValues(connection, { ...into, values: rows.flat() });
}

async function insertValues(
  connection: Connection,
  { table, columns, values }: TableRows,
): Promise<void> {
  const width = columns.length;
  const row = `(${columns.map(() => '?').join(', ')})`;
  for (const { from, count } of partsOf(values.length / width)) {
    const rows = Array<string>(count).fill(row).join(', ');
    await connection.all(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows}`,
      values.slice(from * width, (from + count) * width),
    );
  }
}

/** Rows of one table: their values stand row after row, because many small lists cost more than one. */
export interface TableRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly values: readonly Value[];
}

/** One row of a table, by the names of its columns. */
export function oneRow(table: string, row: Readonly<Record<string, Value>>): TableRows {
  return { table, columns: Object.keys(row), values: Object.values(row) };
}

/** Tables that others point to go first; the rest in any order. */
const pointedTo = ['trial', 'trial_metric', 'probe_reading'];

/** Inserts rows of several tables, those of one table together. Columns that a row lacks are null. */
export async function insertByTable(
  connection: Connection,
  all: readonly TableRows[],
): Promise<void> {
  const groups = groupByTable(all);
  const rank = ({ table }: { table: string }): number =>
    pointedTo.includes(table) ? pointedTo.indexOf(table) : pointedTo.length;
  const ordered = [...groups].sort((one, other) => rank(one) - rank(other));
  const last = ordered.filter((group) => rank(group) === pointedTo.length);
  for (const group of ordered.slice(0, ordered.length - last.length)) {
    await insertValues(connection, group);
  }
  await awaitAll(last.map((group) => insertValues(connection, group)));
}

/** Rows of one table that have the same columns become one. */
function groupByTable(all: readonly TableRows[]): readonly TableRows[] {
  const groups = new Map<string, { table: string; columns: readonly string[]; values: Value[] }>();
  for (const { table, columns, values } of all) {
    const key = `${table}(${columns.join()})`;
    const group = groups.get(key) ?? { table, columns, values: [] };
    for (const value of values) group.values.push(value);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/**
 * Waits for all of them, which do not depend on each other: while SQLite works on one, the next is made
 * ready, and that takes as long. All have ended when this throws, or they would outlive their
 * transaction.
 */
export async function awaitAll(work: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(work);
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** The columns that all values of one call share. */
interface SampleSeries {
  readonly trial: number;
  readonly metric: number;
  readonly phase: 'warm-up' | 'timed';
}

/**
 * Inserts one value per iteration. Binding a value costs more than storing it, so only the values
 * themselves are bound one by one: seen with 1,000,000 rows/s, and with 400,000 by `insertRows`.
 */
export async function insertSamples(
  connection: Connection,
  { trial, metric, phase }: SampleSeries,
  values: readonly number[],
): Promise<void> {
  for (const { from, count } of partsOf(values.length)) {
    const rows = Array.from(
      { length: count },
      (_, index) => `(?1, ?2, ?3, ?4 + ${String(index)}, ?${String(index + 5)})`,
    );
    await connection.all(
      `INSERT INTO sample (trial_id, metric_id, phase, iteration, value) VALUES ${rows.join(', ')}`,
      [trial, metric, phase, from, ...values.slice(from, from + count)],
    );
  }
}

/** Most rows of one statement; up to `fewRows` each number of rows has its own statement. */
const mostRows = 512;
const fewRows = 64;

/** Halving counts from 512 on, then all the rest at once: few prepared statements serve every number. */
function* partsOf(all: number): Generator<{ readonly from: number; readonly count: number }> {
  let size = mostRows;
  for (let from = 0; from < all; from += size) {
    const left = all - from;
    while (size > left && left > fewRows) size /= 2;
    if (left <= fewRows) size = left;
    yield { from, count: size };
  }
}

/** Inserts one row and gives its id. */
export async function insertOne(
  connection: Connection,
  table: string,
  row: Readonly<Record<string, Value>>,
): Promise<number> {
  const columns = Object.keys(row);
  const [inserted] = await connection.all<{ id: number }>(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
     RETURNING id`,
    Object.values(row),
  );
  if (inserted === undefined) throw new Error(`SQLite gave no id for a row of ${table}`);
  return inserted.id;
}

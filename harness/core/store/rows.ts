/** The columns of a row by what they hold: text, or text that may be missing. */
export type Columns<Texts extends string, Nullable extends string = never> = Readonly<
  Record<Texts, string> & Record<Nullable, string | null>
>;

/** A value as JSON for a column; null for one that is missing. */
export function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** For `trial_id IN (…)`; takes the run's id. */
export const trialsOfRun =
  'SELECT trial.id FROM trial JOIN cell ON cell.id = cell_id WHERE run_id = ?';

/** The same for one trial; takes its id. */
export const trialItself = 'SELECT ?';

/**
 * SQL for numbers of many rows as one JSON array: a row for each takes five times as long to read. Not
 * `json_group_array`, which writes 15 digits: of random doubles every other one came back changed; with
 * 17 none of 200,000 did (SQLite 3.52).
 */
export function exactNumbers(column: string, order?: string): string {
  const ordered = order === undefined ? '' : ` ORDER BY ${order}`;
  return `'[' || coalesce(group_concat(${exactNumber(column)}${ordered}), '') || ']'`;
}

/** SQL for a number as text that reads back as the same number. */
export function exactNumber(column: string): string {
  return `printf('%!.17g', ${column})`;
}

/** Groups rows by the row that they belong to, and keeps their order. */
export function groupRows<Row>(
  rows: readonly Row[],
  ownerOf: (row: Row) => number,
): (owner: number) => readonly Row[] {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const owner = ownerOf(row);
    const group = groups.get(owner);
    if (group === undefined) groups.set(owner, [row]);
    else group.push(row);
  }
  return (owner) => groups.get(owner) ?? [];
}

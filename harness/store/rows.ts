/** The columns of a row by what they hold: text, or text that may be missing. */
export type Columns<Texts extends string, Nullable extends string = never> = Readonly<
  Record<Texts, string> & Record<Nullable, string | null>
>;

/** For `trial_id IN (…)`; takes the run's id. */
export const trialsOfRun =
  'SELECT trial.id FROM trial JOIN cell ON cell.id = cell_id WHERE run_id = ?';

/** Sorts rows by the row that they belong to, keeping their order; who has none gets none. */
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

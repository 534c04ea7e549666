import { stringify } from 'csv-stringify/sync';

/** Value of one field of a table; null is an empty field, which is not the number 0. */
export type CsvValue = string | number | null;

/**
 * Rows as CSV (RFC 4180, with line ends of one character). Texts may have been sent by a page, and a
 * spreadsheet runs a text that looks like a formula, so such a text gets an apostrophe in front;
 * numbers stay numbers.
 */
export function renderCsv(rows: readonly (readonly CsvValue[])[]): string {
  const clean = rows.map((row) =>
    row.map((one) => (typeof one === 'string' ? withoutControls(one) : one)),
  );
  return stringify(clean, { escape_formulas: true });
}

/**
 * Default output must not move a terminal's cursor: of control characters only tabs and line ends
 * stay.
 */
function withoutControls(text: string): string {
  return text
    .replaceAll(/\r(?!\n)/g, '\t')
    .replaceAll(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
      '?',
    );
}

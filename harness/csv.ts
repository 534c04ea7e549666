import { stringify } from 'csv-stringify/sync';

/** Value of one field of a table; null is an empty field, which is not the number 0. */
export type CsvValue = string | number | null;

/**
 * Rows as CSV (RFC 4180, with line ends of one character). Texts may have been sent by a page, and a
 * spreadsheet runs a text that looks like a formula, so such a text gets an apostrophe in front;
 * numbers stay numbers.
 */
export function renderCsv(rows: readonly (readonly CsvValue[])[]): string {
  return stringify([...rows], { escape_formulas: true });
}

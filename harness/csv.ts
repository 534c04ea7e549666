/** What one field of a table may be; null is an empty field, which is not the number 0. */
export type CsvValue = string | number | null;

/** What a spreadsheet takes for the beginning of a formula. */
const startsFormula = /^[=+\-@\t\r]/;

/**
 * Rows as CSV (RFC 4180, with line ends of one character). Texts may have been sent by a page, and a
 * spreadsheet runs a text that looks like a formula, so such a text gets an apostrophe in front;
 * numbers stay numbers.
 */
export function renderCsv(rows: readonly (readonly CsvValue[])[]): string {
  return rows.map((row) => `${row.map(renderField).join(',')}\n`).join('');
}

function renderField(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const harmless = startsFormula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

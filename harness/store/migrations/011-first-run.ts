/**
 * A fourth label, for trials of which the first run is measured. SQLite has no statement that widens
 * a CHECK, and a table that others refer to is rebuilt only with foreign keys off, which no
 * transaction can do. The table's text is changed instead, as https://sqlite.org/lang_altertable.html
 * (section 7) allows for changes that leave every stored row as it is.
 */
export const firstRun = `
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
  SET sql = replace(sql, '''no steady state'')', '''no steady state'', ''first run'')')
  WHERE type = 'table' AND name = 'trial';
PRAGMA writable_schema = RESET;
`;

import { execa } from 'execa';
import { join } from 'node:path';
import { connectMigrated } from '../core/store/migrate.ts';

/** Tables with rows as CSV files, and the SQL for tables like them. */
interface Dump {
  readonly tables: readonly { readonly name: string; readonly file: string }[];
  readonly schema: string;
}

/** Returns the version of the `sqlite3` shell; null without one. */
export async function shellVersion(): Promise<string | null> {
  const { stdout, failed } = await execa('sqlite3', ['--version'], { reject: false });
  return failed ? null : (stdout?.split(' ')[0] ?? '');
}

interface Column {
  readonly table_name: string;
  readonly name: string;
  readonly type: string;
  /** Place in the primary key, from 1; 0 outside it. */
  readonly pk: number;
  readonly without_rowid: number;
}

interface IndexColumns {
  readonly table_name: string;
  readonly name: string;
  readonly columns: string;
}

/** Writes every table with rows to a CSV file. A missing value becomes an empty text. */
export async function dumpTables(path: string, folder: string): Promise<Dump> {
  const { columns, indexes } = await describeTables(path);
  const names = [...new Set(columns.map(({ table_name }) => table_name))];
  const tables = names.map((name) => ({ name, file: join(folder, `${name}.csv`) }));
  const script = tables.map(({ name, file }) => {
    const own = columns.filter(({ table_name }) => table_name === name);
    const list = own.map((column) => quoted(column.name)).join(', ');
    return `.output '${file}'\nSELECT ${list} FROM ${quoted(name)};`;
  });
  await execa('sqlite3', ['-csv', path], { input: `${script.join('\n')}\n` });
  return {
    tables,
    schema: [...names.map((name) => tableOf(name, columns)), ...indexes].join('\n'),
  };
}

/** Imports the files into a new database, in one transaction. @returns the duration in ms. */
export async function importDump({ tables, schema }: Dump, path: string): Promise<number> {
  const script = [
    'PRAGMA journal_mode = WAL;',
    'PRAGMA synchronous = FULL;',
    ...[schema, 'BEGIN;'],
    ...tables.map(({ name, file }) => `.import --csv '${file}' ${name}`),
    'COMMIT;',
  ];
  const startedAt = performance.now();
  const { stderr } = await execa('sqlite3', [path], { input: `${script.join('\n')}\n` });
  if (stderr !== '') throw new Error(`the sqlite3 shell complained: ${stderr.slice(0, 500)}`);
  return performance.now() - startedAt;
}

/** Rows of all tables together. */
export async function countRows(path: string): Promise<number> {
  const { columns } = await describeTables(path);
  const names = [...new Set(columns.map(({ table_name }) => table_name))];
  const parts = names.map((name) => `(SELECT count(*) FROM ${quoted(name)})`);
  const { stdout } = await execa('sqlite3', [path, `SELECT ${parts.join(' + ')}`]);
  return Number(stdout);
}

/** Returns the columns of all tables with rows, without generated ones, and their indexes. */
async function describeTables(
  path: string,
): Promise<{ readonly columns: readonly Column[]; readonly indexes: readonly string[] }> {
  const connection = await connectMigrated(path);
  try {
    const columns = await connection.all<Column>(
      `SELECT tables.name AS table_name, columns.name, columns.type, columns.pk,
         tables.wr AS without_rowid
       FROM pragma_table_list AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND tables.schema = 'main' AND tables.name NOT LIKE 'sqlite_%'
       ORDER BY tables.name, columns.cid`,
    );
    const indexes = await connection.all<IndexColumns>(
      `SELECT tables.name AS table_name, indexes.name,
         (SELECT group_concat('"' || name || '"', ', ') FROM pragma_index_info(indexes.name)) AS columns
       FROM pragma_table_list AS tables, pragma_index_list(tables.name) AS indexes
       WHERE tables.type = 'table' AND tables.schema = 'main' AND indexes.origin IN ('u', 'c')`,
    );
    const filled = new Set<string>();
    for (const name of new Set(columns.map(({ table_name }) => table_name))) {
      const rows = await connection.all(`SELECT 1 FROM ${quoted(name)} LIMIT 1`);
      if (rows.length > 0) filled.add(name);
    }
    return {
      columns: columns.filter(({ table_name }) => filled.has(table_name)),
      indexes: indexes
        .filter(({ table_name }) => filled.has(table_name))
        .map(
          ({ table_name, name, columns: own }) =>
            // A unique value may be missing more than once, and a missing value is a text here.
            `CREATE INDEX ${quoted(`by ${name}`)} ON ${quoted(table_name)} (${own});`,
        ),
    };
  } finally {
    await connection.close();
  }
}

function tableOf(name: string, columns: readonly Column[]): string {
  const own = columns.filter(({ table_name }) => table_name === name);
  const key = own
    .filter(({ pk }) => pk > 0)
    .sort((one, other) => one.pk - other.pk)
    .map((column) => quoted(column.name));
  const [only] = own.filter(({ pk }) => pk > 0);
  const isRowid = key.length === 1 && only?.type === 'INTEGER';
  const declared = own.map((column) => `${quoted(column.name)} ${column.type}`);
  const primary = `PRIMARY KEY (${key.join(', ')})`;
  const end = !isRowid && own[0]?.without_rowid === 1 ? ' WITHOUT ROWID' : '';
  return `CREATE TABLE ${quoted(name)} (${[...declared, primary].join(', ')})${end};`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

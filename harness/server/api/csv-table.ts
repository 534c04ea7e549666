import { z } from 'zod';
import { renderCsv, type CsvValue } from '../../csv.ts';

/** An answer's rows as a table, in the columns that the schema of one row has. */
export function formatCsv(row: z.ZodObject, rows: readonly object[]): string {
  const columns = columnsOf(row);
  return renderCsv([
    columns.map((path) => path.join('.')),
    ...rows.map((one) => columns.map((path) => fieldOf(one, path))),
  ]);
}

type Path = readonly string[];

function columnsOf(row: z.ZodObject): readonly Path[] {
  return Object.entries(row.shape).flatMap(([name, schema]): readonly Path[] => {
    const inner = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
    return inner instanceof z.ZodObject
      ? columnsOf(inner).map((path) => [name, ...path])
      : [[name]];
  });
}

function fieldOf(row: object, path: Path): CsvValue {
  let value: unknown = row;
  for (const name of path) value = (value as Readonly<Record<string, unknown>> | null)?.[name];
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'string') return value;
  return JSON.stringify(value);
}

import type { Device } from '../model/device.ts';
import type { Machine, Run } from '../model/run.ts';
import type { Value } from './connection.ts';
import { toJson } from './rows.ts';

/** Nouns as rows and back. A column has the name of its field, `cpu_model` for `cpuModel`, unless it says otherwise. */

export type Row = Readonly<Record<string, Value>>;

/** How a column holds a field. */
export interface Column {
  readonly name?: string;
  readonly write: (value: unknown) => Value;
  readonly read: (stored: Value) => unknown;
  /** Null is a value of the field, which else is left out. */
  readonly isNullable?: true;
}

const plain: Column = {
  write: (value) => (value ?? null) as Value,
  read: (stored) => stored,
};

export const nullable: Column = { ...plain, isNullable: true };

export const yesOrNo: Column = {
  write: (value) => (value === null ? null : Number(value)),
  read: (stored) => (stored === null ? null : stored === 1),
};

const json: Column = {
  write: toJson,
  read: (stored) => JSON.parse(stored as string) as unknown,
};

const named = (name: string): Column => ({ ...plain, name });

/** The stored fields of a noun, in the order in which a noun that is read has them. */
export type Columns = Readonly<Record<string, Column>>;

export const machineColumns = {
  hostname: plain,
  platform: plain,
  release: plain,
  system: plain,
  architecture: plain,
  cpuModel: plain,
  logicalCores: plain,
  memoryBytes: plain,
  virtualization: nullable,
  nodeVersion: plain,
  asRoot: yesOrNo,
} as const satisfies Record<keyof Machine, Column>;

export const runColumns = {
  suite: plain,
  seed: plain,
  isolation: plain,
  preset: plain,
  command: plain,
  farmVersion: plain,
} as const satisfies Partial<Record<keyof Run, Column>>;

export const deviceColumns = {
  id: named('device'),
  name: named('device_name'),
  browser: named('product'),
  driver: plain,
  executable: named('device_executable'),
  version: named('device_version'),
  server: named('device_server'),
  phone: json,
  remote: json,
  emulation: json,
  headless: yesOrNo,
  flags: json,
  preferences: json,
  environment: json,
  automatic: yesOrNo,
  cores: plain,
  family: plain,
} as const satisfies Record<Exclude<keyof Device, 'otherDrivers'>, Column>;

export function toRow(noun: object, columns: Columns): Row {
  const fields = noun as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(columns).map(([field, one]) => [columnOf(field, one), one.write(fields[field])]),
  );
}

/** The fields of a noun that stand in a row; those that are null are left out. */
export function fromRow<Noun>(row: Row, columns: Columns): Noun {
  const fields = Object.entries(columns).flatMap(([field, one]) => {
    const stored = row[columnOf(field, one)] ?? null;
    return stored === null && one.isNullable !== true ? [] : [[field, one.read(stored)]];
  });
  return Object.fromEntries(fields) as Noun;
}

export function columnOf(field: string, { name }: Pick<Column, 'name'> = {}): string {
  return name ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

import {
  type BuiltInProbe,
  coreReading,
  type DeclaredProbe,
  type DeclaredReading,
  environmentReading,
  isDeclaredProbe,
  type Reading,
  scheduleReading,
  threadReading,
  traceReading,
} from '../model/reading.ts';
import {
  type Column,
  columnOf,
  type Columns,
  nullable,
  type Row,
  toRow,
  yesOrNo,
} from './columns.ts';
import type { Connection, Value } from './connection.ts';
import { oneRow, type TableRows } from './insert.ts';
import { exactNumber, groupRows, trialsOfRun } from './rows.ts';

/**
 * Readings as rows, and rows as readings. `harness/core/model/reading.ts` declares the fields of each built-in
 * probe, and a column has the name of its field: `cpu_ms` holds `cpuMs`.
 */

type Fields = Readonly<Record<string, unknown>>;

/** A table with some fields of a probe's reading. */
interface DetailTable {
  readonly name: string;
  /** Rows for a reading, without their trial. */
  readonly rowsOf: (reading: Fields) => readonly Row[];
  /** The fields from a trial's rows, each made when it is read. */
  readonly fieldsOf: (rows: readonly Row[]) => Readonly<Record<string, () => unknown>>;
  /** One row for each trial: SQL, where that is not every column of the table. */
  readonly select?: (trials: string) => string;
}

interface ObjectShape {
  readonly shape: object;
}

/** Objects of one shape as lists of their values: JSON that names each field once takes half the room. */
function asTuples({ shape }: ObjectShape): Column {
  const fields = Object.keys(shape);
  return {
    write: (value) =>
      JSON.stringify((value as readonly Fields[]).map((one) => fields.map((name) => one[name]))),
    read: (stored) =>
      (JSON.parse(stored as string) as readonly (readonly unknown[])[]).map((values) =>
        toObject(fields, values),
      ),
  };
}

function toObject(fields: readonly string[], values: readonly unknown[]): Fields {
  return Object.fromEntries(fields.map((name, index) => [name, values[index]]));
}

/** A table with one row for each reading. */
function oneRowTable(name: string, fields: readonly string[], special: Columns = {}): DetailTable {
  const columns = Object.fromEntries(fields.map((field) => [field, special[field] ?? nullable]));
  return {
    name,
    rowsOf: (reading) => [toRow(reading, columns)],
    fieldsOf: ([row]) => {
      if (row === undefined) throw new Error(`A reading has no row in ${name}`);
      return Object.fromEntries(
        Object.entries(columns).map(([field, { read }]) => [
          field,
          () => read(row[columnOf(field)] ?? null),
        ]),
      );
    },
  };
}

const { threads, timeline } = threadReading.shape;
const threadFields = Object.keys(threads.element.shape);

/** Read as a row for each trial: one for each thread would take five times as long. */
const threadTable: DetailTable = {
  name: 'thread_reading',
  rowsOf: (reading) =>
    (reading['threads'] as readonly Fields[]).map((thread, position) => ({
      position,
      ...Object.fromEntries(threadFields.map((field) => [columnOf(field), thread[field] as Value])),
    })),
  select: (trials) => {
    const columns = threadFields.map((field) =>
      field === 'cpuMs' ? exactNumber('cpu_ms') : columnOf(field),
    );
    return `SELECT trial_id, json_group_array(json_array(${columns.join(', ')}) ORDER BY position)
      AS threads FROM thread_reading WHERE trial_id IN (${trials}) GROUP BY trial_id`;
  },
  fieldsOf: ([row]) => ({
    threads: () =>
      (JSON.parse((row?.['threads'] ?? '[]') as string) as readonly (readonly unknown[])[]).map(
        (values) => {
          const thread = toObject(threadFields, values);
          return { ...thread, cpuMs: Number(thread['cpuMs']) };
        },
      ),
  }),
};

const timelineColumn = asTuples(timeline.element);

/** A window may be too short for a timeline; then it has no row. */
const timelineTable: DetailTable = {
  name: 'role_timeline',
  rowsOf: (reading) => {
    const samples = reading['timeline'] as readonly unknown[];
    return samples.length === 0 ? [] : [{ samples: timelineColumn.write(samples) }];
  },
  fieldsOf: ([row]) => ({ timeline: () => timelineColumn.read(row?.['samples'] ?? '[]') }),
};

const phoneRow = oneRowTable(
  'phone_reading',
  Object.keys(environmentReading.shape.phone.unwrap().shape),
  { powered: yesOrNo },
);

const phoneTable: DetailTable = {
  name: phoneRow.name,
  rowsOf: ({ phone }) => (phone === undefined ? [] : phoneRow.rowsOf(phone as Fields)),
  fieldsOf: (rows): ReturnType<DetailTable['fieldsOf']> => {
    if (rows.length === 0) return {};
    const facts = Object.entries(phoneRow.fieldsOf(rows));
    return { phone: () => Object.fromEntries(facts.map(([field, read]) => [field, read()])) };
  },
};

type StoredSlice = readonly [fromMs: number, toMs: number, thread: number];
type StoredThread = readonly [tid: unknown, thread: unknown, role: unknown];

/** Each thread is named once, and its many slices point to it: a third of the length. */
const scheduleTable: DetailTable = {
  name: 'schedule_reading',
  rowsOf: ({ coresBusy, lostEvents, cores }) => {
    const indexes = new Map<string, number>();
    const indexOf = (thread: string): number => {
      const index = indexes.get(thread) ?? indexes.size;
      indexes.set(thread, index);
      return index;
    };
    const lanes = (cores as readonly (readonly Fields[])[]).map((slices) =>
      slices.map(({ fromMs, toMs, tid, thread, role }) => [
        ...[fromMs, toMs],
        indexOf(JSON.stringify([tid, thread, role])),
      ]),
    );
    return [
      {
        cores_busy: coresBusy as number,
        lost_events: lostEvents as number,
        threads: `[${[...indexes.keys()].join(',')}]`,
        cores: JSON.stringify(lanes),
      },
    ];
  },
  fieldsOf: ([row]) => {
    if (row === undefined) throw new Error('A reading has no row in schedule_reading');
    return {
      coresBusy: () => row['cores_busy'],
      lostEvents: () => row['lost_events'],
      cores: () => {
        const named = JSON.parse(row['threads'] as string) as readonly StoredThread[];
        const lanes = JSON.parse(row['cores'] as string) as readonly (readonly StoredSlice[])[];
        return lanes.map((slices) =>
          slices.map(([fromMs, toMs, index]) => {
            const [tid, thread, role] = named[index] ?? [];
            if (role === undefined)
              throw new Error(`The schedule names no thread ${String(index)}`);
            return { fromMs, toMs, role, thread, tid };
          }),
        );
      },
    };
  },
};

/** Fields that stand in `probe_reading`. */
const common = ['probe', 'wallMs', 'costMs'];

function ownFields({ shape }: ObjectShape, ...elsewhere: readonly string[]): readonly string[] {
  return Object.keys(shape).filter((name) => ![...common, ...elsewhere].includes(name));
}

/** Timelines are by far the largest part of a run, and a report draws that of one trial in many. */
const madeLate: ReadonlySet<string> = new Set(['snapshots', 'threads', 'timeline', 'cores']);

/** The declaration of each built-in probe, and the tables of its reading. */
const builtIn: Readonly<
  Record<BuiltInProbe, readonly [declaration: ObjectShape, ...tables: readonly DetailTable[]]>
> = {
  'cpu-core': [
    coreReading,
    oneRowTable('core_reading', ownFields(coreReading), {
      snapshots: asTuples(coreReading.shape.snapshots.element),
    }),
  ],
  'cpu-thread': [threadReading, threadTable, timelineTable],
  environment: [
    environmentReading,
    oneRowTable('environment_reading', ownFields(environmentReading, 'phone')),
    phoneTable,
  ],
  sched: [scheduleReading, scheduleTable],
  trace: [traceReading, oneRowTable('trace_reading', ownFields(traceReading))],
};

/** Makes the rows of what one probe gave for one trial. `position` counts the probes of the trial. Pure. */
export function rowsOfReading(
  { trial, position }: { readonly trial: number; readonly position: number },
  reading: Reading,
): readonly TableRows[] {
  const { probe } = reading;
  const fields: Fields = { ...reading };
  const common = {
    trial_id: trial,
    probe,
    position,
    not_supported: (fields['notSupported'] ?? null) as Value,
    cost_ms: (fields['costMs'] ?? null) as Value,
  };
  if (isDeclaredProbe(probe)) {
    const document = 'values' in reading ? JSON.stringify(reading.values) : null;
    return [oneRow('declared_reading', { ...common, document })];
  }
  const head = oneRow('probe_reading', { ...common, wall_ms: (fields['wallMs'] ?? null) as Value });
  if ('notSupported' in reading) return [head];
  const [, ...tables] = builtIn[probe as BuiltInProbe];
  return [
    head,
    ...tables.flatMap(({ name, rowsOf }) => {
      const rows = rowsOf(fields).map((row) => ({ trial_id: trial, ...row }));
      const [first] = rows;
      if (first === undefined) return [];
      return [{ table: name, columns: Object.keys(first), values: rows.flatMap(Object.values) }];
    }),
  ];
}

interface HeadRow {
  readonly trial_id: number;
  readonly probe: BuiltInProbe | DeclaredProbe;
  readonly position: number;
  readonly not_supported: string | null;
  readonly wall_ms: number;
  readonly cost_ms: number;
  /** Of a declared probe. */
  readonly document: string;
}

type Of<Stored> = (trial: number) => readonly Stored[];

/**
 * Reads what the probes gave for each trial of a run, in the order in which they gave it.
 * @param trials which ones, for `trial_id IN (…)`: takes the number instead of the run's.
 */
export async function selectReadings(
  connection: Connection,
  run: number,
  trials = trialsOfRun,
): Promise<Of<Reading>> {
  const select = async <Stored extends { readonly trial_id: number }>(
    table: string,
    sql = `SELECT * FROM ${table} WHERE trial_id IN (${trials}) ORDER BY trial_id`,
  ): Promise<Of<Stored>> =>
    groupRows(await connection.all<Stored>(sql, [run]), ({ trial_id }) => trial_id);
  const heads = [await select<HeadRow>('probe_reading'), await select<HeadRow>('declared_reading')];
  const details = new Map<DetailTable, Of<Row>>();
  for (const table of Object.values(builtIn).flatMap(([, ...tables]) => tables)) {
    details.set(table, await select(table.name, table.select?.(trials)));
  }
  return (trial) =>
    heads
      .flatMap((rowsOf) => rowsOf(trial))
      .sort((one, other) => one.position - other.position)
      .map((head) => toReading(head, (table) => details.get(table)?.(trial) ?? []));
}

function toReading(head: HeadRow, rowsIn: (table: DetailTable) => readonly Row[]): Reading {
  const { probe, not_supported: notSupported, wall_ms: wallMs, cost_ms: costMs } = head;
  if (notSupported !== null) return { probe, notSupported };
  if (isDeclaredProbe(probe)) {
    return { probe, values: JSON.parse(head.document) as DeclaredReading['values'], costMs };
  }
  const [{ shape }, ...tables] = builtIn[probe];
  const made: Readonly<Record<string, () => unknown>> = Object.assign(
    { probe: () => probe, wallMs: () => wallMs, costMs: () => costMs },
    ...tables.map((table) => table.fieldsOf(rowsIn(table))),
  );
  const reading: Record<string, unknown> = {};
  for (const name of Object.keys(shape)) {
    const make = made[name];
    // A field may be optional.
    if (make === undefined) continue;
    if (madeLate.has(name)) {
      Object.defineProperty(reading, name, { enumerable: true, get: once(make) });
    } else {
      reading[name] = make();
    }
  }
  return reading as unknown as Reading;
}

function once(make: () => unknown): () => unknown {
  let made: { readonly value: unknown } | null = null;
  return () => (made ??= { value: make() }).value;
}

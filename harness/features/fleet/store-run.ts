import { median } from 'simple-statistics';
import { z } from 'zod';
import { trialValue } from '../../core/model/trial-value.ts';
import type { TrialResult } from '../../core/model/trial.ts';
import type { Lease } from './hosts.ts';
import { toJson, toStorable } from './json.ts';
import type { Query } from './schema.ts';
import type { FarmServer } from './server.ts';

/**
 * The parts of an exported run that columns are made of; all of it is kept as it is. The results of
 * trials are not read here: a worker sends those that its own farm has stored.
 */
const exported = z.looseObject({
  run: z.looseObject({
    identity: z.string().min(1).max(500),
    suite: z.string(),
    isolation: z.string(),
    preset: z.string().optional(),
    status: z.enum(['running', 'finished', 'interrupted']),
    startedAt: z.string(),
    finishedAt: z.string().nullable(),
    machine: z.looseObject({ hostname: z.string() }),
  }),
  devices: z.array(
    z.looseObject({
      device: z.looseObject({
        id: z.string(),
        driver: z.string(),
        emulation: z.unknown().optional(),
      }),
    }),
  ),
  benchmarks: z.array(
    z.looseObject({
      id: z.string(),
      version: z.number(),
      parameters: z.array(z.looseObject({ name: z.string() })).default([]),
      metrics: z.array(z.looseObject({ id: z.string(), direction: z.string() })),
    }),
  ),
  cases: z.array(
    z.looseObject({ benchmark: z.string(), parameters: z.record(z.string(), z.unknown()) }),
  ),
  cells: z.array(
    z.looseObject({
      ordinal: z.number(),
      block: z.number(),
      case: z.number(),
      device: z.string(),
      trial: z
        .looseObject({
          startedAt: z.string(),
          browser: z.looseObject({ name: z.string(), version: z.string() }).nullable(),
          outcome: z.looseObject({ kind: z.string() }),
        })
        .nullable(),
    }),
  ),
});

export type ExportedRun = z.infer<typeof exported>;
type ExportedTrial = NonNullable<ExportedRun['cells'][number]['trial']>;

/** @throws Error for what no `db export` wrote */
export function readExported(document: unknown): ExportedRun {
  return exported.parse(document);
}

/** Where a run comes from. */
export interface RunOrigin {
  readonly host: string;
  readonly job: number | null;
  /** The lease of the worker that sends it; null for a copy of a file. */
  readonly lease: Lease | null;
}

export interface StoredCounts {
  /** Trials that the server had not. */
  readonly added: number;
  /** True if another worker has the sender's name: all of it is kept as attempts. */
  readonly isStale: boolean;
}

/** More would make statements of many megabytes. */
const trialsAtOnce = 200;

/**
 * Stores a run and those of its trials that the server does not have, by identity and ordinal: a
 * second time nothing changes.
 */
export async function storeRun(
  server: FarmServer,
  document: ExportedRun,
  origin: RunOrigin,
): Promise<StoredCounts> {
  const cells = document.cells.filter(({ trial }) => trial !== null);
  let added = 0;
  for (let from = 0; from === 0 || from < cells.length; from += trialsAtOnce) {
    const part = cells.slice(from, from + trialsAtOnce);
    const isLast = from + trialsAtOnce >= cells.length;
    const stored = await server.transaction((query) =>
      storePart(query, { document, origin, part, isLast }),
    );
    if (stored === null) return { added, isStale: true };
    added += stored;
  }
  return { added, isStale: false };
}

interface Part {
  readonly document: ExportedRun;
  readonly origin: RunOrigin;
  readonly part: ExportedRun['cells'];
  readonly isLast: boolean;
}

/** Null where the lease is stale. */
async function storePart(
  query: Query,
  { document, origin, part, isLast }: Part,
): Promise<number | null> {
  if (origin.lease !== null && !(await isHeld(query, origin.lease))) {
    await keepAttempts(query, { document, origin, part, isLast });
    return null;
  }
  const run = await upsertRun(query, document, origin);
  const added = await insertTrials(query, { run, document, origin, part });
  if (added > 0) await query('UPDATE run SET stored = stored + $2 WHERE id = $1', [run, added]);
  if (isLast && document.run.status !== 'running') await summarise(query, run);
  return added;
}

/** Locks the row, so that no other worker takes the name until the trials are stored. */
async function isHeld(query: Query, { host, worker, lease }: Lease): Promise<boolean> {
  const rows = await query(
    'SELECT 1 FROM host WHERE name = $1 AND worker = $2 AND lease = $3 FOR SHARE',
    [host, worker, lease],
  );
  return rows.length > 0;
}

async function keepAttempts(query: Query, { document, origin, part }: Part): Promise<void> {
  await query(
    `INSERT INTO attempt (identity, ordinal, host, lease, document)
     SELECT $1, ordinal, $2, $3, document
     FROM jsonb_to_recordset($4::jsonb) AS t (ordinal int, document jsonb)
     ON CONFLICT DO NOTHING`,
    [
      ...[document.run.identity, origin.host, origin.lease?.lease ?? '0'],
      toJson(part.map(({ ordinal, trial }) => ({ ordinal, document: trial }))),
    ],
  );
}

/** The head is sent again only where the plan has grown or the run has ended: it may be large. */
async function upsertRun(query: Query, document: ExportedRun, origin: RunOrigin): Promise<string> {
  const { run, cells } = document;
  const [known] = await query<{ id: string; planned: number; status: string }>(
    'SELECT id::text, planned, status FROM run WHERE identity = $1 FOR UPDATE',
    [run.identity],
  );
  if (known?.planned === cells.length && known.status === run.status) return known.id;
  // An earlier state of a run that has grown since, as a file may hold it, takes nothing back.
  if (known !== undefined && known.planned > cells.length) return known.id;
  const head = {
    ...document,
    newest: undefined,
    cells: cells.map((cell) => ({ ...cell, trial: null })),
  };
  const [row] = await query<{ id: string }>(
    `INSERT INTO run (identity, host, job, lease, suite, isolation, preset, status, started_at,
       finished_at, planned, head)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     ON CONFLICT (identity) DO UPDATE SET status = excluded.status,
       finished_at = excluded.finished_at, planned = excluded.planned, head = excluded.head
     RETURNING id::text`,
    [
      ...[
        run.identity,
        origin.host,
        origin.job,
        origin.lease?.lease ?? 0,
        run.suite,
        run.isolation,
      ],
      ...[
        run.preset ?? null,
        run.status,
        run.startedAt,
        run.finishedAt,
        cells.length,
        toJson(head),
      ],
    ],
  );
  if (row === undefined) throw new Error('the server returned no run');
  return row.id;
}

interface TrialsToInsert extends Pick<Part, 'document' | 'origin' | 'part'> {
  readonly run: string;
}

async function insertTrials(
  query: Query,
  { run, document, origin, part }: TrialsToInsert,
): Promise<number> {
  if (part.length === 0) return 0;
  const caseAt = await findCases(query, document, new Set(part.map((cell) => cell.case)));
  const devices = new Map(
    document.devices.map(({ device: { id, driver, emulation = null } }) => [
      id,
      { driver, emulation },
    ]),
  );
  const rows = part.map(({ ordinal, block, case: place, device, trial }) => ({
    ordinal,
    block,
    device,
    case_id: caseAt.get(place),
    ...(devices.get(device) ?? unknownDevice),
    browser: trial?.browser?.name ?? null,
    version: trial?.browser?.version ?? null,
    outcome: trial?.outcome.kind,
    started_at: trial?.startedAt,
    quarantine: quarantineOf(trial),
    document: trial,
  }));
  const inserted = await query<{ ordinal: number }>(
    `INSERT INTO trial (run_id, lease, ordinal, block, case_id, device, driver, browser, version,
       outcome, started_at, quarantine, emulation, document)
     SELECT $1, $2, * FROM jsonb_to_recordset($3::jsonb) AS t (ordinal int, block int, case_id int,
       device text, driver text, browser text, version text, outcome text, started_at timestamptz,
       quarantine text[], emulation jsonb, document jsonb)
     ON CONFLICT DO NOTHING RETURNING ordinal`,
    [run, origin.lease?.lease ?? 0, toJson(rows)],
  );
  const fresh = new Set(inserted.map(({ ordinal }) => ordinal));
  const metrics = part
    .filter(({ ordinal }) => fresh.has(ordinal))
    .flatMap((cell) => makeMetrics(cell, document));
  await query(
    `INSERT INTO metric (run_id, ordinal, position, metric, unit, direction, median, value)
     SELECT $1, * FROM jsonb_to_recordset($2::jsonb) AS t (ordinal int, position smallint,
       metric text, unit text, direction text, median float8, value float8)
     ON CONFLICT DO NOTHING`,
    [run, toJson(metrics)],
  );
  return inserted.length;
}

const unknownDevice = { driver: null, emulation: null };

function quarantineOf(trial: ExportedTrial | null): readonly string[] | null {
  const reasons = trial?.outcome['quarantine'];
  return Array.isArray(reasons) && reasons.length > 0 ? reasons.map(String) : null;
}

function makeMetrics(
  { ordinal, case: place, trial }: ExportedRun['cells'][number],
  { benchmarks, cases }: ExportedRun,
): readonly object[] {
  if (trial?.outcome.kind !== 'completed') return [];
  const result = trial.outcome['result'] as TrialResult;
  const benchmark = benchmarks.find(({ id }) => id === cases[place]?.benchmark);
  return result.samples.map(({ metric, unit, timed }, position) => ({
    ordinal,
    position,
    metric,
    unit,
    direction: benchmark?.metrics.find(({ id }) => id === metric)?.direction ?? null,
    median: timed.length === 0 ? null : median([...timed]),
    value: trialValue(result, metric),
  }));
}

/** Numbers of cases by their places in the document. */
async function findCases(
  query: Query,
  { benchmarks, cases }: ExportedRun,
  places: ReadonlySet<number>,
): Promise<ReadonlyMap<number, number>> {
  const found = new Map<number, number>();
  for (const place of places) {
    const { benchmark = '', parameters = {} } = cases[place] ?? {};
    const declared = benchmarks.find(({ id }) => id === benchmark);
    const values = [benchmark, declared?.version ?? 0, toJson(parameters)];
    await query(
      `INSERT INTO "case" (benchmark, version, parameters, name) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING`,
      [...values, nameCase(benchmark, parameters, declared?.parameters ?? [])],
    );
    const [row] = await query<{ id: number }>(
      'SELECT id FROM "case" WHERE benchmark = $1 AND version = $2 AND parameters = $3::jsonb',
      values,
    );
    if (row !== undefined) found.set(place, row.id);
  }
  return found;
}

/** The canonical name, as `caseName` makes it. */
function nameCase(
  benchmark: string,
  parameters: Readonly<Record<string, unknown>>,
  declared: readonly { readonly name: string }[],
): string {
  const values = declared.map(({ name }) => `${name}=${String(parameters[name])}`);
  return toStorable([benchmark, ...values].join(' '));
}

/** Excluded trials, and those of a smoke test, are no part of a history. */
async function summarise(query: Query, run: string): Promise<void> {
  await query('DELETE FROM summary WHERE run_id = $1', [run]);
  await query(
    `INSERT INTO summary (run_id, case_id, device, metric, unit, trials, median)
     SELECT trial.run_id, case_id, device, metric, min(unit), count(*),
       percentile_cont(0.5) WITHIN GROUP (ORDER BY value)
     FROM trial JOIN metric USING (run_id, ordinal) JOIN run ON run.id = trial.run_id
     WHERE trial.run_id = $1 AND quarantine IS NULL AND value IS NOT NULL AND preset IS NULL
     GROUP BY trial.run_id, case_id, device, metric`,
    [run],
  );
}

import type { Parameters } from '../../model/case.ts';
import {
  browserFamilies,
  findFamily,
  listProducts,
  type BrowserFamily,
  type Family,
} from '../../model/family.ts';
import type {
  Cursor,
  HistoryFilter,
  ListedDevice,
  Page,
  Place,
  PlacedTarget,
  Subject,
} from '../../model/history.ts';
import type { Connection, Value } from '../connection.ts';
import { toJson } from '../rows.ts';

/**
 * A fact of the machine of a run. Not by a join: with few machines SQLite would rather look at all of
 * them than use their index, and then no longer know that the rows come in order.
 */
function ofMachine(fact: string): string {
  return `(SELECT ${fact} FROM machine WHERE machine.id = run.machine_id)`;
}

const machineOs = ofMachine(
  `CASE platform WHEN 'darwin' THEN 'macos' WHEN 'win32' THEN 'windows' ELSE platform END`,
);

/**
 * Where a target stood. Neither a phone nor a remote browser is on the machine of the farm, whose
 * facts say nothing of it.
 */
const isHere = 'target.phone IS NULL AND target.remote IS NULL';

const os = `CASE WHEN ${isHere} THEN ${machineOs}
  ELSE coalesce(json_extract(target.phone, '$.platform'), 'unknown') END`;

const system = `CASE WHEN ${isHere} THEN ${ofMachine('system')} END`;

const cores = `CASE WHEN ${isHere}
  THEN coalesce(target.cores, ${ofMachine('logical_cores')}) END`;

export const placeColumns = `
  run.id AS run, run.started_at AS run_started_at, target.device, target.device_name,
  target.product, target.family, target.browser_version, target.driver, ${os} AS os,
  ${system} AS system, ${cores} AS cores, target.emulation IS NOT NULL AS emulated`;

export const subjectColumns = `
  benchmark.name AS benchmark, benchmark.version AS benchmark_version,
  "case".name AS case_name, "case".parameters`;

export interface PlaceRow {
  readonly run: number;
  readonly run_started_at: string;
  readonly device: string;
  readonly device_name: string;
  readonly product: string;
  readonly family: BrowserFamily | null;
  readonly browser_version: string | null;
  readonly driver: string;
  readonly os: string;
  readonly system: string | null;
  readonly cores: number | null;
  readonly emulated: number;
}

export interface SubjectRow {
  readonly benchmark: string;
  readonly benchmark_version: number;
  readonly case_name: string;
  readonly parameters: string;
}

/** Numbers that place a row in the order of pages. */
export interface KeyRow {
  readonly run: number;
  readonly target_id: number;
  readonly benchmark_id: number;
  readonly case_id: number;
  readonly last_id: number;
}

/**
 * Runs × targets × cases, in an order that the indexes have: SQLite walks to a page and sorts nothing,
 * and a filter without matches reads plans alone, never trials. CROSS JOIN keeps SQLite from choosing
 * another order. Of cells, those that have a trial. `?12` to `?16` are the row after which the page
 * begins.
 */
export function walk(last: 'metric' | 'cell'): string {
  return `
FROM run
CROSS JOIN target ON target.run_id = run.id
CROSS JOIN benchmark ON benchmark.run_id = run.id
CROSS JOIN "case" ON "case".run_id = run.id AND "case".benchmark_id = benchmark.id
${joined[last]}
WHERE run.id BETWEEN ?1 AND ?2
  AND (?3 IS NULL OR benchmark.name = ?3)
  AND (?4 IS NULL OR "case".name = ?4)
  AND (?5 IS NULL OR target.device IN (SELECT value FROM json_each(?5)))
  AND (?6 IS NULL OR target.product IN (SELECT value FROM json_each(?6)))
  AND (?7 IS NULL OR coalesce(target.family, target.product) IN (SELECT value FROM json_each(?7)))
  AND (?8 IS NULL OR ${os} IN (SELECT value FROM json_each(?8)))
  AND (?9 IS NULL OR ${cores} IN (SELECT value FROM json_each(?9)))
  AND (?10 IS NULL OR target.driver IN (SELECT value FROM json_each(?10)))
  AND (?11 IS NULL OR target.browser_version IN (SELECT value FROM json_each(?11)))
  AND (?12 IS NULL OR run.id < ?12
    OR (target.id, benchmark.id, "case".id, ${last}.id) > (?13, ?14, ?15, ?16))`;
}

const joined = {
  metric: 'CROSS JOIN metric ON metric.benchmark_id = benchmark.id',
  cell: `CROSS JOIN cell ON cell.run_id = run.id AND cell.case_id = "case".id
  AND cell.target_id = target.id
CROSS JOIN trial ON trial.cell_id = cell.id`,
};

export function inOrder(last: 'metric' | 'cell'): string {
  return `ORDER BY run.id DESC, target.id, benchmark.id, "case".id, ${last}.id`;
}

const cursorLength = 5;

/** Values for `?1` to `?16`; null when the filter names an unknown run. */
export async function walkValues(
  connection: Connection,
  filter: HistoryFilter,
  after: Cursor | null,
): Promise<readonly Value[]> {
  const [low, high] = await runsOf(connection, filter.run);
  const cursor = after?.length === cursorLength ? after : Array<null>(cursorLength).fill(null);
  const [from = null] = cursor;
  return [
    low,
    Math.min(high, from ?? high),
    filter.benchmark ?? null,
    filter.case ?? null,
    toJson(filter.device),
    toJson(filter.browser),
    toJson(filter.family?.flatMap(membersOf)),
    toJson(filter.os),
    toJson(filter.cores),
    toJson(filter.driver),
    toJson(filter.version),
    ...cursor,
  ];
}

/** The products of a family, and its name, which a program declares. */
function membersOf(family: Family): readonly string[] {
  return [...listProducts(family), ...browserFamilies.filter((one) => one === family)];
}

/** The first and the last run that the filter includes. */
async function runsOf(
  connection: Connection,
  run: HistoryFilter['run'],
): Promise<readonly [number, number]> {
  if (run === undefined) return [0, Number.MAX_SAFE_INTEGER];
  if (run !== 'latest') return [run, run];
  const [latest] = await connection.all<{ id: number }>(
    `SELECT id FROM run ORDER BY status = 'running', id DESC LIMIT 1`,
  );
  return latest === undefined ? [0, 0] : [latest.id, latest.id];
}

/**
 * Makes a page of rows that were read with one more than wanted, which shows whether another page
 * follows.
 */
export function pageOf<Row extends KeyRow, Shown>(
  rows: readonly Row[],
  limit: number,
  shown: readonly Shown[],
): Page<Shown> {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const next =
    last === undefined
      ? null
      : [last.run, last.target_id, last.benchmark_id, last.case_id, last.last_id];
  return { rows: shown, next };
}

export function toPlace(row: PlaceRow): Place {
  return {
    run: row.run,
    runStartedAt: row.run_started_at,
    device: row.device,
    deviceName: row.device_name,
    browser: row.product,
    family: findFamily(row.product, row.family),
    version: row.browser_version,
    driver: row.driver,
    os: row.os,
    system: row.system,
    cores: row.cores,
    emulated: row.emulated === 1,
  };
}

export function toSubject(row: SubjectRow): Subject {
  return {
    benchmark: row.benchmark,
    benchmarkVersion: row.benchmark_version,
    case: row.case_name,
    parameters: JSON.parse(row.parameters) as Parameters,
  };
}

/** Every target that was found for a run, the newest run's last. Inside a transaction. */
export async function selectPlacedTargets(
  connection: Connection,
): Promise<readonly PlacedTarget[]> {
  const rows = await connection.all<PlaceRow & { readonly target: number }>(
    `SELECT target.id AS target, ${placeColumns} FROM target JOIN run ON run.id = target.run_id
     WHERE target.status = 'found' ORDER BY target.id`,
  );
  return rows.map((row) => ({ target: row.target, ...toPlace(row) }));
}

interface DeviceRow extends PlaceRow {
  readonly status: 'found' | 'missing';
  readonly reason: string | null;
  readonly remedy: string | null;
  readonly headless: number;
  readonly flags: string;
}

/** Each device as the newest run that looked for it found it, by id. Inside a transaction. */
export async function selectDevices(connection: Connection): Promise<readonly ListedDevice[]> {
  const rows = await connection.all<DeviceRow>(
    `SELECT ${placeColumns}, target.status, target.reason, target.remedy, target.headless,
       target.flags
     FROM target JOIN run ON run.id = target.run_id
     WHERE target.id IN (SELECT max(id) FROM target GROUP BY device)
     ORDER BY target.device`,
  );
  return rows.map((row) => ({
    ...toPlace(row),
    status: row.status,
    reason: row.reason,
    remedy: row.remedy,
    headless: row.headless === 1,
    flags: JSON.parse(row.flags) as readonly string[],
  }));
}

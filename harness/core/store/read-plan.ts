import type { Benchmark, Case, Growth, Metric, Parameter } from '../model/case.ts';
import type { Device, GridNode, PassedOver, Presence, Target } from '../model/device.ts';
import type { Job } from '../model/plan.ts';
import { deviceColumns, fromRow, type Row } from './columns.ts';
import type { Connection } from './connection.ts';
import { groupRows, type Columns } from './rows.ts';

/** Null or not as the status says; the schema holds it. */
interface TargetRow extends Row {
  readonly id: number;
  readonly status: 'found' | 'missing';
  readonly browser_name: string;
  readonly browser_version: string;
  readonly executable: string;
  readonly server: string | null;
  readonly node: string | null;
  readonly passed_over: string | null;
  readonly reason: string;
  readonly remedy: string;
}

interface CapabilityRow {
  readonly target_id: number;
  readonly name: string;
  readonly supported: number;
  readonly because: string | null;
}

export async function selectPresences(
  connection: Connection,
  run: number,
): Promise<readonly Presence[]> {
  const targets = await connection.all<TargetRow>(
    'SELECT * FROM target WHERE run_id = ? ORDER BY position',
    [run],
  );
  const capabilities = groupRows(
    await connection.all<CapabilityRow>(
      `SELECT capability.* FROM capability JOIN target ON target.id = target_id
       WHERE run_id = ? ORDER BY target_id, capability.position`,
      [run],
    ),
    ({ target_id }) => target_id,
  );
  return targets.map((row) => toPresence(row, capabilities(row.id)));
}

/** The targets of a run that were found, by the number of their row. */
export async function selectTargets(
  connection: Connection,
  run: number,
): Promise<ReadonlyMap<number, Target>> {
  const rows = await connection.all<TargetRow>(
    "SELECT * FROM target WHERE run_id = ? AND status = 'found'",
    [run],
  );
  return new Map(rows.map((row) => [row.id, toTarget(row)]));
}

function toTarget(row: TargetRow): Target {
  return {
    device: fromRow<Device>(row, deviceColumns),
    browser: { name: row.browser_name, version: row.browser_version },
    executable: row.executable,
    ...(row.server !== null && { server: row.server }),
    ...(row.node !== null && { node: JSON.parse(row.node) as GridNode }),
  };
}

function toPresence(row: TargetRow, rows: readonly CapabilityRow[]): Presence {
  const device = fromRow<Device>(row, deviceColumns);
  const capabilities = rows.map(({ name, supported, because }) => ({
    name,
    supported: supported === 1,
    ...(because !== null && { because }),
  }));
  if (row.status === 'missing') {
    const { status, reason, remedy } = { ...row, status: row.status };
    return { status, device, reason, remedy, capabilities };
  }
  return {
    status: row.status,
    device,
    target: toTarget(row),
    capabilities,
    ...(row.passed_over !== null && { passedOver: JSON.parse(row.passed_over) as PassedOver[] }),
  };
}

type BenchmarkRow = Columns<
  'name' | 'title' | 'description' | 'page',
  'growth_over' | 'growth_by' | 'growth_theory' | 'truth_parameter' | 'truth_unit' | 'crossover'
> & {
  readonly id: number;
  readonly version: number;
};

export interface ParameterRow {
  readonly benchmark_id: number;
  readonly name: string;
  readonly kind: 'choice' | 'integer';
  readonly choices: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly default_value: string;
}

type MetricRow = Metric & { readonly benchmark_id: number };

async function selectBenchmarks(
  connection: Connection,
  run: number,
): Promise<ReadonlyMap<number, Benchmark>> {
  const ofRun = 'benchmark_id IN (SELECT id FROM benchmark WHERE run_id = ?) ORDER BY position';
  const parameters = groupRows(
    await connection.all<ParameterRow>(`SELECT * FROM parameter WHERE ${ofRun}`, [run]),
    ({ benchmark_id }) => benchmark_id,
  );
  const metrics = groupRows(
    await connection.all<MetricRow>(
      `SELECT benchmark_id, name AS id, title, unit, direction FROM metric WHERE ${ofRun}`,
      [run],
    ),
    ({ benchmark_id }) => benchmark_id,
  );
  const rows = await connection.all<BenchmarkRow>('SELECT * FROM benchmark WHERE run_id = ?', [
    run,
  ]);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.name,
        version: row.version,
        title: row.title,
        description: row.description,
        page: row.page,
        parameters: parameters(row.id).map(toParameter),
        metrics: metrics(row.id).map(toMetric),
        ...toGrowth(row),
        ...(row.crossover !== null && {
          crossover: JSON.parse(row.crossover) as NonNullable<Benchmark['crossover']>,
        }),
        ...(row.truth_parameter !== null &&
          row.truth_unit !== null && {
            truth: { parameter: row.truth_parameter, unit: row.truth_unit },
          }),
      },
    ]),
  );
}

function toGrowth(row: BenchmarkRow): Pick<Benchmark, 'growth'> {
  const { growth_over: over, growth_by: by, growth_theory: theory } = row;
  if (over === null || by === null) return {};
  if (theory === null) return { growth: { over, by } };
  return { growth: { over, by, theory: JSON.parse(theory) as NonNullable<Growth['theory']> } };
}

function toMetric({ id, title, unit, direction }: MetricRow): Metric {
  return { id, title, unit, direction };
}

export function toParameter(row: ParameterRow): Parameter {
  const { name } = row;
  if (row.kind === 'integer') {
    const { minimum, maximum } = row;
    return { kind: row.kind, name, minimum, maximum, default: Number(row.default_value) };
  }
  type Choice = Extract<Parameter, { kind: 'choice' }>;
  const values = JSON.parse(row.choices) as Choice['values'];
  return {
    kind: row.kind,
    name,
    values,
    default: JSON.parse(row.default_value) as Choice['default'],
  };
}

interface CellRow {
  readonly ordinal: number;
  readonly block: number;
  readonly case_id: number;
  readonly device: string;
  readonly session_key: string;
  readonly repeats: number | null;
}

interface CaseRow {
  readonly id: number;
  readonly benchmark_id: number;
  readonly parameters: string;
}

/** The planned cells in their order; jobs of one case share its record. */
export async function selectJobs(connection: Connection, run: number): Promise<readonly Job[]> {
  const benchmarks = await selectBenchmarks(connection, run);
  const cases = new Map<number, Case>();
  const caseRows = await connection.all<CaseRow>('SELECT * FROM "case" WHERE run_id = ?', [run]);
  for (const { id, benchmark_id, parameters } of caseRows) {
    const benchmark = known(benchmarks, benchmark_id);
    cases.set(id, { benchmark, parameters: JSON.parse(parameters) as Case['parameters'] });
  }
  const cells = await connection.all<CellRow>(
    `SELECT ordinal, block, case_id, device, session_key, repeats FROM cell
     JOIN target ON target.id = target_id WHERE cell.run_id = ? ORDER BY ordinal`,
    [run],
  );
  return cells.map((row) => ({
    ordinal: row.ordinal,
    block: row.block,
    case: known(cases, row.case_id),
    deviceId: row.device,
    sessionKey: row.session_key,
    ...(row.repeats !== null && { repeats: row.repeats }),
  }));
}

/** A row that another row names: foreign keys hold that it is there. */
function known<Noun>(nouns: ReadonlyMap<number, Noun>, id: number): Noun {
  const noun = nouns.get(id);
  if (noun === undefined) throw new Error(`Row ${String(id)} is named but not there`);
  return noun;
}

import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import pc from 'picocolors';
import type { Findings, NightFacts } from '../../reports/findings.ts';
import { describeRun } from '../analysis/findings.ts';
import { rebuildTables } from '../claims/studies/rebuild.ts';
import { studies } from '../claims/studies/index.ts';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import type { RunRecord } from '../model/run.ts';
import { farmVersion, projectRoot } from '../project.ts';
import { plain } from '../progress/terminal.ts';
import { print, printJson, type Io, type Runner } from './io.ts';
import { readRecord, writeWhole } from './records.ts';
import { storedTrends } from './stored-history.ts';
import {
  parseRun,
  withDatabase,
  withJson,
  type DatabaseOption,
  type JsonOption,
} from './options.ts';

interface Options extends DatabaseOption, JsonOption {
  readonly out?: string;
  readonly terminal?: boolean;
  /** `true` without a name: the least steady trial of all. */
  readonly warmUp?: string | boolean;
}

export function declare(command: Command, run: Runner): void {
  command.argument('[run]', 'number of a stored run', 'latest');
  withDatabase(command);
  withJson(command, 'print { path, bytes }')
    .option('--out <file>', 'where to write it (default: reports/out/run-<number>.html)')
    .option('--terminal', 'instead: the table of medians and verdicts, printed here')
    .option(
      '--warm-up [case]',
      'instead: the iterations of the least steady trial (of that case), drawn here and to --out',
    )
    .action((which: string, options: Options) => run((io) => writeReport(which, options, io)));
}

export async function writeReport(which: string, options: Options, io: Io): Promise<ExitCode> {
  const record = await readRecord(parseRun(which), options.database);
  if (options.warmUp !== undefined) return writeWarmUp(record, options, io);
  const { database } = options;
  if (options.terminal === true) return printFindings(await findingsOf(record, database), io);
  const html = await renderReport(record, { database });
  const path = resolve(options.out ?? defaultPath(record.run.id));
  await writeWhole(path, html);
  const bytes = Buffer.byteLength(html);
  if (options.json) printJson(io, { path, bytes });
  else
    print(
      io,
      `report of run ${String(record.run.id)}: ${path} (${String(Math.ceil(bytes / 1000))} kB)`,
    );
  return exitCodes.fine;
}

/** The numbers of the report, and nothing else of it. */
async function printFindings(findings: Findings, io: Io): Promise<ExitCode> {
  const { comparisonText } = await import('../../reports/comparison-text.ts');
  const { default: Table } = await import('cli-table3');
  for (const { title, columns, rows } of comparisonText(findings)) {
    const table = new Table({
      head: [...columns],
      style: { head: [], border: [], compact: true },
      ...(io.stdout.isTTY && io.stdout.columns < 100 ? { wordWrap: true } : {}),
    });
    table.push(...rows.map((row) => [...row]));
    print(io, `\n${pc.bold(title)}\n${table.toString()}`);
  }
  for (const caution of findings.cautions) print(io, `\n${pc.yellow(plain(caution))}`);
  return exitCodes.fine;
}

export interface ReportContext {
  readonly database: string;
  /** What is known of its night, if it was one. */
  readonly night?: NightFacts;
}

/** A run as one HTML file. */
export async function renderReport(
  record: RunRecord,
  { database, night }: ReportContext,
): Promise<string> {
  const { renderComparison } = await import('../../reports/comparison.ts');
  const findings = await findingsOf(record, database);
  return renderComparison({ ...findings, ...(night === undefined ? {} : { night }) });
}

async function findingsOf(record: RunRecord, database: string): Promise<Findings> {
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  return {
    ...describeRun(record, writing),
    rebuilt: rebuildTables(record, studies),
    ...(await storedTrends(database, record)),
  };
}

/** Why a trial was called steady, or not: every iteration of it, in order. */
async function writeWarmUp(record: RunRecord, options: Options, io: Io): Promise<ExitCode> {
  const { explainWarmUp } = await import('../analysis/warm-up.ts');
  const choice = typeof options.warmUp === 'string' ? { caseName: options.warmUp } : {};
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  const facts = explainWarmUp(record, { choice, ...writing });
  if (facts === null) {
    throw new FarmError('bad-argument', {
      what: `Run ${String(record.run.id)} has no completed trial${choice.caseName === undefined ? '' : ` of "${choice.caseName}"`}.`,
      next: `farm report ${String(record.run.id)} lists its cases.`,
    });
  }
  const { drawWarmUp } = await import('../../reports/warm-up-text.ts');
  if (!options.json) print(io, drawWarmUp(facts));
  if (options.out === undefined) return exitCodes.fine;
  const { renderWarmUp } = await import('../../reports/warm-up.ts');
  const html = await renderWarmUp(facts);
  const path = resolve(options.out);
  await writeWhole(path, html);
  if (options.json) printJson(io, { path, bytes: Buffer.byteLength(html) });
  else print(io, path);
  return exitCodes.fine;
}

function defaultPath(run: number): string {
  return join(projectRoot(), 'reports', 'out', `run-${String(run)}.html`);
}

import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { AskedFacts, Findings, NightFacts } from '../../reports/findings.ts';
import { describeRuns } from '../analysis/across-runs.ts';
import { withFittingClaims } from '../analysis/claims/fitting.ts';
import { describeRun } from '../analysis/findings.ts';
import { targetIdIn } from '../analysis/run-labels.ts';
import type { Baseline } from '../analysis/run-verdicts.ts';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import type { Question } from '../model/question.ts';
import type { RunRecord } from '../model/run.ts';
import { farmVersion, projectRoot } from '../project.ts';
import { print, printJson, type Io, type Runner } from './io.ts';
import { collectNames, withDatabase, withJson, type JsonOption } from './options.ts';
import { writeWhole } from '../app/records.ts';
import { chooseBaseline, chooseRuns, type Choice } from '../app/report-choice.ts';
import { rebuildStudies } from '../app/rebuilt-studies.ts';
import { storedTrends } from '../app/stored-history.ts';

interface Options extends Choice, JsonOption {
  readonly baseline?: string;
  readonly out?: string;
  readonly terminal?: boolean;
  /** `true` without a name: the least steady trial of all. */
  readonly warmUp?: string | boolean;
}

export function declare(command: Command, run: Runner): void {
  command.argument('[runs...]', 'numbers of stored runs (default: the latest one)');
  withDatabase(command);
  withJson(command, 'print { path, bytes, runs }; with --terminal what it would print')
    .option('--device <ids>', 'only these devices; firefox@3 is the one of run 3', collectNames, [])
    .option('--bench <ids>', 'only these benchmarks', collectNames, [])
    .option(
      '--baseline <name>',
      'what the others are set against: a device, or of several runs a run (usually the first) or a device in a run',
    )
    .option('--out <file>', 'where to write it (default: reports/out/run-<number>.html)')
    .option(
      '--terminal',
      'instead: what differs and what was seen with it, and the tables, printed here',
    )
    .option(
      '--warm-up [case]',
      'instead: the iterations of the least steady trial (of that case), drawn here and to --out',
    )
    .addHelpText('after', help)
    .action((named: readonly string[], options: Options) =>
      run((io) => writeReport(named, options, io)),
    );
}

const help = `
Several runs stand beside each other, and nothing of them is pooled:
  farm report 3 5                     every device in run 5 against itself in run 3
  farm report 3 5 --device firefox    only that one: two builds of it, say
  farm report 3 5 --baseline chromium@3`;

/** Writes the report of the runs that are named, or prints its numbers. */
export async function writeReport(
  named: readonly string[],
  options: Options,
  io: Io,
): Promise<ExitCode> {
  if (options.warmUp !== undefined) {
    const { writeWarmUp } = await import('../app/report-choice.ts');
    return writeWarmUp(onlyOne(await chooseRuns(named, options)), options, io);
  }
  if (options.terminal === true) {
    return tell(await findingsOf(await chooseRuns(named, options), options), options, io);
  }
  // While SQLite reads in threads of its own, the page is loaded.
  const [records, { renderComparison }] = await Promise.all([
    chooseRuns(named, options),
    import('../../reports/comparison.ts'),
  ]);
  const html = await renderComparison(await findingsOf(records, options));
  const runs = records.map(({ run }) => run.id);
  const path = resolve(options.out ?? defaultPath(runs));
  await writeWhole(path, html);
  const bytes = Buffer.byteLength(html);
  if (options.json) printJson(io, { path, bytes, runs });
  else {
    const what = `${runs.length === 1 ? 'run' : 'runs'} ${runs.join(', ')}`;
    print(io, `report of ${what}: ${path} (${String(Math.ceil(bytes / 1000))} kB)`);
  }
  return exitCodes.fine;
}

async function tell(findings: Findings, { json }: JsonOption, io: Io): Promise<ExitCode> {
  const { findingsJson, printFindings } = await import('./text/report-text.ts');
  if (json) printJson(io, await findingsJson(findings));
  else await printFindings(findings, io);
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
  const findings = await findingsOf([record], { database });
  return renderComparison({ ...findings, ...(night === undefined ? {} : { night }) });
}

async function findingsOf(
  records: readonly RunRecord[],
  options: Pick<Options, 'database' | 'baseline' | 'device' | 'bench'>,
): Promise<Findings> {
  const { baseline: text, database, device = [], bench = [] } = options;
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  const baseline = text === undefined ? undefined : chooseBaseline(text, records);
  const [record, ...others] = records;
  if (record === undefined || others.length > 0) {
    const told = describeRuns(records, { ...writing, ...(baseline !== undefined && { baseline }) });
    return withPart(told, options);
  }
  const against = baselineDevice(baseline, record);
  const isPart = device.length + bench.length > 0;
  const describe = async (): Promise<Findings> => {
    // While these are loaded, SQLite begins to read the history in its own thread.
    await import('../../reports/comparison.ts');
    const findings = describeRun(record, {
      ...writing,
      ...(against !== undefined && { baseline: against }),
    });
    return withFittingClaims(findings, record);
  };
  const [trends, findings, studies] = await Promise.all([
    // The history is one of all series of a suite.
    isPart ? {} : storedTrends(database, record),
    describe(),
    rebuildStudies(record, database),
  ]);
  const { question } = record;
  // Of a part no question is answered.
  const asked = question === undefined || isPart ? {} : { asked: await answerTo(record, question) };
  return withPart({ ...findings, ...asked, ...studies, ...trends }, options);
}

async function answerTo(record: RunRecord, question: Question): Promise<AskedFacts> {
  const { describeAsked } = await import('../analysis/claims/evidence.ts');
  return describeAsked(record, question);
}

function baselineDevice(baseline: Baseline | undefined, record: RunRecord): string | undefined {
  if (baseline?.kind !== 'target') return undefined;
  return record.presences.find(
    ({ device }) => targetIdIn(record.run.id, device.id) === baseline.targetId,
  )?.device.id;
}

/** Who chose what to show is told so, and who is sent the file, too. */
function withPart(
  findings: Findings,
  { device = [], bench = [] }: Pick<Options, 'device' | 'bench'>,
): Findings {
  const chosen = [
    ...(device.length === 0 ? [] : [`--device ${device.join(',')}`]),
    ...(bench.length === 0 ? [] : [`--bench ${bench.join(',')}`]),
  ];
  if (chosen.length === 0) return findings;
  const caution = `Only a part is shown (${chosen.join(' ')}), and counted as planned: the verdicts stand among the comparisons of this part.`;
  return { ...findings, cautions: [...findings.cautions, caution] };
}

function onlyOne(records: readonly RunRecord[]): RunRecord {
  const [record, ...others] = records;
  if (record !== undefined && others.length === 0) return record;
  throw new FarmError('bad-argument', {
    what: `--warm-up looks at one trial, and ${String(records.length)} runs are named.`,
    next: 'Name one of them: farm report 3 --warm-up',
  });
}

function defaultPath(runs: readonly number[]): string {
  return join(projectRoot(), 'reports', 'out', `run-${runs.join('-')}.html`);
}

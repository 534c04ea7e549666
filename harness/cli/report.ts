import type { Command } from 'commander';
import { exitCodes, type ExitCode } from '../errors.ts';
import type { ReportOptions } from '../app/report/report.ts';
import { print, printJson, type Io, type Runner } from './io.ts';
import { collectNames, parseRun, withDatabase, withJson, type JsonOption } from './options.ts';

interface Options extends ReportOptions, JsonOption {
  readonly terminal?: boolean;
  /** `true` without a name: the least steady trial of all. */
  readonly warmUp?: string | boolean;
}

type Runs = readonly (number | 'latest')[];

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
      run((io) => report(named.map(parseRun), options, io)),
    );
}

const help = `
Several runs stand beside each other, and nothing of them is pooled:
  farm report 3 5                     every device in run 5 against itself in run 3
  farm report 3 5 --device firefox    only that one: two builds of it, say
  farm report 3 5 --baseline chromium@3`;

async function report(runs: Runs, options: Options, io: Io): Promise<ExitCode> {
  if (options.warmUp !== undefined) await showWarmUp(runs, options, io);
  else if (options.terminal === true) await showFindings(runs, options, io);
  else {
    const { writeReport } = await import('../app/report/report.ts');
    const written = await writeReport(runs, options);
    const { reportSentence } = await import('./text/report-text.ts');
    if (options.json) printJson(io, written);
    else print(io, reportSentence(written));
  }
  return exitCodes.fine;
}

async function showFindings(runs: Runs, options: Options, io: Io): Promise<void> {
  const { readFindings } = await import('../app/report/report.ts');
  const findings = await readFindings(runs, options);
  const { findingsJson, printFindings } = await import('./text/report-text.ts');
  if (options.json) printJson(io, await findingsJson(findings));
  else await printFindings(findings, io);
}

async function showWarmUp(
  runs: Runs,
  { warmUp, json, out, ...choice }: Options,
  io: Io,
): Promise<void> {
  const { explainRunWarmUp, writeWarmUp } = await import('../app/report/warm-up.ts');
  const caseName = typeof warmUp === 'string' ? warmUp : undefined;
  const facts = await explainRunWarmUp(runs, { ...choice, caseName });
  const { drawWarmUp } = await import('../../reports/wording/warm-up-text.ts');
  if (!json) print(io, drawWarmUp(facts));
  if (out === undefined) return;
  const written = await writeWarmUp(facts, out);
  if (json) printJson(io, written);
  else print(io, written.path);
}

import { Option, type Command } from 'commander';
import { runDefaults } from '../app/defaults.ts';
import type { OtherSuites, RunOptions } from '../app/run/run-suite.ts';
import type { MeasuringCaller } from '../app/caller.ts';
import type { RunResult } from '../app/run/execute-plan.ts';
import { type ExitCode, FarmError } from '../errors.ts';
import { type CommandModule, type Io, type Runner } from './io.ts';
import { type ReportOption, withReport } from './end-report.ts';
import { type OpenOption, withLivePage, withOpen } from './live-page.ts';
import {
  collectNames,
  collectParameters,
  type JsonOption,
  parseCount,
  parseSeed,
  parseMargin,
  withDatabase,
  withInventory,
  withJson,
  withPages,
  withProbes,
  withTrialOptions,
} from './options.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

interface Options extends Omit<RunOptions, 'suite'>, JsonOption, OpenOption, ReportOption {
  readonly suite?: string;
}

/** The command, with suites that lie elsewhere. */
export async function runCommand(suites: OtherSuites): Promise<CommandModule> {
  const others = { ...suites, known: (await suites.names()).join(', ') };
  return { declare: (command, run) => declare(command, run, others) };
}

interface Others extends OtherSuites {
  /** Their names. */
  readonly known: string;
}

function declare(command: Command, run: Runner, others: Others): void {
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withProbes(command);
  withOpen(command);
  withReport(command);
  withJson(command, 'print events as JSON lines; the last is run-finished')
    .option(
      '--suite <name>',
      `suite of pages/suites (default: quick); with --from: ${others.known}`,
    )
    .option('--from <place>', 'folder or URL of a well-known suite')
    .option('--bench <ids>', 'benchmarks to measure, of the suite or alone', collectNames, [])
    .option('--device <ids>', 'devices to measure; "all" takes every one', collectNames, [])
    .option('--cores <number>', 'pin each browser to N cores (Linux)', parseCount)
    .option(
      '--param <name=values>',
      'parameters, such as n=20..24 or place=main,worker',
      collectParameters,
      {},
    )
    .option('--trials <number>', 'number of blocks', parseCount)
    .addOption(
      // How many there are at most is --max-blocks.
      new Option('--until <what>', 'add blocks until every comparison has a verdict')
        .choices(['decided'])
        .conflicts('trials'),
    )
    .option(
      '--margin <share>',
      'with --until: smallest difference that matters',
      parseMargin,
      runDefaults.margin,
    )
    .option(
      '--max-blocks <number>',
      'with --until: stop after N blocks',
      parseCount,
      runDefaults.maxBlocks,
    )
    .option('--isolation <level>', 'fresh browser (session) or page for each trial')
    .option('--seed <number>', 'seed of the order; repeats a run', parseSeed)
    .option('--no-repeat', 'do not repeat excluded trials')
    .option('--allow-contention', 'run all devices at once; no valid measurement')
    .action((options: Options) =>
      run((io) => withLivePage(options, io, (own) => measure(options, others, own))),
    );
}

async function measure(
  { json, report, ...options }: Options,
  others: Others,
  io: Io,
): Promise<ExitCode> {
  const { endRun, holdEnd } = await import('./run-output.ts');
  const held = holdEnd(json, io);
  const result = await runChosen(options, others, held.caller);
  const resumable = options.until === undefined && options.from === undefined;
  const { database } = options;
  const asked = { json, database, resumable, ...(report !== undefined && { report }) };
  return endRun(result, asked, { io, held });
}

async function runChosen(
  { suite, from, ...options }: Omit<Options, 'json' | 'report'>,
  others: Others,
  caller: MeasuringCaller,
): Promise<RunResult> {
  if (from === undefined) {
    const { runSuite } = await import('../app/run/run-suite.ts');
    return runSuite({ ...options, suite: suite ?? null }, caller);
  }
  if (suite === undefined) {
    throw new FarmError('bad-argument', {
      what: `--from says where a suite is, and not which: ${others.known}.`,
      next: `Add --suite, or compare pages of your own: ${npxCrossfarm} compare --help`,
    });
  }
  return others.run({ ...options, suite, from }, caller);
}

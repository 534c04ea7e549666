import { Option, type Command } from 'commander';
import { runDefaults } from '../app/defaults.ts';
import type { OtherSuites, OwnPageOptions } from '../app/run/run-suite.ts';
import type { MeasuringCaller } from '../app/caller.ts';
import type { RunResult } from '../app/run/execute-plan.ts';
import { type ExitCode, FarmError } from '../errors.ts';
import { type CommandModule, type Io, type Runner } from './io.ts';
import { type ReportOption, withReport } from './end-report.ts';
import { type OpenOption, withLivePage, withOpen } from './live-page.ts';
import {
  collectNames,
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
  suiteParameters,
} from './options.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

interface Options extends Omit<OwnPageOptions, 'suite'>, JsonOption, OpenOption, ReportOption {
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
  command.argument('[page...]', 'HTML files, folders or URLs, instead of a suite');
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
    .option(...suiteParameters)
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
    .action((pages: readonly string[], options: Options) =>
      run((io) =>
        withLivePage(options, io, (own) => measure({ ...options, ownPages: pages }, others, own)),
      ),
    );
  declarePages(command);
}

function declarePages(command: Command): void {
  command
    .option(
      '--measure <what>',
      'pages: measure:NAME, mark:NAME, load, lcp … or an expression',
      (text: string, sofar: readonly string[]): readonly string[] => [...sofar, text],
      [],
    )
    .option('--root <folder>', 'pages: folder to serve at /')
    .option('--despite-errors', 'pages: also measure pages with errors', false);
}

interface Chosen extends Omit<Options, 'json' | 'report'> {
  /** Pages of one's own, instead of a suite; none when empty. */
  readonly ownPages: readonly string[];
}

async function measure(
  { json, report, ...options }: Chosen & JsonOption & ReportOption,
  others: Others,
  io: Io,
): Promise<ExitCode> {
  const { endRun, holdEnd } = await import('./run-output.ts');
  const held = holdEnd(json, io);
  const result = await runChosen(options, others, held.caller);
  const { database, until, from, ownPages } = options;
  const resumable = until === undefined && from === undefined && ownPages.length === 0;
  const asked = { json, database, resumable, ...(report !== undefined && { report }) };
  return endRun(result, asked, { io, held });
}

async function runChosen(
  { suite, from, ownPages, ...options }: Chosen,
  others: Others,
  caller: MeasuringCaller,
): Promise<RunResult> {
  if (ownPages.length > 0) {
    refuseSuiteOptions({ suite, from, ...options });
    return others.runPages(ownPages, { ...options, suite: null }, caller);
  }
  if (options.measure.length > 0 || options.root !== undefined || options.despiteErrors) {
    throw new FarmError('bad-argument', {
      what: '--measure, --root and --despite-errors are about pages of your own, and none is named.',
      next: `Such as: ${npxCrossfarm} run mine.html --measure lcp`,
    });
  }
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

/** @throws FarmError `bad-argument` for what chooses benchmarks, where pages are named */
function refuseSuiteOptions({
  suite,
  from,
  bench,
  param,
}: Pick<Partial<Options>, 'suite' | 'from' | 'bench' | 'param'>): void {
  const given = {
    '--suite': suite !== undefined,
    '--from': from !== undefined,
    '--bench': bench !== undefined && bench.length > 0,
    '--param': Object.keys(param ?? {}).length > 0,
  };
  const wrong = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [name] : []));
  if (wrong.length === 0) return;
  throw new FarmError('bad-argument', {
    what: `${wrong.join(', ')} cannot be said of pages of your own: they choose benchmarks.`,
    next: 'Leave out either the pages or these options.',
  });
}

import { Option, type Command } from 'commander';
import { runDefaults } from '../app/defaults.ts';
import type { RunOptions } from '../app/run/run-suite.ts';
import type { MeasuringCaller } from '../app/caller.ts';
import type { RunResult } from '../app/run/execute-plan.ts';
import { wellKnownSuites } from '../app/versions/well-known.ts';
import { type ExitCode, FarmError } from '../errors.ts';
import type { Io, Runner } from './io.ts';
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

interface Options extends Omit<RunOptions, 'suite'>, JsonOption {
  readonly suite?: string;
}

export function declare(command: Command, run: Runner): void {
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withProbes(command);
  withJson(command, 'print events as JSON lines; the last is run-finished')
    .option(
      '--suite <name>',
      `suite of pages/suites (default: quick); with --from: ${wellKnownSuites.join(', ')}`,
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
    .action((options: Options) => run((io) => measure(options, io)));
}

async function measure({ json, ...options }: Options, io: Io): Promise<ExitCode> {
  const { concludeRun, watchingCaller } = await import('./run-output.ts');
  const result = await runChosen(options, watchingCaller(json, io));
  const resumable = options.until === undefined && options.from === undefined;
  return concludeRun(result, { json, resumable }, io);
}

async function runChosen(
  { suite, from, ...options }: Omit<Options, 'json'>,
  caller: MeasuringCaller,
): Promise<RunResult> {
  if (from === undefined) {
    const { runSuite } = await import('../app/run/run-suite.ts');
    return runSuite({ ...options, suite: suite ?? null }, caller);
  }
  if (suite === undefined) {
    throw new FarmError('bad-argument', {
      what: `--from says where a suite is, and not which: ${wellKnownSuites.join(', ')}.`,
      next: `Add --suite, or compare pages of your own: ${npxCrossfarm} compare --help`,
    });
  }
  const { runKnownSuite } = await import('../app/versions/run-known-suite.ts');
  return runKnownSuite({ ...options, suite, from }, caller);
}

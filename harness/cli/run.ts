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
      `a suite of pages/suites (default: quick); with --from ${wellKnownSuites.join(', ')}`,
    )
    .option('--from <place>', 'a folder with a copy of a well-known suite, or the URL of its page')
    .option('--bench <ids>', 'benchmarks: of the suite, or on their own', collectNames, [])
    .option(
      '--device <ids>',
      'only these devices; "all": every one (default: all automatic ones)',
      collectNames,
      [],
    )
    .option('--cores <number>', 'each device on so many cores (Linux, taskset)', parseCount)
    .option('--param <name=values>', 'such as n=20..24 or place=main,worker', collectParameters, {})
    .option('--trials <number>', 'blocks to run', parseCount)
    .addOption(
      // How many there are at most is --max-blocks.
      new Option('--until <what>', 'add blocks until every comparison has a verdict')
        .choices(['decided'])
        .conflicts('trials'),
    )
    .option(
      '--margin <share>',
      'what does not matter, with --until',
      parseMargin,
      runDefaults.margin,
    )
    .option(
      '--max-blocks <number>',
      'give up after so many, with --until',
      parseCount,
      runDefaults.maxBlocks,
    )
    .option('--isolation <level>', 'session: a fresh browser for each trial; page: a fresh page')
    .option('--seed <number>', 'seed of the order, to repeat a run', parseSeed)
    .option('--no-repeat', 'do no trial once more that the machine’s state spoilt')
    .option('--allow-contention', 'all devices at one time, also on one machine: no measurement')
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

import { Option, type Command } from 'commander';
import { runDefaults } from '../app/defaults.ts';
import type { RunOptions } from '../app/run/run-suite.ts';
import type { ExitCode } from '../errors.ts';
import type { Io, Runner } from './io.ts';
import {
  collectNames,
  collectParameters,
  type JsonOption,
  parseCount,
  parseSeed,
  parseShare,
  withDatabase,
  withInventory,
  withJson,
  withPages,
  withProbes,
  withTrialOptions,
} from './options.ts';

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
    .option('--suite <name>', 'a suite of pages/suites (default: quick)')
    .option('--bench <ids>', 'benchmarks: of the suite, or on their own', collectNames, [])
    .option(
      '--device <ids>',
      'only these devices; "all": every one (default: all automatic ones)',
      collectNames,
      [],
    )
    .option('--param <name=values>', 'such as n=20..24 or place=main,worker', collectParameters, {})
    .option('--trials <number>', 'blocks to run', parseCount)
    .addOption(
      new Option('--until <what>', 'add blocks until every comparison has a verdict').choices([
        'decided',
      ]),
    )
    .option(
      '--margin <share>',
      'what does not matter, with --until',
      parseShare,
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
  const { runSuite } = await import('../app/run/run-suite.ts');
  const { concludeRun, watchingCaller } = await import('./run-output.ts');
  const asked = { ...options, suite: options.suite ?? null };
  const result = await runSuite(asked, watchingCaller(json, io));
  return concludeRun(result, { json, resumable: options.until === undefined }, io);
}

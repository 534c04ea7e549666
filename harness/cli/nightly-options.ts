import type { Command } from 'commander';
import {
  collectNames,
  collectParameters,
  parseCount,
  parseDuration,
  parseSeed,
  parseSize,
  withDatabase,
  withInventory,
  withJson,
  withPages,
  withProbes,
  withTrialOptions,
} from './options.ts';

/** Declares the options of a night; `farm nightly install` checks those that it is given by them. */
export function declareNight(command: Command): Command {
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withProbes(command);
  return withJson(command, 'print night.json')
    .option('--suite <name>', 'a suite of pages/suites (default: nightly)')
    .option('--bench <ids>', 'benchmarks: of the suite, or on their own', collectNames, [])
    .option(
      '--device <ids>',
      'only these devices; "all": every one (default: all automatic ones)',
      collectNames,
      [],
    )
    .option('--param <name=values>', 'such as n=20..24 or place=main,worker', collectParameters, {})
    .option('--trials <number>', 'blocks to run', parseCount)
    .option('--isolation <level>', 'session: a fresh browser for each trial; page: a fresh page')
    .option('--seed <number>', 'seed of the order, to repeat a run', parseSeed)
    .option('--no-repeat', 'do no trial once more that the machine’s state spoilt')
    .option('--aa <device>', 'measure this one against itself (default: each in its turn)')
    .option('--no-aa', 'measure none against itself')
    .option('--budget <duration>', 'what the run may take (default: 6h)', parseDuration)
    .option(
      '--analysis-budget <duration>',
      'what measuring suspects again may take (default: 1h)',
      parseDuration,
    )
    .option('--backup <folder>', 'copy the database into this folder')
    .option(
      '--keep-days <number>',
      'runs, nights and backups that began earlier go; the newest two backups stay',
      parseCount,
    )
    .option(
      '--keep-builds <size>',
      'what copies of builds may take, the oldest go (default: 4 GiB)',
      parseSize,
    )
    .option(
      '--max-size <size>',
      'the oldest runs go until the file is no larger: 500MB',
      parseSize,
    );
}

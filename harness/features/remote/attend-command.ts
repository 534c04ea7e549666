import { Option, type Command } from 'commander';
import { attend, type AttendOptions } from './attend.ts';
import { invitingCaller } from './attend-output.ts';
import { attendDefaults } from '../../core/app/defaults.ts';
import type { ExitCode } from '../../core/errors.ts';
import type { Io, Runner } from '../../core/cli/io.ts';
import {
  collectNames,
  type JsonOption,
  parseCount,
  parseDuration,
  parseSeed,
  withDatabase,
  withJson,
  withPages,
  withTrialOptions,
  suiteParameters,
} from '../../core/cli/options.ts';
import { concludeRun } from '../../core/cli/run-output.ts';

interface Options extends Omit<AttendOptions, 'probes'>, JsonOption {}

export function declare(command: Command, run: Runner): void {
  command.addHelpText('after', help);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withJson(command, 'print events as JSON lines: joining, then those of a run')
    .option('--suite <name>', 'suite of pages/suites (default: quick)')
    .option('--bench <ids>', 'benchmarks to measure, of the suite or alone', collectNames, [])
    .option(...suiteParameters)
    .option('--trials <number>', 'number of blocks', parseCount)
    .option('--count <number>', 'number of devices to wait for', parseCount, 1)
    .option('--lan [address]', 'also let devices of the local network join')
    .addOption(
      new Option('--patience <duration>', 'longest absence of a device')
        .argParser(parseDuration)
        .default(attendDefaults.patience, '10m'),
    )
    .option('--seed <number>', 'seed of the order; repeats a run', parseSeed)
    .action((options: Options) => run((io) => measure(options, io)));
}

const help = `
Each device scans a code, is named by its owner, and runs the cases in one tab. Isolation is page:
nobody starts its browser anew. Over plain HTTP a page of another machine is no secure context, so
its clock is coarser and it has no shared memory; its results say so. With --tls it has both: the
farm makes an authority of its own, which a page lets each device trust once.`;

async function measure({ json, ...options }: Options, io: Io): Promise<ExitCode> {
  // No probe sees a device that was not started here, and each says so.
  const result = await attend({ ...options, probes: true }, invitingCaller(json, io));
  return concludeRun(result, { json }, io);
}

import { join } from 'node:path';
import { Command, Option } from 'commander';
import { declareNight } from './nightly-options.ts';
import {
  environmentFileOf,
  homeOf,
  installTimetable,
  plannedFiles,
  runSystemCommand,
  type Scheduler,
  schedulerOf,
  schedulers,
  uninstallTimetable,
} from '../app/nights/timetable/install.ts';
import {
  parseTimeOfDay,
  type TimeOfDay,
  type Timetable,
} from '../app/nights/timetable/timetable.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import { projectRoot } from '../project.ts';
import { type Io, print, type Runner } from './io.ts';

interface Options {
  readonly with?: Scheduler;
  readonly name: string;
}

interface InstallOptions extends Options {
  readonly at: TimeOfDay;
  readonly print: boolean;
}

export function declareInstall(parent: Command, run: Runner): void {
  const command = parent
    .command('install')
    .description('have the system begin a night every day')
    .argument('[options...]', 'options of the night, after --: -- --suite quick --keep-days 90')
    .requiredOption('--at <time>', 'when, by the clock of this machine: 02:30', parseTimeOfDay)
    .option('--print', 'show what would be written, and write nothing', false);
  withScheduler(command).action((args: readonly string[], options: InstallOptions) =>
    run((io) => install(args, options, io)),
  );
}

export function declareUninstall(parent: Command, run: Runner): void {
  const command = parent.command('uninstall').description('remove what install has written');
  withScheduler(command).action((options: Options) => run((io) => uninstall(options, io)));
}

function withScheduler(command: Command): Command {
  return command
    .addOption(
      new Option('--with <scheduler>', 'what begins it (default: what this system has)').choices(
        schedulers,
      ),
    )
    .option(
      '--name <name>',
      'of the timetable: two farms of one user need two',
      'crossfarm-nightly',
    );
}

async function install(
  args: readonly string[],
  { at, name, print: shown, ...options }: InstallOptions,
  io: Io,
): Promise<ExitCode> {
  checkNight(args);
  const home = homeOf(process.env);
  const scheduler = options.with ?? schedulerOf(process.platform);
  const timetable: Timetable = {
    name,
    at,
    command: [process.execPath, join(projectRoot(), 'dist/harness/main.js'), 'nightly', ...args],
    folder: process.cwd(),
    path: process.env['PATH'] ?? '',
    environmentFile: environmentFileOf(home),
  };
  if (shown) {
    for (const { path, text } of plannedFiles(timetable, scheduler, home)) {
      print(io, `# ${path}\n${text}`);
    }
    return exitCodes.fine;
  }
  const order = { scheduler, home, system: runSystemCommand };
  const written = await installTimetable(timetable, order);
  for (const path of written) print(io, `written: ${path}`);
  print(io, `${name}: a night every day, by ${scheduler}; farm nightly uninstall removes it`);
  print(io, `secrets of notifications, if any, are read from ${timetable.environmentFile}`);
  if (scheduler === 'systemd') {
    print(io, 'for nights while you are not logged in: loginctl enable-linger');
  }
  return exitCodes.fine;
}

/** A mistake is told now, and not by a night that does not begin. */
function checkNight(args: readonly string[]): void {
  declareNight(new Command('nightly'))
    .exitOverride()
    .parse([...args], { from: 'user' });
}

async function uninstall({ name, ...options }: Options, io: Io): Promise<ExitCode> {
  const scheduler = options.with ?? schedulerOf(process.platform);
  const order = { scheduler, home: homeOf(process.env), system: runSystemCommand };
  const removed = await uninstallTimetable(name, order);
  for (const what of removed) print(io, `removed: ${what}`);
  if (removed.length === 0) print(io, `nothing is installed as ${name} with ${scheduler}`);
  return exitCodes.fine;
}

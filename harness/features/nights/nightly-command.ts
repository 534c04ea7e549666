import pc from 'picocolors';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { notificationVariables, takeChannels } from './channels.ts';
import type { GivenNight } from './night-work.ts';
import { nightly } from './nightly.ts';
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
} from './install-timetable.ts';
import { parseTimeOfDay, type TimeOfDay, type Timetable, twoDigits } from './timetable.ts';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import { projectRoot } from '../../core/project.ts';
import { type Io, next, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  collectNames,
  type JsonOption,
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
  suiteParameters,
} from '../../core/cli/options.ts';
import { concludingCaller } from '../../core/cli/run-output.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { formatPercent } from '../../../reports/html/number.ts';
import { historyCommand, typeDatabase } from './search-history.ts';
import { describeDeaths } from './continue-night.ts';
import { describeUnfit } from './judgement.ts';
import type { AaLane, NightDocument } from './night-document.ts';

type Options = GivenNight & JsonOption;

export function declare(command: Command, run: Runner): void {
  command.addHelpText('after', help);
  declareNight(command).action((options: Options) => run((io) => hold(options, io)));
  declareInstall(command, run);
  declareUninstall(command, run);
}

const help = `
Writes a folder for each night beside the database, nights/<time>: night.json, report.html, junit.xml.
Exit codes: 0 fine; 1 a new anomaly, a cell that failed or timed out, or too few trials that count;
3 red: a cell has no outcome, or something that a night has to do was not done.
The same command continues a night whose farm was killed, as long as its budgets last.

To be notified of changes, set these variables in the environment, and nowhere else:
${Object.entries(notificationVariables)
  .map(([name, what]) => `  ${name.padEnd(28)} ${what}`)
  .join('\n')}`;

async function hold({ json, ...given }: Options, io: Io): Promise<ExitCode> {
  // The scheduler that began the night begins it again after a death.
  io.dieOfBugs();
  const channels = takeChannels(process.env);
  const { configured = [], callCommand } = io;
  const held = await nightly(given, {
    ...concludingCaller(json, io),
    channels,
    configured,
    ...(callCommand !== undefined && { callCommand }),
  });
  const { night, folder, exitCode, abandoned } = held;
  // The document as it is in its folder, which has a separate schema.
  if (json) printJson({ stdout: io.stdout }, night);
  else {
    print(io, describeNight(night, folder));
    const database = typeDatabase(given.database);
    next(io, {
      'see all nights in a browser': `${npxCrossfarm} serve${database}`,
      // Without a run the history has nothing to search.
      ...(night.run !== null && {
        'what changed over them': `${historyCommand(night.suite)}${database}`,
      }),
    });
  }
  // A step that hangs would keep the process for ever, and with it the next night.
  if (abandoned) io.endAnyway(exitCode);
  return exitCode;
}

/** Declares the options of a night; `farm nightly install` checks those that it is given by them. */
function declareNight(command: Command): Command {
  withInventory(command);
  withDatabase(command);
  withPages(command);
  withTrialOptions(command);
  withProbes(command);
  return withJson(command, 'print night.json')
    .option('--suite <name>', 'suite of pages/suites (default: nightly)')
    .option('--bench <ids>', 'benchmarks to measure, of the suite or alone', collectNames, [])
    .option('--device <ids>', 'devices to measure; "all" takes every one', collectNames, [])
    .option(...suiteParameters)
    .option('--trials <number>', 'number of blocks', parseCount)
    .option('--isolation <level>', 'fresh browser (session) or page for each trial')
    .option('--seed <number>', 'seed of the order; repeats a run', parseSeed)
    .option('--no-repeat', 'do not repeat excluded trials')
    .option('--aa <device>', 'browser for the A/A test (default: rotate)')
    .option('--no-aa', 'skip the A/A test')
    .option('--budget <duration>', 'time limit of the run (default: 6h)', parseDuration)
    .option(
      '--analysis-budget <duration>',
      'time limit for measuring suspects again (default: 1h)',
      parseDuration,
    )
    .option('--no-blame', 'do not look for the functions of confirmed changes')
    .option('--report <file>', 'also write the report to this file')
    .option('--no-report', 'write no report')
    .option('--backup <folder>', 'copy the database into this folder')
    .option('--keep-days <number>', 'remove runs, nights and backups older than N days', parseCount)
    .option('--keep-builds <size>', 'size limit of kept builds (default: 4 GiB)', parseSize)
    .option('--max-size <size>', 'remove oldest runs above this size, such as 500MB', parseSize);
}

interface SchedulerOptions {
  readonly with?: Scheduler;
  readonly name: string;
}

interface InstallOptions extends SchedulerOptions {
  readonly at: TimeOfDay;
  readonly print: boolean;
}

function declareInstall(parent: Command, run: Runner): void {
  const command = parent
    .command('install')
    .description('have the system begin a night every day')
    .argument('[options...]', 'after --: options of the night, such as -- --suite quick')
    .requiredOption('--at <time>', 'local start time, such as 02:30', parseTimeOfDay)
    .option('--print', 'print the timetable; write nothing', false);
  withScheduler(command).action((args: readonly string[], options: InstallOptions) =>
    run((io) => install(args, options, io)),
  );
}

function declareUninstall(parent: Command, run: Runner): void {
  const command = parent.command('uninstall').description('remove what install has written');
  withScheduler(command).action((options: SchedulerOptions) => run((io) => uninstall(options, io)));
}

function withScheduler(command: Command): Command {
  return command
    .addOption(
      new Option('--with <scheduler>', 'scheduler to use (default: what is here)').choices(
        schedulers,
      ),
    )
    .option('--name <name>', 'name of the timetable; one per farm', 'crossfarm-nightly');
}

async function install(
  args: readonly string[],
  { at, name, print: shown, ...options }: InstallOptions,
  io: Io,
): Promise<ExitCode> {
  checkNight(args, io);
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
  print(
    io,
    `${name}: a night every day, by ${scheduler}; ${npxCrossfarm} nightly uninstall removes it`,
  );
  print(io, `secrets of notifications, if any, are read from ${timetable.environmentFile}`);
  const condition = describeCondition(scheduler, at);
  if (condition !== null) print(io, condition);
  return exitCodes.fine;
}

/** Says when a scheduler begins no night, and what its owner does; null where nothing is known. */
function describeCondition(scheduler: Scheduler, { hour, minute }: TimeOfDay): string | null {
  switch (scheduler) {
    case 'systemd':
      return 'for nights while you are not logged in: loginctl enable-linger';
    case 'launchd': {
      // Five minutes before, on any day.
      const wakeAt = (hour * 60 + minute + 24 * 60 - 5) % (24 * 60);
      const time = [Math.floor(wakeAt / 60), wakeAt % 60, 0].map(twoDigits).join(':');
      return `stay logged in; a Mac that sleeps begins when it wakes, so wake it before: sudo pmset repeat wakeorpoweron MTWRFSU ${time}`;
    }
    case 'schtasks':
      return 'a night begins only while you are logged in, and Windows is awake and plugged in';
    case 'cron':
      return null;
  }
}

/** Reports a mistake now, and not when the night should begin. */
function checkNight(args: readonly string[], io: Io): void {
  declareNight(new Command('nightly'))
    .exitOverride()
    .configureOutput({ writeErr: (text) => io.stderr.write(text) })
    .parse([...args], { from: 'user' });
}

async function uninstall({ name, ...options }: SchedulerOptions, io: Io): Promise<ExitCode> {
  const scheduler = options.with ?? schedulerOf(process.platform);
  const order = { scheduler, home: homeOf(process.env), system: runSystemCommand };
  const removed = await uninstallTimetable(name, order);
  for (const what of removed) print(io, `removed: ${what}`);
  if (removed.length === 0) print(io, `nothing is installed as ${name} with ${scheduler}`);
  return exitCodes.fine;
}

const colours = {
  running: pc.dim,
  fine: pc.green,
  attention: pc.yellow,
  red: pc.red,
  'broken-off': pc.red,
};

/** The result of a night, for a person. */
function describeNight(night: NightDocument, folder: string): string {
  const { id, status, headline, reasons, changes, aa, files, notifications } = night;
  const lines = [
    `night ${id}: ${colours[status](status)}`,
    headline === null ? null : `  ${pc.bold(headline)}`,
    ...reasons.map(({ text }) => `  ${text}`),
    ...changes.map(({ text }) => `  changed: ${text}`),
    ...describeUnfit(night).map((text) => pc.yellow(`  ${text}`)),
    describeRun(night),
    night.goneOn.length === 0 ? null : `  ${describeDeaths(night.goneOn)}; it was gone on with`,
    aa === null ? null : describeLane(aa),
    ...notifications.map(({ channel, sent, because }) =>
      sent ? `  told by ${channel}` : `  not told by ${channel}: ${because ?? ''}`,
    ),
    files.report === null ? null : `  report: ${files.report}`,
    `  ${join(folder, 'night.json')}`,
  ];
  return lines.filter((line) => line !== null).join('\n');
}

function describeRun({ run, ledger }: NightDocument): string | null {
  if (run === null || ledger === null) return null;
  const { planned, completed, failed, timedOut, skipped, quarantined } = ledger;
  const notCounted = quarantined === 0 ? '' : `, ${String(quarantined)} excluded`;
  return `  run ${String(run)}: ${String(planned)} cells, ${String(completed)} completed, ${String(failed)} failed, ${String(timedOut)} timed out, ${String(skipped)} skipped${notCounted}`;
}

function describeLane({ target, results, history }: AaLane): string {
  const seen = results.map((one) => one.smallestVisible).filter((value) => value !== null);
  const widest = seen.length === 0 ? null : Math.max(...seen);
  const tonight =
    widest === null
      ? 'too few blocks to see anything'
      : `differences below ${formatPercent(widest, 1)} may stay unseen`;
  const { alarms, comparisons, nights, rate } = history;
  const sofar =
    rate === null
      ? ''
      : `; false alarms: ${String(alarms)} of ${String(comparisons)} in ${String(nights)} night(s) (95 %: ${formatPercent(rate.low, 1)} … ${formatPercent(rate.high, 1)})`;
  return `  ${target} against itself: ${tonight}${sofar}`;
}

import type { Command } from 'commander';
import type { GivenNight } from '../app/nights/night-options.ts';
import { nightly } from '../app/nights/nightly.ts';
import { notificationVariables, takeChannels } from '../app/nights/notify/channels.ts';
import type { ExitCode } from '../errors.ts';
import { print, printJson, type Io, type Runner } from './io.ts';
import { declareInstall, declareUninstall } from './nightly-install.ts';
import { declareNight } from './nightly-options.ts';
import type { JsonOption } from './options.ts';
import { concludingCaller } from './run-output.ts';
import { describeNight } from './text/nightly-text.ts';

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
A night whose farm was killed is gone on with by the same command, as long as its budgets last.

Who wants to be told of what changed sets, in the environment and nowhere else:
${Object.entries(notificationVariables)
  .map(([name, what]) => `  ${name.padEnd(28)} ${what}`)
  .join('\n')}`;

async function hold({ json, ...given }: Options, io: Io): Promise<ExitCode> {
  dieOfBugs();
  const channels = takeChannels(process.env);
  const held = await nightly(given, { ...concludingCaller(json, io), channels });
  const { night, folder, exitCode, abandoned } = held;
  if (json) printJson(io, night);
  else print(io, describeNight(night, folder));
  if (abandoned) endAnyway(exitCode);
  return exitCode;
}

/**
 * Node.js ends at an exception that nobody catches with 1, which is a verdict of a night. Who began
 * the night sees a death instead, and begins it again.
 */
function dieOfBugs(): void {
  process.on('uncaughtException', (error) => {
    console.error('farm: this is a bug of the farm; please report it with what follows.');
    console.error(error);
    process.kill(process.pid, 'SIGKILL');
  });
}

/** A step that hangs would keep the process for ever, and with it the next night. */
function endAnyway(code: ExitCode): void {
  setTimeout(() => process.exit(code), 5_000).unref();
}

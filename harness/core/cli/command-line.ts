import { accessSync, constants, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute } from 'node:path';
import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { errorText, exitCodes, type ExitCode, FarmError, refusedBySystem } from '../errors.ts';
import { farmVersion } from '../project.ts';
import {
  addCommand,
  completeNames,
  declareCommands,
  findTop,
  isCalled,
  nearestCommand,
  oneName,
} from './command-tree.ts';
import { makeCallCommand } from './call-command.ts';
import type { CommandEntry } from './index.ts';
import { type Io, note } from './io.ts';
import { plain } from '../run/progress/plain-text.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

/**
 * Arguments → command → exit code. Errors go to `io.stderr` and are never thrown.
 * @param io opened when a command begins: by then a first Ctrl-C ends what is in hand
 */
export async function runCommandLine(
  args: readonly string[],
  io: CommandSurroundings,
): Promise<ExitCode> {
  let opened: Io | null = null;
  const open = (): Io => (opened ??= io.open());
  for (;;) {
    try {
      return await runOnce(args, { ...io, open });
    } catch (error) {
      // Nothing has begun before files are trusted, so that the command may start again.
      if (!(await mayTrust(error, io))) return explain(error, io);
    }
  }
}

interface CommandSurroundings extends Pick<Io, 'stdout' | 'stderr'> {
  readonly commands: readonly CommandEntry[];
  readonly open: () => Io;
  /** Asks the person at the terminal; left out without a terminal. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
}

/** Asks the user to trust the file that an error names; true if the user does. */
async function mayTrust(error: unknown, { ask, stderr }: CommandSurroundings): Promise<boolean> {
  if (!(error instanceof FarmError) || error.code !== 'not-trusted' || ask === undefined) {
    return false;
  }
  const { ConsentError, giveConsent } = await import('../setup/consent.ts');
  if (!(error instanceof ConsentError)) return false;
  note({ stderr }, `crossfarm: ${plain(error.message)}`);
  if (!(await ask('Trust this file as it is now?'))) return false;
  giveConsent(error.file);
  return true;
}

/** @throws what the command does, but wrong use that is explained already */
async function runOnce(given: readonly string[], io: CommandSurroundings): Promise<ExitCode> {
  const { commands } = io;
  const args = await addCommand(completeNames(given, commands), commands);
  if (args.length === 0) {
    const { welcome } = await import('./welcome.ts');
    await welcome(io);
    return exitCodes.fine;
  }
  let code: ExitCode = exitCodes.fine;
  let configured: readonly string[] = [];
  const program = new Command(npxCrossfarm)
    .description('Times pages on every browser you have, and says how sure it is.')
    .version(farmVersion())
    .option('--trust-folder', 'trust programs named by files of this folder')
    // Options after a command's name are for that command alone: farm nightly install …
    .enablePositionalOptions()
    .helpCommand(false)
    .configureHelp(oneName)
    .showSuggestionAfterError()
    .showHelpAfterError(
      `(${npxCrossfarm} --help lists the commands, ${npxCrossfarm} <command> --help its options)`,
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .addHelpText(
      'after',
      `\nA page alone opens once in every browser: ${npxCrossfarm} mine.html` +
        '\nBesides: trust (files that name programs), completion (for bash, zsh and fish).' +
        '\nExit codes: 0 fine; 1 a cell failed or an expectation was refuted; 2 wrong use; 3 not finished; 4 undecided; 70 a bug of the farm.',
    );
  program.hook('preAction', async (_program, command) => {
    requireTemporaryFolder();
    const { applyConfig, configFile } = await import('./config.ts');
    if (program.opts()['trustFolder'] === true) process.env['CROSSFARM_TRUST'] = '1';
    configured = await applyConfig(command);
    if (configured.length > 0) note(io, `${configFile}: ${configured.join(' ')}`);
  });
  try {
    const named = args.filter((arg) => !arg.startsWith('-'));
    const [word] = named;
    if (word !== undefined && findTop(word, commands) === undefined) {
      refuseUnknown(program, word, commands);
    }
    const { readsOthers = false } = findTop(word ?? '', commands) ?? {};
    await declareCommands(program, commands, {
      isNeeded: (entry) => readsOthers || named.some((one) => isCalled(entry, one)),
      run: async (action) => {
        code = await action({ ...addOtherCommands(io), configured });
      },
    });
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
  }
}

/** Adds the ways by which a command runs others. */
function addOtherCommands(surroundings: CommandSurroundings): Io {
  const io = surroundings.open();
  const { commands } = surroundings;
  return {
    ...io,
    runCommand: (args) => runOnce(args, surroundings),
    callCommand: makeCallCommand(io, (args, other) => {
      const { stdout, stderr } = other;
      return runCommandLine(args, { commands, stdout, stderr, open: () => other });
    }),
  };
}

/** @throws CommanderError */
function refuseUnknown(program: Command, word: string, commands: readonly CommandEntry[]): never {
  const near = nearestCommand(word, commands);
  const hint = near === null ? '' : `\n(Did you mean ${near}?)`;
  program.error(`error: unknown command '${plain(word)}'${hint}`);
}

async function explain(error: unknown, io: Pick<Io, 'stderr'>): Promise<ExitCode> {
  const farmError = error instanceof FarmError ? error : refusedBySystem(error);
  if (farmError !== null) {
    // It may quote a page.
    const message = farmError.message.split('\n').map(plain).join('\n');
    note(io, `crossfarm: ${message}\n           ${plain(farmError.next)}`);
    return farmError.exitCode;
  }
  note(io, 'crossfarm: this is a bug of the farm; please report it with what follows.');
  note(io, inspect(error));
  return exitCodes.internal;
}

/** @throws FarmError `bad-argument` where TMPDIR leads to no folder that can be used */
function requireTemporaryFolder(): void {
  const folder = tmpdir();
  const why = whyUnusable(folder);
  if (why === null) return;
  throw new FarmError('bad-argument', {
    what: `The folder for temporary files, ${folder}, cannot be used: ${why}.`,
    next: 'Set TMPDIR to a folder that is there and that you may write to, such as /tmp, or unset it.',
  });
}

function whyUnusable(folder: string): string | null {
  // It would be another one for each program that runs in another folder.
  if (!isAbsolute(folder)) return 'it is named by a part of its path, and not by the whole';
  try {
    if (!statSync(folder).isDirectory()) return 'it is a file';
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return errorText(error);
  }
}

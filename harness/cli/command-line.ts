import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { exitCodes, type ExitCode, FarmError, outOfFiles } from '../errors.ts';
import { farmVersion } from '../project.ts';
import { commands } from './index.ts';
import { type Io, note } from './io.ts';

/**
 * Arguments → command → exit code. What goes wrong is told on `io.stderr`, and never thrown.
 * @param io opened when a command begins: by then a first Ctrl-C ends what is in hand
 */
export async function runCommandLine(
  args: readonly string[],
  io: Pick<Io, 'stdout' | 'stderr'> & { readonly open: () => Io },
): Promise<ExitCode> {
  let code: ExitCode = exitCodes.fine;
  const program = new Command('farm')
    .description('Times pages on every browser you have, and says how sure it is.')
    .version(farmVersion())
    // Options after a command's name are for that command alone: farm nightly install …
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .showHelpAfterError('(farm --help lists the commands, farm <command> --help its options)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .addHelpText(
      'after',
      '\nExit codes: 0 fine; 1 a cell failed or an expectation was refuted; 2 wrong use; 3 not finished; 4 undecided; 70 a bug of the farm.',
    );
  program.hook('preAction', async (_program, command) => {
    const { applyConfig } = await import('./config.ts');
    await applyConfig(command);
  });
  try {
    const named = args.filter((arg) => !arg.startsWith('-'));
    // It tells a shell the options of all others.
    const areAllNamed = named[0] === 'completion';
    for (const { name, also = [], summary, load } of commands) {
      const command = program
        .command(name)
        .aliases([...also])
        .description(summary);
      if (!areAllNamed && ![name, ...also].some((one) => named.includes(one))) continue;
      (await load()).declare(command, async (action) => {
        code = await action(io.open());
      });
    }
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    return await explain(error, io);
  }
}

async function explain(error: unknown, io: Pick<Io, 'stderr'>): Promise<ExitCode> {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
  }
  const farmError = error instanceof FarmError ? error : outOfFiles(error);
  if (farmError !== null) {
    // Loaded only here: a command that fares well starts without it. The message may quote a page.
    const { plain } = await import('../run/progress/terminal.ts');
    const message = farmError.message.split('\n').map(plain).join('\n');
    note(io, `farm: ${message}\n      ${farmError.next}`);
    return farmError.exitCode;
  }
  note(io, 'farm: this is a bug of the farm; please report it with what follows.');
  note(io, inspect(error));
  return exitCodes.internal;
}

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import { backUp } from '../store/database-file.ts';
import { print, printJson, type Io, type Runner } from './io.ts';
import { withDatabase, withJson, type DatabaseOption, type JsonOption } from './options.ts';

type Options = DatabaseOption & JsonOption;

export function declare(command: Command, run: Runner): void {
  command.argument('<file>', 'where the copy goes; nothing there is replaced');
  withDatabase(command);
  withJson(command, 'print { path, bytes }').action((file: string, options: Options) =>
    run((io) => copy(file, options, io)),
  );
}

/** A copy of everything that is stored, also while a run goes on. */
async function copy(file: string, { database, json }: Options, io: Io): Promise<ExitCode> {
  if (!existsSync(database)) {
    throw new FarmError('unknown-run', {
      what: `There is nothing to back up: ${database} does not exist.`,
      next: 'Name another with --database.',
    });
  }
  const path = resolve(file);
  const { bytes } = await backUp(database, path);
  if (json) printJson(io, { path, bytes });
  else print(io, `${path} (${(bytes / 1e6).toFixed(1)} MB)`);
  return exitCodes.fine;
}

import type { Command } from 'commander';
import { backUpDatabase } from './upkeep.ts';
import { exitCodes } from '../../core/errors.ts';
import { next, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  withDatabase,
  withJson,
  type DatabaseOption,
  type JsonOption,
} from '../../core/cli/options.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

type Options = DatabaseOption & JsonOption;

export function declare(command: Command, run: Runner): void {
  command.argument('<file>', 'path of the copy; must not exist yet');
  withDatabase(command);
  withJson(command, 'print { path, bytes }').action((file: string, { database, json }: Options) =>
    run(async (io) => {
      const { path, bytes } = await backUpDatabase(database, file);
      if (json) printJson(io, { path, bytes });
      else {
        print(io, `${path} (${(bytes / 1e6).toFixed(1)} MB)`);
        next(io, { 'see what is in it': `${npxCrossfarm} db --database ${file}` });
      }
      return exitCodes.fine;
    }),
  );
}

import type { Command } from 'commander';
import { importFiles } from '../app/import.ts';
import { exitCodes } from '../errors.ts';
import type { Runner } from './io.ts';

import { type DatabaseOption, type JsonOption, withDatabase, withJson } from './options.ts';
import { printImported } from './run-output.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

type Options = DatabaseOption & JsonOption;

export function declare(command: Command, run: Runner): void {
  command.argument(
    '<files...>',
    `databases of other farms, or what ${npxCrossfarm} export wrote as json`,
  );
  withDatabase(command);
  withJson(command, 'print { into, files: [{ file, runs: [{ run, known }] }] }').action(
    (files: readonly string[], { database, json }: Options) =>
      run(async (io) => {
        printImported(await importFiles(files, database, io.signal), { into: database, json }, io);
        return exitCodes.fine;
      }),
  );
}

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { importFiles } from '../app/import.ts';
import { exitCodes, FarmError } from '../errors.ts';
import type { Runner } from './io.ts';
import { type DatabaseOption, type JsonOption, withDatabase, withJson } from './options.ts';
import { printImported } from './run-output.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

interface Options extends DatabaseOption, JsonOption {
  readonly into?: string;
}

/** Takes in runs of other farms, each once; none of their files is changed. */
export function declare(command: Command, run: Runner): void {
  command
    .argument(
      '<files...>',
      `databases of other farms, or what ${npxCrossfarm} export wrote as json`,
    )
    .option('--into <file>', 'database to import into; created if missing');
  withDatabase(command);
  withJson(command, 'print { into, files: [{ file, runs: [{ run, known }] }] }').action(
    (files: readonly string[], { database, json, into: named }: Options) =>
      run(async (io) => {
        // Who says `merge` means a file of its own: the farm's database must not take them instead.
        if (named === undefined && command.parent?.args[0] === 'merge') throw intoNothing();
        const into = named === undefined ? database : resolve(named);
        printImported(await importFiles(files, into, io.signal), { into, json }, io);
        return exitCodes.fine;
      }),
  );
}

function intoNothing(): FarmError {
  return new FarmError('bad-argument', {
    what: `${npxCrossfarm} merge takes --into, the database that gets the runs; none was named.`,
    next: `Name it: ${npxCrossfarm} merge a.db b.db --into all.db; ${npxCrossfarm} import takes them into this farm`,
  });
}

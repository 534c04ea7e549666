import { resolve } from 'node:path';
import type { Command } from 'commander';
import { importFiles } from '../app/import.ts';
import { exitCodes } from '../errors.ts';
import type { Runner } from './io.ts';
import { withJson, type JsonOption } from './options.ts';
import { printImported } from './run-output.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

interface Options extends JsonOption {
  readonly into: string;
}

/** Runs of several farms in one file, each once, none of the files changed. */
export function declare(command: Command, run: Runner): void {
  command
    .argument('<files...>', `databases of farms, or what ${npxCrossfarm} export wrote as json`)
    .requiredOption('--into <file>', 'database to import into; created if missing');
  withJson(command, 'print { into, files: [{ file, runs: [{ run, known }] }] }').action(
    (files: readonly string[], options: Options) =>
      run(async (io) => {
        const into = resolve(options.into);
        printImported(await importFiles(files, into, io.signal), { into, json: options.json }, io);
        return exitCodes.fine;
      }),
  );
}

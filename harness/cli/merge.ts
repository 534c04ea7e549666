import type { Command } from 'commander';
import { resolve } from 'node:path';
import { exitCodes, type ExitCode } from '../errors.ts';
import { tellImported } from './import.ts';
import { importFiles } from '../app/import-files.ts';
import type { Io, Runner } from './io.ts';
import { withJson, type JsonOption } from './options.ts';

interface Options extends JsonOption {
  readonly into: string;
}

export function declare(command: Command, run: Runner): void {
  command
    .argument('<files...>', 'databases of farms, or what farm export wrote as json')
    .requiredOption(
      '--into <file>',
      'the database that gets their runs; made when it is not there',
    );
  withJson(command, 'print { into, files: [{ file, runs: [{ run, known }] }] }').action(
    (files: readonly string[], options: Options) => run((io) => merge(files, options, io)),
  );
}

/** Runs of several farms in one file, each once, none of the files changed. */
async function merge(files: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  const into = resolve(options.into);
  tellImported(await importFiles(files, into), { into, json: options.json }, io);
  return exitCodes.fine;
}

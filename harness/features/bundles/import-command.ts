import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type ImportedFile, importFiles } from './import.ts';
import { exitCodes, FarmError } from '../../core/errors.ts';
import { type Io, next, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  type DatabaseOption,
  type JsonOption,
  withDatabase,
  withJson,
} from '../../core/cli/options.ts';
import { plural } from '../../../reports/html/number.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

interface Options extends DatabaseOption, JsonOption {
  readonly into?: string;
}

/** Takes in runs of other farms, each once; none of their files is changed. */
export function declare(command: Command, run: Runner): void {
  command
    .argument(
      '<files...>',
      `databases of other farms, or JSON of ${npxCrossfarm} db export, Vitest bench or Speedometer`,
    )
    .option('--into <file>', 'database to import into; created if missing');
  withDatabase(command);
  withJson(command, 'print { into, files: [{ file, runs: [{ run, known }], commits }] }').action(
    (files: readonly string[], { database, json, into: named }: Options) =>
      run(async (io) => {
        // A user of `merge` means another file: the farm's database must not take them instead.
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
    next: `Name it: ${npxCrossfarm} db import a.db b.db --into all.db; without --into it takes them into this farm`,
  });
}

/** Prints how many runs came from each file. */
function printImported(
  files: readonly ImportedFile[],
  { into, json }: { readonly into: string; readonly json: boolean },
  io: Io,
): void {
  if (json) {
    printJson(io, { into, files });
    return;
  }
  for (const { file, runs, commits } of files) {
    const fresh = runs.filter(({ known }) => !known).map(({ run }) => run);
    const known = runs.length - fresh.length;
    const numbers = fresh.length === 0 ? '' : `, here ${listNumbers(fresh)}`;
    const twice =
      known === 0 ? '' : `; ${countRuns(known)} ${known === 1 ? 'was' : 'were'} here already`;
    const results = commits === 0 ? '' : `; ${plural(commits, 'result')} of commits`;
    print(io, `${file}: ${countRuns(fresh.length)}${numbers}${twice}${results}`);
  }
  print(io, `into ${into}`);
  next(io, { 'see them': `${npxCrossfarm} db --database ${into}` });
}

function countRuns(count: number): string {
  return plural(count, 'run');
}

/** `3`, `3 to 7`, or `3, 5, 9`. */
function listNumbers(numbers: readonly number[]): string {
  const [first = 0] = numbers;
  const last = numbers.at(-1) ?? first;
  if (numbers.length > 2 && last - first === numbers.length - 1) {
    return `${String(first)} to ${String(last)}`;
  }
  return numbers.join(', ');
}

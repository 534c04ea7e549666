import type { Command } from 'commander';
import { type ImportedFile, importFiles } from '../app/import.ts';
import { exitCodes } from '../errors.ts';
import { type Io, print, printJson, type Runner } from './io.ts';
import { type DatabaseOption, type JsonOption, withDatabase, withJson } from './options.ts';

type Options = DatabaseOption & JsonOption;

export function declare(command: Command, run: Runner): void {
  command.argument('<files...>', 'databases of other farms, or what farm export wrote as json');
  withDatabase(command);
  withJson(command, 'print { into, files: [{ file, runs: [{ run, known }] }] }').action(
    (files: readonly string[], { database, json }: Options) =>
      run(async (io) => {
        printImported(await importFiles(files, database), { into: database, json }, io);
        return exitCodes.fine;
      }),
  );
}

/** Prints which runs came from where; the same words for `import` and `merge`. */
export function printImported(
  files: readonly ImportedFile[],
  { into, json }: { readonly into: string; readonly json: boolean },
  io: Io,
): void {
  if (json) {
    printJson(io, { into, files });
    return;
  }
  for (const { file, runs } of files) {
    const fresh = runs.filter(({ known }) => !known).map(({ run }) => run);
    const known = runs.length - fresh.length;
    const numbers = fresh.length === 0 ? '' : `, here ${listNumbers(fresh)}`;
    const twice =
      known === 0 ? '' : `; ${countRuns(known)} ${known === 1 ? 'was' : 'were'} here already`;
    print(io, `${file}: ${countRuns(fresh.length)}${numbers}${twice}`);
  }
  print(io, `into ${into}`);
}

function countRuns(count: number): string {
  return count === 1 ? '1 run' : `${String(count)} runs`;
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

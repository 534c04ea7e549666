import type { Command } from 'commander';
import { exitCodes, type ExitCode } from '../errors.ts';
import { importFiles, type ImportedFile } from '../app/import-files.ts';
import { print, printJson, type Io, type Runner } from './io.ts';
import { withDatabase, withJson, type DatabaseOption, type JsonOption } from './options.ts';

type Options = DatabaseOption & JsonOption;

export function declare(command: Command, run: Runner): void {
  command.argument('<files...>', 'databases of other farms, or what farm export wrote as json');
  withDatabase(command);
  withJson(command, 'print { into, files: [{ file, runs: [{ run, known }] }] }').action(
    (files: readonly string[], options: Options) => run((io) => takeIn(files, options, io)),
  );
}

async function takeIn(files: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  const { database, json } = options;
  const imported = await importFiles(files, database);
  tellImported(imported, { into: database, json }, io);
  return exitCodes.fine;
}

/** What came from where; the same words for `import` and `merge`. */
export function tellImported(
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

import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { exitCodes, type ExitCode } from '../errors.ts';
import type { RunRecord } from '../model/run.ts';
import { openStore } from '../store/store.ts';
import { print, printJson, type Io, type Runner } from './io.ts';
import {
  parseRun,
  withDatabase,
  withJson,
  type DatabaseOption,
  type JsonOption,
} from './options.ts';
import { readRecord, writeWhole } from '../app/records.ts';

const formats = ['csv', 'json', 'junit', 'perfherder'] as const;

type Format = (typeof formats)[number];

interface Options extends DatabaseOption, JsonOption {
  readonly format: Format;
  readonly out?: string;
}

export function declare(command: Command, run: Runner): void {
  command
    .argument('[run]', 'number of a stored run', 'latest')
    .addHelpText('after', help)
    .addOption(
      new Option('--format <name>', 'what to write').choices(formats).default('json' as Format),
    )
    .option('--out <file>', 'where to write it (default: standard output)');
  withDatabase(command);
  withJson(command, 'with --out: print { path, bytes, format }').action(
    (which: string, options: Options) => run((io) => exportRun(which, options, io)),
  );
}

const help = `
Formats:
  json        everything, for farm import and farm merge elsewhere
  csv         a row for each cell and metric, for a spreadsheet or a data frame
  junit       XML: a test for each cell, for whoever shows test results
  perfherder  PERFHERDER_DATA: suites, subtests, replicates`;

async function exportRun(which: string, options: Options, io: Io): Promise<ExitCode> {
  const { format, out, database, json } = options;
  const record = await readRecord(parseRun(which), database);
  const text = await writers[format](record, database);
  if (out === undefined) {
    await written(io, text);
    return exitCodes.fine;
  }
  const path = resolve(out);
  await writeWhole(path, text);
  if (json) printJson(io, { path, bytes: Buffer.byteLength(text), format });
  else print(io, `run ${String(record.run.id)} as ${format}: ${path}`);
  return exitCodes.fine;
}

type Writer = (record: RunRecord, database: string) => Promise<string>;

const writers: Readonly<Record<Format, Writer>> = {
  csv: async (record) => (await import('../transfer/exchange/cells.ts')).renderCells(record),
  junit: async (record) => (await import('../transfer/exchange/junit.ts')).renderJunit(record),
  perfherder: async (record) => {
    const { perfherderData } = await import('../transfer/exchange/perfherder.ts');
    return `${JSON.stringify(perfherderData(record), null, 2)}\n`;
  },
  json: async (record, database) => {
    const { packRun } = await import('../transfer/exchange/pack.ts');
    const identity = await identityOf(record.run.id, database);
    return `${JSON.stringify(packRun(record, identity))}\n`;
  },
};

async function identityOf(run: number, database: string): Promise<string> {
  const store = await openStore(database);
  try {
    return await store.readIdentity(run);
  } finally {
    await store.close();
  }
}

/** Whole: a pipe may take a large document piece by piece, and the process must not end before. */
function written({ stdout }: Io, text: string): Promise<void> {
  return new Promise((resolved, rejected) => {
    stdout.write(text, (error) => {
      if (error) rejected(error);
      else resolved();
    });
  });
}

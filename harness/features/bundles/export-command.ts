import { basename, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { exportFormats, exportRun, type ExportFormat, type ExportOptions } from './export.ts';
import { writeWhole } from '../../core/app/records.ts';
import { exitCodes, type ExitCode } from '../../core/errors.ts';
import { type Io, next, print, printJson, type Runner } from '../../core/cli/io.ts';
import {
  parseRun,
  parseSeed,
  withDatabase,
  withJson,
  type JsonOption,
} from '../../core/cli/options.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

interface Options extends ExportOptions, JsonOption {
  readonly out?: string;
}

export function declare(command: Command, run: Runner): void {
  command
    .argument('[run]', 'number of a stored run', 'latest')
    .addHelpText('after', help)
    .addOption(
      new Option('--format <name>', 'format of the output')
        .choices(exportFormats)
        .default('json' as ExportFormat),
    )
    .option('--out <file>', 'output file (default: standard output)')
    .option('--since <trial>', 'json: only trials stored after this one', parseSeed);
  withDatabase(command);
  withJson(command, 'with --out: print { path, bytes, format }').action(
    (which: string, options: Options) => run((io) => writeExport(which, options, io)),
  );
}

const help = `
Formats:
  json        everything, for ${npxCrossfarm} db import elsewhere
  csv         a row for each cell and metric, for a spreadsheet or a data frame
  junit       XML for whoever shows test results; of versions it fails for what --fail-on fails
  perfherder  PERFHERDER_DATA: suites, subtests, replicates
  bencher     Bencher Metric Format, for bencher run --adapter json
  customSmallerIsBetter, customBiggerIsBetter
              for github-action-benchmark with this tool: by what is better
  prometheus  text that Prometheus takes, as in a folder of node_exporter`;

async function writeExport(which: string, options: Options, io: Io): Promise<ExitCode> {
  const { format, out, json } = options;
  const { run, text } = await exportRun(parseRun(which), options);
  if (out === undefined) {
    await written(io, text);
    return exitCodes.fine;
  }
  const path = resolve(out);
  await writeWhole(path, text);
  if (json) printJson(io, { path, bytes: Buffer.byteLength(text), format });
  else {
    print(io, `run ${String(run)} as ${format}: ${path}`);
    if (format === 'json')
      next(io, { 'take it in elsewhere': `${npxCrossfarm} db import ${basename(path)}` });
  }
  return exitCodes.fine;
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

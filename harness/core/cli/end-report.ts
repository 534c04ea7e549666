import { pathToFileURL } from 'node:url';
import { type Command, Option } from 'commander';
import type { WrittenReport } from '../app/report/report.ts';
import { errorText } from '../errors.ts';
import { npxCrossfarm } from '../model/typed-command.ts';
import type { Findings } from '../results/index.ts';
import { type Io, note, print } from './io.ts';
import type { DatabaseOption } from './options.ts';

/** Of every command that measures. */
export interface ReportOption {
  /** The file of the report; the usual one when left out, and none for false. */
  readonly report?: string | false;
}

export function withReport(command: Command, usual = 'run-<number>.html'): Command {
  return command
    .option(
      '--report <file>',
      `file of the report (default: reports/${usual} next to the database)`,
    )
    .option('--no-report', 'write no report');
}

/** The same, where the option was once called `--out`. */
export function withReportOrOut(command: Command, usual: string): Command {
  return withReport(command, usual).addOption(
    new Option('--out <file>', 'old name of --report').conflicts('report').hideHelp(),
  );
}

/** The file that `--report` names, or its old name. */
export function takeReport({
  report,
  out,
}: ReportOption & { readonly out?: string }): ReportOption {
  const file = report ?? out;
  return file === undefined ? {} : { report: file };
}

/** The report and findings at the end of a measuring command. */
export interface EndReport {
  /** Null without `--report`, and where it could not be written. */
  readonly written: WrittenReport | null;
  readonly findings: Findings;
}

/** Writes the report of a run. One that cannot be written is a sentence: the run is stored all the same. */
export async function writeEndReport(
  run: number,
  { database, report }: ReportOption & DatabaseOption,
  io: Pick<Io, 'stderr'>,
): Promise<EndReport> {
  const { readFindings, writeReportOf } = await import('../app/report/report.ts');
  if (report !== false) {
    try {
      const out = report === undefined ? {} : { out: report };
      const { report: written, findings } = await writeReportOf([run], { database, ...out });
      return { written, findings };
    } catch (error) {
      note(io, `the report was not written: ${errorText(error)}`);
    }
  }
  return { written: null, findings: await readFindings([run], { database }) };
}

/** Says where the report of a run is, or how to have one. */
export function printEndReport(
  run: number,
  written: WrittenReport | null,
  io: Pick<Io, 'stdout'>,
): void {
  print(
    io,
    written === null
      ? `see it: ${npxCrossfarm} report ${String(run)}`
      : `${reportSentence(written)}\n${pathToFileURL(written.path).href}`,
  );
}

/** Says where the report of which runs was written. */
export function reportSentence({ path, bytes, runs }: WrittenReport): string {
  const what = `${runs.length === 1 ? 'run' : 'runs'} ${runs.join(', ')}`;
  return `report of ${what}: ${path} (${String(Math.ceil(bytes / 1000))} kB)`;
}

/** The field of a document of JSON. */
export function reportField(written: WrittenReport | null): { readonly report?: string } {
  return written === null ? {} : { report: written.path };
}

import type { Command } from 'commander';
import { resumeRun, type ResumeOptions } from '../app/run/resume.ts';
import { exitCodes, type ExitCode } from '../errors.ts';
import type { Io, Runner } from './io.ts';
import { noWait, parsePort, parseRun, withDatabase, withJson, type JsonOption } from './options.ts';
import { type ReportOption, withReport } from './end-report.ts';
import { endRun, holdEnd } from './run-output.ts';

interface Options extends ResumeOptions, JsonOption, ReportOption {}

export function declare(command: Command, run: Runner): void {
  command
    .argument('[run]', 'number of a stored run (default: newest unfinished)')
    .addHelpText('after', help);
  withDatabase(command);
  withReport(command);
  withJson(command, 'print events as JSON lines; the last is run-finished')
    .option('--port <number>', 'port of the page server (default: the run’s)', parsePort, 0)
    .option(...noWait)
    .option('--take-over', 'also a run started on another machine', false)
    .action((which: string | undefined, options: Options) =>
      run((io) => resume(which ?? null, options, io)),
    );
}

const help = `
Plan, order, measurement, pages and probes are those of the run. Devices are looked for anew; the
cells of one that is gone, or has another version now, are skipped with that reason.`;

async function resume(
  which: string | null,
  { json, report, ...options }: Options,
  io: Io,
): Promise<ExitCode> {
  const held = holdEnd(json, io);
  const resumed = await resumeRun(which === null ? null : parseRun(which), options, held.caller);
  if (resumed === null) return exitCodes.fine;
  const { wasFinished, ...result } = resumed;
  const { database } = options;
  const asked = { json, database, resumable: true, ...(report !== undefined && { report }) };
  if (!wasFinished) return endRun(result, asked, { io, held });
  if (json) held.caller.listener?.onRunEnded?.(result);
  held.release({});
  return exitCodes.fine;
}

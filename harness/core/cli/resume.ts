import type { Command } from 'commander';
import { resumeRun, type ResumeOptions } from '../app/run/resume.ts';
import { exitCodes, type ExitCode } from '../errors.ts';
import type { Io, Runner } from './io.ts';
import { noWait, parsePort, parseRun, withDatabase, withJson, type JsonOption } from './options.ts';
import { concludeRun, watchingCaller } from './run-output.ts';

interface Options extends ResumeOptions, JsonOption {}

export function declare(command: Command, run: Runner): void {
  command
    .argument('[run]', 'number of a stored run (default: newest unfinished)')
    .addHelpText('after', help);
  withDatabase(command);
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
  { json, ...options }: Options,
  io: Io,
): Promise<ExitCode> {
  const caller = watchingCaller(json, io);
  const resumed = await resumeRun(which === null ? null : parseRun(which), options, caller);
  if (resumed === null) return exitCodes.fine;
  const { wasFinished, ...result } = resumed;
  if (!wasFinished) return concludeRun(result, { json }, io);
  if (json) caller.listener?.onRunEnded?.(result);
  return exitCodes.fine;
}

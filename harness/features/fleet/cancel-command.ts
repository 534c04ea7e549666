import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import { type Io, print, printJson, type Runner } from '../../core/cli/io.ts';
import { type JsonOption, withJson } from '../../core/cli/options.ts';
import { type JobState, withJobs } from './jobs.ts';
import { type FarmOption, withFarm } from './options.ts';
import { parseJob } from './job-text.ts';

type Options = FarmOption & JsonOption;

export function declare(command: Command, run: Runner): void {
  withFarm(command);
  withJson(command, 'print { job, state }')
    .argument('<job>', 'number of a job', parseJob)
    .action((job: number, options: Options) => run((io) => cancel(job, options, io)));
}

async function cancel(job: number, { farm, json }: Options, io: Io): Promise<ExitCode> {
  const state = await withJobs(farm, (queue) => queue.cancel(job));
  if (json) printJson(io, { job, state });
  else print(io, `job ${String(job)} ${sentences[state]}`);
  return exitCodes.fine;
}

const sentences: Readonly<Record<JobState, string>> = {
  waiting: 'waits',
  active: 'goes on',
  cancelling: 'ends after its trial; what it has measured stays',
  cancelled: 'is cancelled',
  done: 'had ended before',
};

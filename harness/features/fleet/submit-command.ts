import { hostname, userInfo } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import { type Io, next, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import { type JsonOption, withJson } from '../../core/cli/options.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import { chooseHosts, listHosts } from './hosts.ts';
import { type Job, type JobQueue, priorities, withJobs } from './jobs.ts';
import { describeJob, describeProgress, jobJson, plainLines } from './job-text.ts';
import { isForNight, requireMeasuring } from './measuring-words.ts';
import { type FarmOption, withFarm } from './options.ts';

interface Options extends FarmOption, JsonOption {
  readonly on?: string;
  readonly detach: boolean;
  readonly night: boolean;
}

export function declare(command: Command, run: Runner): void {
  withFarm(command);
  withJson(command, 'print [{ job, host, state, exitCode, document }] in the end')
    .argument('<command...>', 'a command that measures, with its options')
    .passThroughOptions()
    .option('--on <hosts>', 'a host, linux,cores>=8 or all (default: the least busy)')
    .option('--detach', 'do not wait for the end', false)
    .option('--night', 'let jobs of people go first', false)
    .addHelpText('after', help)
    .action((words: readonly string[], options: Options) =>
      run((io) => submit(words, options, io)),
    );
}

const help = `
Options of submit come before the command:
  ${npxCrossfarm} submit compare lit@2 lit@3 --page https://example.com/bench.html
  ${npxCrossfarm} submit --on rack-2 compare chromium firefox --param n=18
  ${npxCrossfarm} submit --on linux,firefox,cores>=8 run --suite quick
  ${npxCrossfarm} submit --on all --night nightly

Files that it names lie in the folder of the host's worker. Ctrl-C detaches: the job goes on.`;

async function submit(words: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  requireMeasuring(words);
  return withJobs(options.farm, async (queue, server) => {
    const hosts = chooseHosts(await listHosts(server), options.on);
    const priority = options.night || isForNight(words) ? priorities.night : priorities.person;
    const ids: number[] = [];
    for (const host of hosts) {
      const id = await queue.submit({ host, words, priority, askedBy: whoAsks() });
      note(io, `job ${String(id)} for ${host}`);
      ids.push(id);
    }
    const jobs = options.detach ? await readAll(queue, ids) : await follow(queue, ids, io);
    return answer(jobs, options, io);
  });
}

/** Whoever can submit can write any name: it is for colleagues, not for proof. */
function whoAsks(): string {
  try {
    return `${userInfo().username}@${hostname()}`.slice(0, 100);
  } catch {
    return hostname().slice(0, 100);
  }
}

const lookMs = 1_000;

/** Shows how the jobs go on, until all have ended or Ctrl-C. */
async function follow(queue: JobQueue, ids: readonly number[], io: Io): Promise<readonly Job[]> {
  const shown = new Map<number, string>();
  for (;;) {
    const jobs = await readAll(queue, ids);
    for (const job of jobs) {
      const line = `job ${String(job.id)} on ${job.host}: ${describeProgress(job)}`;
      if (shown.get(job.id) !== line) note(io, plain(line));
      shown.set(job.id, line);
    }
    if (io.signal.aborted || jobs.every(({ endedAt }) => endedAt !== null)) return jobs;
    await pause(lookMs, undefined, { signal: io.signal }).catch(() => undefined);
  }
}

async function readAll(queue: JobQueue, ids: readonly number[]): Promise<readonly Job[]> {
  return Promise.all(ids.map((id) => queue.read(id)));
}

/** The worst exit code of those that have ended; fine where one detached from them. */
function answer(jobs: readonly Job[], { json }: Options, io: Io): ExitCode {
  const open = jobs.filter(({ endedAt }) => endedAt === null);
  if (json) printJson(io, jobs.map(jobJson));
  else for (const job of jobs) print(io, plainLines(describeJob(job)));
  const [first] = open;
  if (first !== undefined) {
    next(io, {
      'see how it goes on': `${npxCrossfarm} queue ${String(first.id)}`,
      'end it': `${npxCrossfarm} cancel ${String(first.id)}`,
    });
    return exitCodes.fine;
  }
  const codes = jobs.map((job) =>
    job.state === 'cancelled' ? exitCodes.unfinished : toExitCode(job),
  );
  return codes.toSorted((one, other) => severity(other) - severity(one))[0] ?? exitCodes.fine;
}

function toExitCode({ exitCode }: Job): ExitCode {
  const known = Object.values(exitCodes).find((one) => one === exitCode);
  return known ?? exitCodes.fine;
}

function severity(code: ExitCode): number {
  const { fine, undecided, refuted, usage, unfinished, internal } = exitCodes;
  return [fine, undecided, refuted, usage, unfinished, internal].indexOf(code as never);
}

import { hostname, userInfo } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import { type Io, next, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import { type JsonOption, withJson } from '../../core/cli/options.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import { readTerminalWidth } from '../../core/cli/text/draw-table.ts';
import { type BatchAnswer, BatchWatch, settleBatch } from './batch-answer.ts';
import { answerJson, drawAnswer } from './fleet-text.ts';
import { listHosts } from './hosts.ts';
import { type Job, type JobQueue, withJobs } from './jobs.ts';
import { describeJob, describeStanding, jobJson, plainLines } from './job-text.ts';
import { type FarmOption, withFarm } from './options.ts';
import { submitOrder } from './order.ts';
import { ServerLink } from './server-link.ts';

interface Options extends FarmOption, JsonOption {
  readonly on?: string;
  readonly detach: boolean;
  readonly night: boolean;
}

export function declare(command: Command, run: Runner): void {
  withFarm(command);
  withJson(command, 'print [{ job, host, state, exitCode, document, together }] in the end')
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
  const { callCommand: call } = io;
  if (call === undefined) throw new Error('a command runs outside of a command line');
  return withJobs(options.farm, async (queue, server) => {
    const { on, night } = options;
    const submitted = await submitOrder(
      { queue, server },
      { words, on, night, askedBy: whoAsks() },
    );
    const hosts = await listHosts(server);
    for (const { id, host } of submitted) {
      note(io, `job ${String(id)} for ${host}`);
      const isLive = hosts.some((one) => one.name === host && one.isLive);
      if (!isLive) note(io, `${host} is not there: the job waits until its worker begins`);
    }
    const ids = submitted.map(({ id }) => id);
    const say = (sentence: string): void => {
      note(io, plain(sentence));
    };
    const link = new ServerLink(server, say, 'The jobs go on meanwhile.');
    if (options.detach) return answer(await readAll(queue, ids), null, { options, io });
    const watch = new BatchWatch({ server, call });
    const jobs = await follow(queue, ids, { io, watch, link });
    return answer(jobs, await watch.look(jobs, true), { options, io });
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

/**
 * Shows how the jobs go on, until all have ended or Ctrl-C. A comparison ends once its hosts have decided
 * together: looking often costs no error.
 */
async function follow(
  queue: JobQueue,
  ids: readonly number[],
  { io, watch, link }: { readonly io: Io; readonly watch: BatchWatch; readonly link: ServerLink },
): Promise<readonly Job[]> {
  const shown = new Map<number, string>();
  let isSettled = false;
  let jobs: readonly Job[] = [];
  const look = async (): Promise<void> => {
    jobs = await readAll(queue, ids);
    const standing = await watch.look(jobs);
    isSettled ||= await settleBatch(queue, jobs, standing);
  };
  for (;;) {
    await link.reach(look);
    for (const job of jobs) {
      const line = describeStanding(job);
      if (shown.get(job.id) !== line) note(io, plain(line));
      shown.set(job.id, line);
    }
    const haveEnded = jobs.length > 0 && jobs.every(({ endedAt }) => endedAt !== null);
    if (io.signal.aborted || haveEnded) return jobs;
    await pause(lookMs, undefined, { signal: io.signal }).catch(() => undefined);
  }
}

async function readAll(queue: JobQueue, ids: readonly number[]): Promise<readonly Job[]> {
  return Promise.all(ids.map((id) => queue.read(id)));
}

/** The worst exit code of those that have ended; fine where one detached from them. */
async function answer(
  jobs: readonly Job[],
  together: BatchAnswer | null,
  { options: { json }, io }: { readonly options: Options; readonly io: Io },
): Promise<ExitCode> {
  const open = jobs.filter(({ endedAt }) => endedAt === null);
  const shared = together === null ? {} : { together: answerJson(together) };
  if (json)
    printJson(
      io,
      jobs.map((job) => ({ ...jobJson(job), ...shared })),
    );
  else {
    for (const job of jobs)
      print(io, plainLines(together === null ? describeJob(job) : describeStanding(job)));
    if (together !== null) print(io, await drawAnswer(together, readTerminalWidth(io.stdout)));
  }
  const [first] = open;
  if (first !== undefined) {
    next(io, {
      'see how it goes on': `${npxCrossfarm} queue ${String(first.id)}`,
      'end it': `${npxCrossfarm} queue cancel ${String(first.id)}`,
    });
    return exitCodes.fine;
  }
  // Jobs that the common verdict ended have no exit code.
  const codes = jobs
    .filter(({ settled }) => !settled)
    .map((job) => (job.state === 'cancelled' ? exitCodes.unfinished : toExitCode(job)));
  if (together?.kind === 'comparison') {
    next(io, { 'its report': `${npxCrossfarm} queue ${String(jobs[0]?.id)} --report fleet.html` });
    if (together.verdict.rows.some(({ fails }) => fails)) codes.push(exitCodes.refuted);
  }
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

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { writeWhole } from '../../core/app/records.ts';
import { type ExitCode, exitCodes, FarmError } from '../../core/errors.ts';
import { type Io, next, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import { declareList, type JsonOption, parseCount, withJson } from '../../core/cli/options.ts';
import { drawTable, readTerminalWidth } from '../../core/cli/text/draw-table.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import { answerBatch } from './batch-answer.ts';
import { answerJson, drawAnswer } from './fleet-text.ts';
import { type Host, listHosts } from './hosts.ts';
import { type Job, listJobs, withJobs } from './jobs.ts';
import {
  describeJob,
  describeProgress,
  describeStanding,
  jobJson,
  parseJob,
  plainLines,
  typedWords,
} from './job-text.ts';
import { type FarmOption, withFarm } from './options.ts';
import type { FarmServer } from './server.ts';

interface Options extends FarmOption, JsonOption {
  readonly limit: number;
  readonly report?: string;
}

export function declare(group: Command, run: Runner): void {
  declareList(group, 'list hosts and jobs', (command) => {
    withFarm(command);
    withJson(command, 'print { hosts, jobs }; of one job the job')
      .argument('[job]', 'number of a job: also what its hosts say together', parseJob)
      .option('--report <file>', 'write what the hosts of a job say together')
      .option('--limit <number>', 'show the newest N jobs', parseCount, 20)
      .action((job: number | undefined, options: Options) =>
        run((io) => showQueue(job, options, io)),
      );
  });
}

function showQueue(job: number | undefined, options: Options, io: Io): Promise<ExitCode> {
  const { farm, json, limit, report } = options;
  return withJobs(farm, async (queue, server) => {
    if (job !== undefined) {
      return showJob(await queue.readBatch(job), { job, json, report }, { server, io });
    }
    const hosts = await listHosts(server);
    const jobs = await listJobs(server, limit);
    if (json) printJson(io, { hosts: hosts.map(hostJson), jobs: jobs.map(jobJson) });
    else await printTables(io, hosts, jobs);
    return exitCodes.fine;
  });
}

interface ShownJob extends JsonOption {
  readonly job: number;
  readonly report: string | undefined;
}

/** A job, and what the hosts that it was submitted to say together. */
async function showJob(
  batch: readonly Job[],
  { job, json, report }: ShownJob,
  { server, io }: { readonly server: FarmServer; readonly io: Io },
): Promise<ExitCode> {
  const { callCommand: call } = io;
  const found = batch.find(({ id }) => id === job);
  if (call === undefined || found === undefined) throw new Error('a job is one of its batch');
  const together = await answerBatch(batch, { server, call });
  if (json) {
    const shared = together === null ? {} : { together: answerJson(together) };
    printJson(io, { ...jobJson(found), ...shared });
  } else {
    print(io, plainLines(describeJob(found)));
    const others = together === null ? [] : batch.filter(({ id }) => id !== job);
    for (const one of others) print(io, plainLines(describeStanding(one)));
    if (together !== null) print(io, await drawAnswer(together, readTerminalWidth(io.stdout)));
  }
  if (report === undefined) return exitCodes.fine;
  if (together === null) {
    throw new FarmError('bad-argument', {
      what: `Job ${String(job)} has no report of several hosts: one host measures it, or none has sent a trial.`,
      next: `Submit a comparison to several: ${npxCrossfarm} submit --on all compare old.html new.html`,
    });
  }
  const { renderFleetReport } = await import('./fleet-report.ts');
  const path = resolve(report);
  await writeWhole(path, renderFleetReport(together, batch));
  note(io, `report: ${path}`);
  return exitCodes.fine;
}

function hostJson({ name, isLive, silentS, facts, open }: Host): object {
  const { platform, system, cpuModel, logicalCores, memoryBytes, devices } = facts;
  return {
    host: name,
    live: isLive,
    silentS,
    open,
    platform,
    system,
    cpuModel,
    logicalCores,
    memoryBytes,
    devices,
  };
}

async function printTables(io: Io, hosts: readonly Host[], jobs: readonly Job[]): Promise<void> {
  if (hosts.length === 0) {
    note(io, 'The farm has no host yet.');
    next(io, { 'make this machine one': `${npxCrossfarm} worker` });
    return;
  }
  const width = readTerminalWidth(io.stdout);
  const hostRows = hosts.map(({ name, isLive, silentS, facts, open }) => [
    name,
    isLive ? 'there' : `silent for ${String(Math.round(silentS / 60))} min`,
    plain(`${facts.system}, ${String(facts.logicalCores)} cores`),
    plain(facts.devices.join(', ')),
    String(open),
  ]);
  print(
    io,
    await drawTable(
      { head: ['host', 'is', 'machine', 'devices', 'open jobs'], rows: hostRows },
      width,
    ),
  );
  const jobRows = jobs.map((job) => [
    String(job.id),
    job.host,
    plain(typedWords(job)),
    plain(describeProgress(job)),
    plain(job.askedBy),
  ]);
  if (jobRows.length === 0) note(io, 'No job was submitted yet.');
  else
    print(
      io,
      await drawTable(
        { head: ['job', 'host', 'command', 'stands', 'asked by'], rows: jobRows },
        width,
      ),
    );
  next(io, { 'measure something': `${npxCrossfarm} submit compare old.html new.html` });
}

import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import { type Io, next, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import { declareList, type JsonOption, parseCount, withJson } from '../../core/cli/options.ts';
import { drawTable, readTerminalWidth } from '../../core/cli/text/draw-table.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import { type Host, listHosts } from './hosts.ts';
import { type Job, listJobs, withJobs } from './jobs.ts';
import {
  describeJob,
  describeProgress,
  jobJson,
  parseJob,
  plainLines,
  typedWords,
} from './job-text.ts';
import { type FarmOption, withFarm } from './options.ts';

interface Options extends FarmOption, JsonOption {
  readonly limit: number;
}

export function declare(group: Command, run: Runner): void {
  declareList(group, 'list hosts and jobs', (command) => {
    withFarm(command);
    withJson(command, 'print { hosts, jobs }; of one job the job')
      .argument('[job]', 'number of a job', parseJob)
      .option('--limit <number>', 'show the newest N jobs', parseCount, 20)
      .action((job: number | undefined, options: Options) =>
        run((io) => showQueue(job, options, io)),
      );
  });
}

function showQueue(job: number | undefined, options: Options, io: Io): Promise<ExitCode> {
  const { farm, json, limit } = options;
  return withJobs(farm, async (queue, server) => {
    if (job !== undefined) {
      const found = await queue.read(job);
      if (json) printJson(io, jobJson(found));
      else print(io, plainLines(describeJob(found)));
      return exitCodes.fine;
    }
    const hosts = await listHosts(server);
    const jobs = await listJobs(server, limit);
    if (json) printJson(io, { hosts: hosts.map(hostJson), jobs: jobs.map(jobJson) });
    else await printTables(io, hosts, jobs);
    return exitCodes.fine;
  });
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

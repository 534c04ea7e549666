import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { withStore } from '../../core/app/records.ts';
import { type ExitCode, exitCodes, FarmError } from '../../core/errors.ts';
import {
  type CallCommand,
  type Io,
  note,
  print,
  printJson,
  type Runner,
} from '../../core/cli/io.ts';
import { type JsonOption, withJson } from '../../core/cli/options.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { plural } from '../../../reports/html/number.ts';
import { hostName, nameThisHost } from './hosts.ts';
import { farmVariableName, type FarmServer, withServer } from './server.ts';
import { exportRun } from './shipping.ts';
import { readExported, storeRun } from './store-run.ts';
import { importFromFarm } from './stored-runs.ts';

export function declare(command: Command, run: Runner): void {
  command
    .argument('<from>', 'a database file, or the farm')
    .argument('<to>', 'the other one')
    .addHelpText('after', help);
  withJson(command, 'print { from, to, copied, known, running }').action(
    (from: string, to: string, options: JsonOption) =>
      run((io) => copy(from, to, { ...options, io })),
  );
}

const help = `
The farm is its PostgreSQL server: postgres://user@host/crossfarm, or the word farm for the one that
${farmVariableName} names. Runs are known by their identity: a second copy adds what is new.

  ${npxCrossfarm} db copy .farm/farm.db farm
  ${npxCrossfarm} db copy farm all-hosts.db`;

interface CopyCounts {
  /** Runs of which something was added. */
  readonly copied: number;
  readonly known: number;
  /** Runs that go on: a file takes finished ones. */
  readonly running: number;
}

async function copy(
  from: string,
  to: string,
  { json, io }: JsonOption & { readonly io: Io },
): Promise<ExitCode> {
  const { callCommand: call } = io;
  if (call === undefined) throw new Error('a command runs outside of a command line');
  const [isFromFarm, isToFarm] = [namesFarm(from), namesFarm(to)];
  if (isFromFarm === isToFarm) {
    throw new FarmError('bad-argument', {
      what: 'One of the two is a file, the other one the farm.',
      next: `${npxCrossfarm} db copy .farm/farm.db farm; between two files: ${npxCrossfarm} db import`,
    });
  }
  const counts = await withServer(addressOf(isFromFarm ? from : to), (server) =>
    isFromFarm
      ? copyToFile(server, resolve(to), { call, io })
      : copyToFarm(resolve(from), server, { call, io }),
  );
  const [shownFrom, shownTo] = [isFromFarm ? 'farm' : from, isToFarm ? 'farm' : to];
  if (json) printJson(io, { from: shownFrom, to: shownTo, ...counts });
  else {
    const { copied, known, running } = counts;
    print(io, `${plural(copied, 'run')} copied, ${plural(known, 'run')} there before`);
    if (running > 0) note(io, `${plural(running, 'run')} still measured; copy again once finished`);
  }
  return exitCodes.fine;
}

function namesFarm(text: string): boolean {
  return text === 'farm' || /^postgres(ql)?:\/\//.test(text);
}

function addressOf(text: string): string | undefined {
  return text === 'farm' ? undefined : text;
}

interface CopyMeans {
  readonly call: CallCommand;
  readonly io: Io;
}

async function copyToFarm(
  database: string,
  server: FarmServer,
  { call, io }: CopyMeans,
): Promise<CopyCounts> {
  if (!existsSync(database)) {
    throw new FarmError('unknown-run', {
      what: `${database} does not exist.`,
      next: `${npxCrossfarm} db lists the runs of a database.`,
    });
  }
  const runs = await withStore(database, (store) => store.listRuns());
  let copied = 0;
  for (const { id, machine } of runs.toReversed()) {
    io.signal.throwIfAborted();
    const document = readExported(await exportRun(call, id, database));
    const name = nameThisHost(machine.hostname);
    const host = hostName.test(name) ? name : 'unknown';
    const { added } = await storeRun(server, document, { host, job: null, lease: null });
    copied += Number(added > 0);
  }
  return { copied, known: runs.length - copied, running: 0 };
}

/** A statement's answer, and a transaction of the file, hold no more runs at once. */
const atOnce = 20;

async function copyToFile(
  server: FarmServer,
  database: string,
  { call, io }: CopyMeans,
): Promise<CopyCounts> {
  const here = existsSync(database) ? await readIdentities(database) : new Set<string>();
  const runs = await server.query<{ id: number; identity: string; status: string }>(
    'SELECT id::int, identity, status FROM run ORDER BY started_at, id',
  );
  const fresh = runs.filter(({ identity }) => !here.has(identity));
  const ended = fresh.filter(({ status }) => status !== 'running').map(({ id }) => id);
  for (let from = 0; from < ended.length; from += atOnce) {
    io.signal.throwIfAborted();
    await importFromFarm(ended.slice(from, from + atOnce), database, { server, call });
  }
  const running = fresh.length - ended.length;
  return { copied: ended.length, known: runs.length - fresh.length, running };
}

function readIdentities(database: string): Promise<ReadonlySet<string>> {
  return withStore(database, async (store) => {
    const runs = await store.listRuns();
    return new Set(await Promise.all(runs.map(({ id }) => store.readIdentity(id))));
  });
}

import { existsSync } from 'node:fs';
import { once } from 'node:events';
import type { Command } from 'commander';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import { explorerFolder, farmVersion } from '../project.ts';
import { startExplorer } from '../server/api/explorer-server.ts';
import { openHistory } from '../store/history/history.ts';
import { openStore } from '../store/store.ts';
import { note, print, printJson, type Io, type Runner } from './io.ts';
import {
  parsePort,
  withDatabase,
  withJson,
  type DatabaseOption,
  type JsonOption,
} from './options.ts';
import { apiSources } from './serve-sources.ts';

interface Options extends DatabaseOption, JsonOption {
  readonly port: number;
}

/** Not 8080 or 3000, which are somebody else's on most machines that this runs on. */
const usualPort = 8710;

export function declare(command: Command, run: Runner): void {
  withDatabase(command);
  withJson(command, 'print { url, api, database } when it listens')
    .option('--port <number>', 'port of this machine; 0 is any free one', parsePort, usualPort)
    .action((options: Options) => run((io) => serve(options, io)));
}

/** Serves until Ctrl-C. A run may go on meanwhile: what it stores is shown. */
async function serve({ database, port, json }: Options, io: Io): Promise<ExitCode> {
  // Opening would make it, and who only looks must not leave a file behind.
  if (!existsSync(database)) {
    throw new FarmError('unknown-run', {
      what: `There is nothing to serve: ${database} does not exist.`,
      next: 'Make it: farm run; or name another with --database.',
    });
  }
  const history = await openHistory(database);
  const store = await openStore(database);
  try {
    const sources = apiSources(history, store);
    const options = { sources, explorer: explorerFolder(), version: farmVersion() };
    const server = await startExplorer(options, port);
    const { origin } = server;
    if (json) printJson(io, { url: `${origin}/`, api: `${origin}/api/openapi.json`, database });
    else {
      print(io, `${origin}/`);
      note(io, `The API is described at ${origin}/api/openapi.json. Ctrl-C ends this.`);
    }
    if (!io.signal.aborted) await once(io.signal, 'abort');
    await server.close();
  } finally {
    await store.close();
    await history.close();
  }
  return exitCodes.fine;
}

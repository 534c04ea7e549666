import { once } from 'node:events';
import type { Command } from 'commander';
import { attendDefaults } from '../../app/defaults.ts';
import { openExplorer } from './serve.ts';
import { exitCodes, FarmError, type ExitCode } from '../../errors.ts';
import { note, print, printJson, type Io, type Runner } from '../../cli/io.ts';
import {
  parsePort,
  withDatabase,
  withJson,
  withPages,
  type DatabaseOption,
  type JsonOption,
  type PagesOption,
} from '../../cli/options.ts';

interface Options extends DatabaseOption, JsonOption, PagesOption {
  readonly port: number;
  /** Devices may join: at this address of this machine, or true for the first. */
  readonly lan?: string | true;
  readonly suite?: string;
}

/** Not 8080 or 3000, which other programs often use. */
const usualPort = 8710;

export function declare(command: Command, run: Runner): void {
  withDatabase(command);
  withPages(command);
  withJson(command, 'print { url, api, benchmarks, database } when it listens')
    .option('--port <number>', 'port to listen on; 0 takes a free one', parsePort, usualPort)
    .option('--lan [address]', 'let devices of the local network join')
    .option('--suite <name>', 'suite for devices that join (default: quick)')
    .action((options: Options) => run((io) => serve(options, io)));
}

/** Serves until Ctrl-C. A run may go on meanwhile: what it stores is shown. */
async function serve(options: Options, io: Io): Promise<ExitCode> {
  const { database, pages, port, json, lan } = options;
  const door: { screen: string | null } = { screen: null };
  const joining = lan === undefined ? undefined : () => ({ screen: door.screen });
  const explorer = await openExplorer({ database, port, joining, pages });
  try {
    const url = `${explorer.origin}/`;
    const api = `${url}api/openapi.json`;
    const benchmarks = `${explorer.benchmarks}/`;
    if (json) printJson(io, { url, api, benchmarks, database });
    else {
      print(io, url);
      note(io, `Benchmarks to open by hand: ${benchmarks}`);
      note(io, `The API is described at ${api}. Ctrl-C ends this.`);
    }
    if (lan !== undefined) await receive(options, io, door);
    else if (!io.signal.aborted) await once(io.signal, 'abort');
  } finally {
    await explorer.close();
  }
  return exitCodes.fine;
}

/**
 * One code after the other, each for one device and its own run, until Ctrl-C. The explorer stays on
 * this machine's loopback: a device that joins sees the pages that it measures, and nothing else. The explorer
 * gets the address where the current code is shown.
 */
async function receive(
  { database, json, lan = true, suite, pages }: Options,
  io: Io,
  door: { screen: string | null },
): Promise<void> {
  const { attend } = await import('../remote/attend.ts');
  const { invitingCaller } = await import('../remote/attend-output.ts');
  const { concludeRun } = await import('../../cli/run-output.ts');
  const given = { database, lan, pages };
  const options = { ...attendDefaults, ...given, ...(suite !== undefined && { suite }) };
  while (!io.signal.aborted) {
    try {
      const result = await attend(options, {
        ...invitingCaller(json, io),
        onScreen: (screen) => {
          door.screen = screen;
        },
      });
      concludeRun(result, { json }, io);
    } catch (error) {
      // Nobody came while the code was good: there is another one.
      if (!(error instanceof FarmError) || error.code !== 'no-device') throw error;
    }
  }
}

import { once } from 'node:events';
import type { Command } from 'commander';
import { type AddVisits, openExplorer } from './serve.ts';
import { requireLan, type TlsOptions } from '../../core/app/tls/certificate.ts';
import { exitCodes, type ExitCode } from '../../core/errors.ts';
import { type CommandModule, note, print, printJson, type Io } from '../../core/cli/io.ts';
import {
  parsePort,
  withDatabase,
  withJson,
  withPages,
  withTls,
  type DatabaseOption,
  type JsonOption,
  type PagesOption,
} from '../../core/cli/options.ts';

interface Options extends DatabaseOption, JsonOption, PagesOption, TlsOptions {
  readonly port: number;
  /** Devices may join: at this address of this machine, or true for the first. */
  readonly lan?: string | true;
  readonly suite?: string;
  /** Address of a farm of many machines, or true for that of the environment. */
  readonly farm?: string | true;
  readonly public?: string;
}

/** Not 8080 or 3000, which other programs often use. */
const usualPort = 8710;

type LanOptions = Pick<Options, 'database' | 'pages' | keyof TlsOptions> & {
  readonly lan: string | true;
};

interface VisitorServer {
  readonly url: string;
  /** The same for a device that trusts it. */
  readonly page: string;
  close(): Promise<void>;
}

/** Loads what takes results of devices that the farm did not start. */
export interface Reception {
  /** Lets devices join until Ctrl-C. The address where the current code is shown is put into `door`. */
  readonly joining: () => Promise<{
    receive(
      options: Options & { readonly visitors: string },
      io: Io,
      door: { screen: string | null },
    ): Promise<void>;
  }>;
  /** Lets visitors of the benchmark pages keep what they measured. */
  readonly visits: () => Promise<{ readonly addVisits: AddVisits }>;
  /** Serves those pages to the local network. */
  readonly visitors: () => Promise<{ serveVisitors(options: LanOptions): Promise<VisitorServer> }>;
}

export function serveCommand(reception: Reception): CommandModule {
  return {
    declare: (command, run) => {
      withOptions(command).action((options: Options) => run((io) => serve(options, io, reception)));
    },
  };
}

function withOptions(command: Command): Command {
  withDatabase(command);
  withPages(command);
  withTls(command);
  return withJson(command, 'print { url, api, benchmarks, database } when it listens')
    .option('--port <number>', 'port to listen on; 0 takes a free one', parsePort, usualPort)
    .option('--lan [address]', 'let devices of the local network join')
    .option('--suite <name>', 'suite for devices that join (default: quick)')
    .option('--farm [url]', 'serve hosts, queue and runs of a farm')
    .option('--public <origin>', 'with --farm: https address of the proxy in front');
}

/** Of a farm of many machines; the feature that has it does that. */
async function serveFarm({ farm, public: origin, port, json }: Options, io: Io): Promise<ExitCode> {
  if (io.runCommand === undefined) throw new Error('a command runs outside of a command line');
  return io.runCommand([
    ...['queue', 'serve', '--port', String(port)],
    ...(typeof farm === 'string' ? ['--farm', farm] : []),
    ...(origin === undefined ? [] : ['--public', origin]),
    ...(json ? ['--json'] : []),
  ]);
}

/** Serves until Ctrl-C. A run may go on meanwhile: what it stores is shown. */
async function serve(options: Options, io: Io, reception: Reception): Promise<ExitCode> {
  requireLan(options);
  if (options.farm !== undefined) return serveFarm(options, io);
  const { database, pages, port, json, lan } = options;
  const door: { screen: string | null } = { screen: null };
  const joining = lan === undefined ? undefined : () => ({ screen: door.screen });
  const { addVisits } = await reception.visits();
  const explorer = await openExplorer({ database, port, joining, pages, visits: addVisits });
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
    // It stays on this machine's loopback: a device that joins does not see it.
    if (lan !== undefined) await admitOthers({ ...options, lan }, { io, reception, door });
    else if (!io.signal.aborted) await once(io.signal, 'abort');
  } finally {
    await explorer.close();
  }
  return exitCodes.fine;
}

interface Admission {
  readonly io: Io;
  readonly reception: Reception;
  readonly door: { screen: string | null };
}

/** Lets devices of the local network join, and people there try pages, until Ctrl-C. */
async function admitOthers(
  options: Options & LanOptions,
  { io, reception, door }: Admission,
): Promise<void> {
  const visitors = await (await reception.visitors()).serveVisitors(options);
  try {
    const { url, page } = visitors;
    if (options.json) print(io, JSON.stringify({ type: 'visitors', url }));
    else note(io, `People of the local network try pages, and keep what they measure: ${url}`);
    await (await reception.joining()).receive({ ...options, visitors: page }, io, door);
  } finally {
    await visitors.close();
  }
}

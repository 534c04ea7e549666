import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Command } from 'commander';
import { exitCodes, FarmError, type ExitCode } from '../errors.ts';
import { tokenVariable } from '../probes/remote/node/agent-client.ts';
import { startAgent, type Agent } from '../probes/remote/node/agent-server.ts';
import { note, print, printJson, type Io, type Runner } from './io.ts';
import { lanAddress } from '../app/run/lan-address.ts';
import { parsePort, withJson, type JsonOption } from './options.ts';

interface Options extends JsonOption {
  readonly port: number;
  /** An address of this machine, or true for the first; only this machine when left out. */
  readonly lan?: string | true;
}

/** Beside that of `farm serve`. */
const usualPort = 8720;

export function declare(command: Command, run: Runner): void {
  command.addHelpText('after', help);
  withJson(command, 'print { address, token } when it listens')
    .option('--port <number>', 'port of this machine; 0 is any free one', parsePort, usualPort)
    .option('--lan [address]', 'let a farm of the local network ask, not only this machine')
    .action((options: Options) => run((io) => serveAgent(options, io)));
}

const help = `
It runs on a node of a grid, and gives whoever has its token the CPU times of cores, processes and
threads; nothing else of this machine can be read by it. The token is that of ${tokenVariable},
or a new one. On the farm, name its address as "agent" of the device, and give the token by the same
variable. Over ssh ("ssh" of the device) no agent is needed.`;

/** Serves until Ctrl-C. */
async function serveAgent(options: Options, io: Io): Promise<ExitCode> {
  if (process.platform !== 'linux') {
    throw new FarmError('bad-argument', {
      what: `An agent reads Linux's /proc, and this is ${process.platform}.`,
      next: 'Leave "agent" out: trials on this machine are timed without the CPU.',
    });
  }
  const given = process.env[tokenVariable] ?? '';
  const token = given === '' ? randomBytes(16).toString('base64url') : given;
  const agent = await listen(options, token);
  try {
    const { address } = agent;
    if (options.json) printJson(io, { address, token });
    else {
      print(io, address);
      if (given === '') note(io, `On the farm: export ${tokenVariable}=${token}`);
      note(io, 'Ctrl-C ends this.');
    }
    if (!io.signal.aborted) await once(io.signal, 'abort');
  } finally {
    await agent.close();
  }
  return exitCodes.fine;
}

async function listen({ lan, port }: Options, token: string): Promise<Agent> {
  const host = lan === undefined ? '127.0.0.1' : lanAddress(lan);
  try {
    return await startAgent({ host, port, token });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new FarmError('port-in-use', {
      what: `Port ${String(port)} of this machine is in use by another program.`,
      next: 'Choose another with --port, or --port 0 to let the system choose.',
      cause: error,
    });
  }
}

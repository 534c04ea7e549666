import { once } from 'node:events';
import type { Command } from 'commander';
import { openOwnAgent, type OwnAgentOptions } from './node/agent-server.ts';
import { exitCodes, type ExitCode } from '../../core/errors.ts';
import { tokenVariable } from './node/agent-client.ts';
import { note, print, printJson, type Io, type Runner } from '../../core/cli/io.ts';
import { parsePort, withJson, type JsonOption } from '../../core/cli/options.ts';

type Options = OwnAgentOptions & JsonOption;

/** Next to the port of `farm serve`. */
const usualPort = 8720;

export function declare(command: Command, run: Runner): void {
  command.addHelpText('after', help);
  withJson(command, 'print { address, token } when it listens')
    .option('--port <number>', 'port to listen on; 0 takes a free one', parsePort, usualPort)
    .action((options: Options) => run((io) => serveAgent(options, io)));
}

const help = `
It runs on a node of a grid, and gives whoever has its token the CPU times of cores, processes and
threads, with their names, and what load, memory and frequency of this machine are. Of command lines
it gives the program and the kind of a browser's process, never an argument; nothing else can be read
by it. The token is that of ${tokenVariable}, of 128 random bits at least, or a new one; give it
to the farm by the same variable. It listens on the loopback alone. A farm on another machine reaches
it through ssh, such as: ssh -N -L 8720:127.0.0.1:8720 this-machine, and names http://127.0.0.1:8720
as "agent" of the device. With "ssh" of the device no agent is needed.`;

/** Serves until Ctrl-C. */
async function serveAgent(options: Options, io: Io): Promise<ExitCode> {
  const agent = await openOwnAgent(options);
  try {
    const { address, token, isNewToken } = agent;
    if (options.json) printJson(io, { address, token });
    else {
      print(io, address);
      if (isNewToken) note(io, `On the farm: export ${tokenVariable}=${token}`);
      note(io, 'Ctrl-C ends this.');
    }
    if (!io.signal.aborted) await once(io.signal, 'abort');
  } finally {
    await agent.close();
  }
  return exitCodes.fine;
}
